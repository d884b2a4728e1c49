// The recipe for Shopify themes, as it is written in docs/recipes/liquid.md, with a real browser and Wishbone server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openFixture } from "./support/fixture.mjs";
import { closedPort } from "./support/http.mjs";
import { filesOf } from "./support/recipes.mjs";
import { ADMIN_TOKEN, APP_SECRET, openShopify, signed } from "./support/shopify.mjs";

const DIST = new URL("../dist/wishbone.js", import.meta.url);
const CUSTOMERS = { 41: "ann@example.com", 42: "o'bob+1@example.com" };
let fixture, shopify, app;

before(async () => {
  fixture = await openFixture();
  const recipe = await filesOf("liquid.md");
  const settings = { "<pid>": fixture.store.pid, "https://lists.example": fixture.proxy.url };
  const filled = (text) => text.replace(/<pid>|https:\/\/lists\.example/g, (name) => settings[name]);
  const theme = Object.fromEntries(Object.entries(recipe).map(([path, text]) => [path, filled(text)]));
  const metafields = { wishbone: { login_secret: { value: fixture.store.loginsecret } } };
  shopify = await openShopify({ theme, customers: CUSTOMERS, metafields });
  app = await startApp({ ...(await filesOf("node.md")), "shop.mjs": recipe["shop.mjs"], "queue.mjs": "export function enqueue() {}" });
  shopify.app = app.url;
});

after(async () => {
  await app?.stop();
  await shopify?.close();
  await fixture?.close();
});

/** The server behind the app proxy. */
async function startApp(files) {
  const folder = await mkdtemp(join(tmpdir(), "wishbone-app-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const url = await closedPort();
  const { port } = new URL(url);
  const env = {
    ...process.env,
    PORT: port,
    WISHBONE_URL: fixture.server.url,
    WISHBONE_PID: fixture.store.pid,
    WISHBONE_API_KEY: fixture.store.apikey,
    WISHBONE_LOGIN_SECRET: fixture.store.loginsecret,
    SHOPIFY_APP_SECRET: APP_SECRET,
    SHOPIFY_ADMIN_TOKEN: ADMIN_TOKEN,
    SHOPIFY_ADMIN_URL: `${shopify.url}/admin`,
  };
  const child = spawn(process.execPath, ["server.mjs"], { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  while (child.exitCode === null && !(await listens(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(child.exitCode, null, "server.mjs ended");
  return {
    url,
    async stop() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });

/** Opens a page of the theme as a customer, or as a guest. */
async function visit(snippet, customer, context) {
  const page = await (context ?? (await fixture.browser.newContext())).newPage();
  page.uncaught = [];
  page.on("pageerror", (error) => page.uncaught.push(error.message));
  await page.context().clearCookies();
  if (customer) await page.context().addCookies([{ name: "customer", value: customer, url: shopify.url }]);
  // The script of this working copy, at the address of the server.
  const script = await readFile(DIST, "utf8");
  await page.route(`${fixture.proxy.url}/sdk/wishbone.js`, (route) => route.fulfill({ contentType: "text/javascript", body: script }));
  await page.goto(`${shopify.url}/${snippet}`);
  await page.waitForFunction(() => window.wishbone?.version);
  return page;
}

const add = (page, epi) => page.evaluate((epi) => wishbone.items.add({ epi, empi: 1, du: "/p" }), epi);
const identity = (page) => page.evaluate(() => wishbone.shopper.current());
const loggedIn = (page) => page.waitForFunction(() => localStorage.getItem("wishbone-customer"));
const episOf = async (email) => (await fixture.lists(await fixture.shopper(email))).flatMap(({ epis }) => epis).sort();

test("the stand-in for the filter returns what Shopify documents", async () => {
  // https://shopify.dev/docs/api/liquid/filters/hmac_sha256
  const shop = await openShopify({ theme: { "snippets/x.liquid": "{{ 'Polyjuice' | hmac_sha256: 'Polina' }}", "snippets/wishbone.liquid": "" }, customers: {} });
  try {
    const html = await (await fetch(`${shop.url}/x`)).text();
    assert.match(html, /8e0d5d65cff1242a4af66c8f4a32854fd5fb80edcc8aabe9b302b29c7c71dc20/);
  } finally {
    await shop.close();
  }
});

for (const [index, snippet] of ["wishbone-token", "wishbone-token-signed"].entries()) {
  test(`${snippet}: a guest logs in, somebody else logs in, and out`, async () => {
    const guest = await visit(snippet);
    await add(guest, 10 + index);
    assert.equal((await identity(guest)).from, "guest");

    const ann = await visit(snippet, "41", guest.context());
    await loggedIn(ann);
    assert.equal((await identity(ann)).regid, (await fixture.shopper(CUSTOMERS[41])).regid);
    assert.ok((await episOf(CUSTOMERS[41])).includes(10 + index), "the guest's list is hers");
    fixture.proxy.calls.length = 0;
    const again = await visit(snippet, "41", guest.context());
    await again.evaluate(() => wishbone.lists.fetch());
    assert.deepEqual(fixture.proxy.of("lists/user-validate-sync"), [], "once per login");

    const bob = await visit(snippet, "42", guest.context());
    await bob.waitForFunction(() => localStorage.getItem("wishbone-customer") === "42");
    assert.equal((await identity(bob)).regid, (await fixture.shopper(CUSTOMERS[42])).regid);
    assert.deepEqual(await episOf(CUSTOMERS[42]), [], "nothing of hers");

    const nobody = await visit(snippet, "", guest.context());
    assert.equal(await identity(nobody), null);
    for (const page of [guest, ann, bob, nobody]) assert.deepEqual(page.uncaught, []);
  });
}

test("the cart keeps no regid, and what a page puts there cannot move the borders of the signed fields", async () => {
  assert.deepEqual(shopify.cart.attributes, { wishbone_regid: "" });
  assert.match(shopify.updates[0].wishbone_regid, /^[\w-]+$/);
  const page = await visit("wishbone-token-signed", "41");
  await loggedIn(page);
  const sections = await page.evaluate(async () => {
    const body = JSON.stringify({ attributes: { wishbone_regid: "a\nb" }, sections: "wishbone-token" });
    return (await (await fetch("/cart/update.js", { method: "POST", body })).json()).sections;
  });
  const [, expires, token] = sections["wishbone-token"].match(/data-expires="(\d+)"\s+data-token="(\w+)"/);
  const message = [fixture.store.pid, "ab", "41", CUSTOMERS[41], expires].join("\n");
  assert.equal(token, createHmac("sha256", fixture.store.loginsecret).update(message).digest("hex"));
});

test("without the metafield nothing is signed, the guest stays, and the console says why", async () => {
  const { metafields } = shopify;
  shopify.metafields = {};
  try {
    const context = await fixture.browser.newContext();
    const told = new Promise((resolve) => context.on("console", (message) => message.type() === "error" && resolve(message.text())));
    const page = await visit("wishbone-token-signed", "41", context);
    assert.match(await told, /wishbone\.login_secret/);
    assert.equal((await identity(page)).from, "guest");
    assert.deepEqual(page.uncaught, []);
  } finally {
    shopify.metafields = metafields;
  }
});

test("the server behind the app proxy trusts Shopify's signature only", async () => {
  const { regid } = await fixture.guest();
  const ask = async (query) => {
    const answer = await fetch(`${app.url}/wishbone-token?${query}`, { method: "POST", body: new URLSearchParams({ regid }) });
    return answer.status;
  };
  const customer = { logged_in_customer_id: "41" };
  const forged = signed(customer);
  forged.set("logged_in_customer_id", "42");
  assert.equal(await ask(signed(customer)), 200);
  assert.equal(await ask(signed({ ...customer, page: "a b&c=d" })), 200);
  assert.equal(await ask(forged), 401);
  assert.equal(await ask(signed(customer, "another secret")), 401);
  assert.equal(await ask(new URLSearchParams(customer)), 401);
  assert.equal(await ask(signed({ logged_in_customer_id: "" })), 401, "nobody is logged in");
  assert.equal(await ask(signed({ ...customer, timestamp: Math.floor(Date.now() / 1000) - 120 })), 401, "an old one");
});
