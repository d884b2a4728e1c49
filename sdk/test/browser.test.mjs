// The committed script in a real browser, on a shop's page, against a real server of another origin.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { launch, openShop, outcome } from "./support/browser.mjs";
import { failed, succeeded } from "./support/expect.mjs";
import { demoServer } from "./support/server.mjs";

let server, browser, shop, src, loggedIn;

before(async () => {
  server = await demoServer();
  src = `${server.url}/sdk/wishbone.js`;
  loggedIn = { store: server.pid, regid: server.regid, sessionid: server.sessionid };
  browser = await launch();
  shop = await openShop(browser);
});

after(async () => {
  await shop?.close();
  await browser?.close();
  await server?.stop();
});

const FIELDS = "lty lid lname cts uts cby uby cfor uid pid di st id _pkey _t lhash".split(" ");

function areTheShoppersLists(result) {
  assert.equal(result.status, "success");
  assert.ok(Array.isArray(result.data) && result.data.length > 0, "the test shopper has at least one list");
  for (const list of result.data) {
    for (const field of FIELDS) assert.ok(field in list, `${field} in ${JSON.stringify(list)}`);
    assert.ok(!("listcontents" in list), "lists come without their items");
    assert.equal(list.pid, server.pid);
  }
}

test("the server serves the committed script, and the same as a module", async () => {
  for (const file of ["wishbone.js", "wishbone.mjs"]) {
    const response = await fetch(`${server.url}/sdk/${file}`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^(text|application)\/javascript/);
    assert.equal(await response.text(), await readFile(new URL(`../dist/${file}`, import.meta.url), "utf8"));
  }
});

test("a logged-in shopper's lists, configured by the script tag", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  areTheShoppersLists(succeeded(await outcome(page)));
  assert.deepEqual(page.uncaught, []);
});

test("the same under another global name, and only that one", async () => {
  const page = await shop.visit({ src, attributes: { ...loggedIn, global: "swat" } });
  areTheShoppersLists(succeeded(await outcome(page, { global: "swat" })));
  assert.equal(await page.evaluate(() => typeof window.wishbone), "undefined");
});

test("the same through init", async () => {
  const page = await shop.visit({ src });
  failed(await outcome(page), { code: "not-configured", httpStatus: 0, retryable: false });
  await page.evaluate((options) => wishbone.init(options), loggedIn);
  areTheShoppersLists(succeeded(await outcome(page)));
});

test("without callbacks a call returns a Promise", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  areTheShoppersLists(await page.evaluate(() => wishbone.wishlist.fetchUserLists()));
  const code = await page.evaluate(() => {
    wishbone.init({ regid: "wrong", sessionid: "wrong-too" });
    return wishbone.wishlist.fetchUserLists().catch((error) => error.code);
  });
  assert.equal(code, "bad-regid");
});

test("a wrong regid is an error, never a guest's empty lists", async () => {
  const page = await shop.visit({ src, attributes: { ...loggedIn, regid: "x".repeat(64) } });
  const error = failed(await outcome(page), { code: "bad-regid", httpStatus: 401, retryable: false });
  assert.match(error.message, /init\(\)/);
  assert.notEqual(error.requestId, "", "x-request-id is readable from the shop's origin");
  assert.equal(await page.evaluate(() => localStorage.length), 0);
});

test("an unknown store is an error, for a guest too", async () => {
  const page = await shop.visit({ src, attributes: { store: `${"A".repeat(43)}=` } });
  failed(await outcome(page), { code: "unknown-store", httpStatus: 401 });
});

test("a guest has lists of its own and stays the same guest on the next page", async () => {
  const context = await browser.newContext();
  const page = await shop.visit({ src, attributes: { store: server.pid }, context });
  assert.deepEqual(succeeded(await outcome(page)), { status: "success", data: [] });
  const stored = (from) => from.evaluate(() => JSON.stringify(localStorage));
  const first = await stored(page);
  assert.match(first, /regid/);

  const next = await shop.visit({ src, attributes: { store: server.pid }, context });
  succeeded(await outcome(next));
  assert.equal(await stored(next), first);
});

test("calls at the same time register one guest", async () => {
  const page = await shop.visit({ src, attributes: { store: server.pid } });
  const registrations = [];
  page.on("request", (request) => request.url().includes("/provider/register") && registrations.push(request.url()));
  const outcomes = await Promise.all([outcome(page), outcome(page), outcome(page)]);
  outcomes.forEach(succeeded);
  assert.equal(registrations.length, 1);
});

test("a stored guest that the server does not know is replaced, once, unseen by the page", async () => {
  const page = await shop.visit({ src, attributes: { store: server.pid } });
  succeeded(await outcome(page));
  const spoil = () => {
    const key = Object.keys(localStorage)[0];
    localStorage.setItem(key, JSON.stringify({ regid: "z".repeat(64), sessionid: "spoiled-session" }));
  };
  await page.evaluate(spoil);
  const outcomes = await Promise.all([outcome(page), outcome(page)]);
  outcomes.forEach((one) => assert.deepEqual(succeeded(one).data, []));
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), /spoiled/);
});

test("a guest works where storage is forbidden", async () => {
  const forbid = () =>
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("forbidden", "SecurityError");
      },
    });
  const page = await shop.visit({ src, attributes: { store: server.pid }, prepare: forbid });
  assert.deepEqual(succeeded(await outcome(page)).data, []);
  assert.deepEqual(succeeded(await outcome(page)).data, []);
  assert.deepEqual(page.uncaught, []);
});

test("a guest is told to log in where a call needs it", async () => {
  const page = await shop.visit({ src, attributes: { store: server.pid } });
  const options = { lid: "00000000-0000-4000-8000-000000000000" };
  failed(await outcome(page, { method: "fetchUserList", options }), { code: "user-not-logged-in", httpStatus: 401 });
});

test("after logout nothing of the shopper is left", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  areTheShoppersLists(succeeded(await outcome(page)));
  await page.evaluate(() => wishbone.logout());
  assert.deepEqual(succeeded(await outcome(page)).data, [], "the next one is nobody yet");
  const stored = () => page.evaluate(() => JSON.stringify(localStorage));
  const guest = await stored();
  await page.evaluate(() => wishbone.logout());
  assert.equal(await stored(), "{}");
  succeeded(await outcome(page));
  assert.notEqual(await stored(), guest, "and another one than before");
});

test("a call that a change of shopper overtakes fails, and the next one is the new shopper's", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  for (const [change, ...args] of [["logout"], ["init", { regid: "", sessionid: "" }]]) {
    await page.evaluate((options) => wishbone.init(options), loggedIn);
    failed(await outcome(page, { meanwhile: [change, ...args] }), { code: "identity-changed", retryable: true });
    assert.deepEqual(succeeded(await outcome(page)).data, []);
  }
});

test("init with the same shopper disturbs no call", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  areTheShoppersLists(succeeded(await outcome(page, { meanwhile: ["init", loggedIn] })));
});

test("following next to the end gives every item of every list once", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  const lists = succeeded(await outcome(page)).data;
  let items = 0;
  for (const { lid } of lists) {
    const paged = await page.evaluate(async (lid) => {
      const seen = [];
      let next = null;
      do {
        const answer = await wishbone.wishlist.fetchUserList({ lid, next });
        seen.push(...answer.data.listcontents.map((item) => item.epi));
        next = answer.pagination.next;
      } while (next);
      return seen;
    }, lid);
    const whole = succeeded(await outcome(page, { method: "fetchListWithContents", options: { lid } }));
    assert.equal(whole.list.lid, lid);
    assert.deepEqual(paged, whole.items.map((item) => item.epi));
    assert.equal(new Set(paged).size, paged.length);
    items += paged.length;
  }
  assert.ok(items > 0, "the test shopper has at least one item");
});

test("limit and offset reach the server", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  const whole = await page.evaluate(async () => {
    for (const { lid } of (await wishbone.wishlist.fetchUserLists()).data) {
      const { items } = await wishbone.wishlist.fetchListWithContents({ lid });
      if (items.length > 0) return { lid, items };
    }
  });
  const of = async (limit, offset) => {
    const options = { lid: whole.lid, limit, offset };
    const { items } = succeeded(await outcome(page, { method: "fetchListWithContents", options }));
    return items.map((item) => item.id);
  };
  const ids = whole.items.map((item) => item.id);
  assert.deepEqual(await of(0, 0), []);
  assert.deepEqual(await of(1, 0), ids.slice(0, 1));
  assert.deepEqual(await of(2, 1), ids.slice(1, 3));
});

test("a call without its list says which parameter is missing", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  for (const method of ["fetchUserList", "fetchListWithContents"]) {
    for (const options of [{}, null]) {
      const error = failed(await outcome(page, { method, options }), { code: "missing-parameter", httpStatus: 400 });
      assert.match(error.message, /lid/);
    }
  }
});

test("work queued before the script was there runs once, in order, with the real object", async () => {
  const before = `<script>
    window.ran = [];
    window.wishbone = window.wishbone || {q: []};
    wishbone.q.push(function (w) { ran.push(["first", typeof w.wishlist.fetchUserLists]); });
    wishbone.q.push(function () { throw new Error("the page's own mistake"); });
    wishbone.q.push("not a function");
    wishbone.q.push(function (w) { ran.push(["last", w === window.wishbone]); });
  </script>`;
  const page = await shop.visit({ src, attributes: loggedIn, before });
  await page.evaluate(() => new Promise((resolve) => wishbone.q.push(() => resolve(ran.push(["late"])))));
  assert.deepEqual(await page.evaluate(() => ran), [["first", "function"], ["last", true], ["late"]]);
  assert.deepEqual(page.uncaught, ["the page's own mistake"]);
});

test("the script included twice is one client", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  const same = await page.evaluate(async (src) => {
    const first = window.wishbone;
    const script = Object.assign(document.createElement("script"), { src });
    await new Promise((resolve) => ((script.onload = resolve), document.head.append(script)));
    return first === window.wishbone;
  }, src);
  assert.ok(same);
  areTheShoppersLists(succeeded(await outcome(page)));
});

test("what only a second tag of the script asks for is loaded", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  const callbacks = await page.evaluate(async (src) => {
    const script = Object.assign(document.createElement("script"), { src });
    Object.assign(script.dataset, { load: "elements", legacyPrefix: "Old" });
    await new Promise((resolve) => ((script.onload = resolve), document.head.append(script)));
    await customElements.whenDefined("wishbone-heart");
    return new Promise((resolve) => OldCallbacks.push((api) => resolve(api === window.wishbone)));
  }, src);
  assert.ok(callbacks);
});

test("an error in the page's onSuccess is the page's: uncaught, and onError is not called", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  const calls = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const seen = [];
        const onSuccess = () => {
          seen.push("success");
          setTimeout(() => resolve(seen), 150);
          throw new Error("thrown in onSuccess");
        };
        wishbone.wishlist.fetchUserLists(onSuccess, () => seen.push("error"));
      }),
  );
  assert.deepEqual(calls, ["success"]);
  assert.deepEqual(page.uncaught, ["thrown in onSuccess"]);
});

test("one callback may be missing, or be no function", async () => {
  const page = await shop.visit({ src, attributes: loggedIn });
  const results = await page.evaluate(async () => {
    const { wishlist } = wishbone;
    const success = await new Promise((resolve) => wishlist.fetchUserLists((result) => resolve(result.status)));
    wishlist.fetchUserLists(null, () => {});
    wishlist.fetchUserLists(() => {}, "no function");
    wishbone.init({ regid: "wrong", sessionid: "wrong-too" });
    const error = await new Promise((resolve) => wishlist.fetchUserLists(undefined, (error) => resolve(error.code)));
    wishlist.fetchUserLists(() => {});
    await new Promise((resolve) => setTimeout(resolve, 150));
    return [success, error];
  });
  assert.deepEqual(results, ["success", "bad-regid"]);
  assert.deepEqual(page.uncaught, []);
});
