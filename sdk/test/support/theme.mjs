// A shop whose pages are the themes of test/themes, with the endpoints of its platform: cart and products.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before } from "node:test";
import { escape } from "./browser.mjs";
import { openFixture } from "./fixture.mjs";
import { bodyOf, listen } from "./http.mjs";

const DIST = new URL("../../dist/", import.meta.url);
const THEMES = new URL("../themes/", import.meta.url);

export const SOLD_OUT = 4899;

const PRODUCTS = {
  lamp: { id: 47, title: "Desk lamp", variants: [{ id: 4711, title: "Brass" }, { id: 4712, title: "Steel" }] },
  shirt: { id: 48, title: "Linen shirt", variants: [{ id: 4801, title: "Default Title" }] },
};

/**
 * A shop for the tests of one file, whose pages must not have an uncaught error. `cart` has the lines of the cart, `calls`
 * the requests to the shop's own endpoints; `isDown` takes those away.
 */
export function useThemes() {
  const themes = { pages: [] };
  before(async () => {
    themes.fixture = await openFixture();
    themes.shop = await openThemeShop(themes.fixture);
  });
  after(async () => {
    await themes.shop?.close();
    await themes.fixture?.close();
  });
  afterEach(() => {
    themes.fixture.proxy.fault = () => undefined;
    Object.assign(themes.shop, { cart: [], isDown: false });
    assert.deepEqual(themes.pages.splice(0).flatMap((page) => page.uncaught), []);
  });
  let people = 0;
  return Object.assign(themes, {
    /** Opens a theme, see below. */
    async visit(theme, options) {
      const page = await themes.shop.visit(theme, options);
      themes.pages.push(page);
      return page;
    },
    /** The identity of a shopper who has nothing yet. */
    async shopper() {
      const email = `shopper-${(people += 1)}@example.com`;
      return { email, ...(await themes.fixture.shopper(email)) };
    },
  });
}

/** The shop alone, for a fixture that is open. */
export async function openThemeShop({ browser, proxy, store }) {
  const shop = { cart: [], calls: [], isDown: false };

  const routes = {
    "/cart.js": () => [200, { items: shop.cart }],
    "/cart/add.js": (form) => {
      const id = Number(form.id);
      const ofProduct = id === 4711 && { product_id: 47, product_title: "Desk lamp", variant_title: "Brass", price: 3990 };
      const line = { id, variant_id: id, quantity: Number(form.quantity), ...ofProduct };
      if (line.id === SOLD_OUT) {
        return [422, { status: 422, message: "Cart Error", description: "The product is already sold out." }];
      }
      shop.cart.push(line);
      return [200, line];
    },
  };
  for (const [handle, product] of Object.entries(PRODUCTS)) {
    routes[`/products/${handle}.js`] = () => [200, { ...product, handle }];
  }

  const server = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://any");
    const reply = (status, type, body) => response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(body);
    const file = pathname.match(/^\/(wishbone[\w-]*\.m?js)$/)?.[1];
    if (file) return reply(200, "text/javascript", await readFile(new URL(file, DIST)));
    const theme = pathname.match(/^\/pages\/([\w-]+)$/)?.[1];
    if (theme) return reply(200, "text/html", await page(theme));
    const body = await bodyOf(request);
    shop.calls.push(`${request.method} ${pathname}${body && ` ${body}`}`);
    const answer = !shop.isDown && routes[pathname]?.(Object.fromEntries(new URLSearchParams(body)));
    if (answer) return reply(answer[0], "application/json", JSON.stringify(answer[1]));
    reply(404, "text/html", "<h1>Not found</h1>");
  });

  let attributes = {};

  /** The theme's file, with the tag in the place where it had the old one. */
  async function page(name) {
    const html = await readFile(new URL(`${name}.html`, THEMES), "utf8").catch(() => "<!doctype html><title>Other page</title>");
    const all = { store: store.pid, base: proxy.url, global: "_old", "legacy-prefix": "Old", ...attributes };
    const pairs = Object.entries(all).map(([key, value]) => ` data-${key}="${escape(value)}"`);
    return html.replace("<!-- script tag -->", `<script src="/wishbone.js"${pairs.join("")}></script>`);
  }

  /** Opens a theme; in a fresh profile unless a context is given. Waits until the layer is there. */
  async function visit(name, options = {}) {
    attributes = options.attributes || {};
    const page = await (options.context || (await browser.newContext())).newPage();
    const uncaught = [];
    const complaints = [];
    page.on("pageerror", (error) => uncaught.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    if (options.prepare) await page.addInitScript(options.prepare);
    await page.goto(`${server.url}/pages/${name}`);
    if (options.waits !== false) await ready(page);
    return Object.assign(page, { uncaught, complaints });
  }

  return Object.assign(shop, { visit, url: server.url, close: server.close });
}

export const ready = (page) => page.waitForFunction(() => window._old?.initializeActionButtons);

/** Waits until no change is on its way to the server. */
export const sent = (page) => page.waitForFunction(() => window._old.queued().length === 0);

/** Calls a function of the API with callbacks, as themes do; gives what its callback got, or fails with the error. */
export async function call(page, name, ...args) {
  const { ok, err } = await outcome(page, name, args);
  assert.equal(err, undefined, `${name}: ${JSON.stringify(err)}`);
  return ok;
}

/** The same, for a call that must fail: what its error callback got. */
export async function failure(page, name, ...args) {
  const { err } = await outcome(page, name, args);
  assert.ok(err, `${name} must fail`);
  return err;
}

function outcome(page, name, args) {
  return page.evaluate(([name, args]) => {
    const names = name.split(".");
    const last = names.pop();
    const object = names.reduce((one, key) => one[key], window._old);
    return new Promise((resolve) => {
      const read = ({ message, description, status, code }) => resolve({ err: { message, description, status, code } });
      object[last](...args, (ok) => resolve({ ok }), read);
    });
  }, [name, args]);
}
