// A store of its own on a real server, a proxy that can fail, and a shop whose pages use the committed script.
import { createHmac, randomUUID } from "node:crypto";
import { launch, openShop } from "./browser.mjs";
import { openProxy } from "./proxy.mjs";
import { plainServer } from "./server.mjs";

/** `more`: further arguments of `wishbone store create`. */
export const openFixture = async (...more) => openFixtureIn(await launch(), ...more);

/** The same in a browser that is running; it is closed with the rest. */
export async function openFixtureIn(browser, ...more) {
  const server = await plainServer();
  const store = await server.store("--enable", "save-for-later", "--enable", "subscriptions", ...more);
  const proxy = await openProxy(server.url);
  const shop = await openShop(browser);
  const attributes = { store: store.pid, base: proxy.url };

  /** Opens a page of the shop; `wishbone` events are gathered in `window.seen`. */
  async function visit(options = {}) {
    const page = await shop.visit({
      ...options,
      attributes: { ...attributes, ...options.attributes },
      before: `<script>
        window.seen = [];
        window.wishbone = {q: []};
        wishbone.q.push(function (w) { w.on("*", function (detail, name) { seen.push([name, detail]); }); });
      </script>${options.before || ""}`,
    });
    return page;
  }

  /** A call of a shopper's other device. */
  async function call({ regid, sessionid }, path, fields = {}) {
    const address = `${server.url}/api/v3/${path}?pid=${encodeURIComponent(store.pid)}`;
    const texts = Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
    const body = new URLSearchParams([...Object.entries({ regid, sessionid }), ...texts]);
    return (await fetch(address, { method: "POST", body })).json();
  }

  /** A call of the store's server. */
  const admin = (path, fields) => send(path, new URLSearchParams(fields));

  /** What the store's server says of variants: all of them, with stock. */
  const upsert = (products) => send("products/upsert", JSON.stringify({ products }), { "content-type": "application/json" });

  async function send(path, body, headers) {
    const authorization = `Basic ${Buffer.from(`${store.pid}:${store.apikey}`).toString("base64")}`;
    const answer = await fetch(`${server.url}/storeadmin/v3/${path}`, { method: "POST", headers: { authorization, ...headers }, body });
    return answer.json();
  }

  return {
    server,
    store,
    proxy,
    shop,
    browser,
    visit,
    call,
    admin,
    upsert,
    /** The identity of a logged-in shopper, as a shop's server asks for it. */
    shopper: (useremail) => admin("user/generate-regid", { useremail }),
    guest: () => admin("user/generate-regid", { uuid: randomUUID() }),
    revoke: (useremail) => admin("user/revoke-sessions", { useremail }),
    /** What a shop's server signs for a guest who has logged in. */
    token(regid, useremail, { expires = Date.now() + 60_000, extuid = "42" } = {}) {
      const message = [store.pid, regid, extuid, useremail, expires].join("\n");
      return { extuid, useremail, expires, token: createHmac("sha256", store.loginsecret).update(message).digest("base64url") };
    },
    /** Lists and items as another device of the shopper sees them. */
    async lists(shopper) {
      const [lists, saved] = [await call(shopper, "lists/fetch-lists"), await call(shopper, "lists/fetch-lists", { lty: "sfl" })];
      return [...lists, ...saved].map(({ lname, lty, lid, listcontents }) => ({ lname, lty, lid, epis: listcontents.map(({ epi }) => epi) }));
    },
    async close() {
      await browser.close();
      await shop.close();
      await proxy.close();
      await server.stop();
    },
  };
}

/** Names of the events that a page has seen. */
export const names = (page) => page.evaluate(() => seen.map(([name]) => name));

/** Waits until the page has seen the event. */
export const sees = (page, name) => page.waitForFunction((name) => seen.some(([one]) => one === name), name);
