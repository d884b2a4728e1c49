// The compatibility layer: how themes find it, its events and helpers, and that nothing of the client's own API changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, failure, ready, sent, useThemes } from "./support/theme.mjs";

const LAMP = { epi: "4711", empi: "47", du: "https://shop.example/products/lamp", dt: "Desk lamp", pr: 39.9, vi: "Brass" };
const themes = useThemes();
const { visit, shopper } = themes;

test("callbacks run in order once the script is ready, later ones at once, and one that throws stops none", async () => {
  const page = await visit("empty", {
    prepare: () => {
      window.log = [];
      window.OldCallbacks = [
        (swat) => log.push(["first", swat === window._old]),
        () => {
          throw new Error("a theme's own mistake");
        },
        "not a function",
        (swat) => {
          swat.evtLayer.addEventListener("sw:configLoaded", () => log.push(["configLoaded"]));
          window.OldCallbacks.push(() => log.push(["from a callback"]));
          log.push(["last"]);
        },
      ];
      window.kept = window.OldCallbacks;
    },
  });
  await page.evaluate(() => {
    kept.push(() => log.push(["kept"]), () => log.push(["second"]));
    window.OldCallbacks.push((swat) => {
      log.push(["late", typeof swat.addToWishList]);
      throw new Error("another mistake");
    });
    log.push(["after the push"]);
  });
  assert.deepEqual(await page.evaluate(() => log), [
    ["first", true],
    ["from a callback"],
    ["last"],
    ["configLoaded"],
    ["kept"],
    ["second"],
    ["late", "function"],
    ["after the push"],
  ]);
  assert.match(page.complaints.join(), /a theme's own mistake.*another mistake/s);
});

test("the API of the client is as it was, under the name that the tag gives it", async () => {
  const modern = await themes.fixture.shop.visit({ attributes: { store: themes.fixture.store.pid, base: themes.fixture.proxy.url } });
  const shape = (name) => (page) =>
    page.evaluate((name) => {
      const client = window[name];
      return Object.keys(client).map((key) => [key, typeof client[key], Object.keys(Object(client[key])).sort()]);
    }, name);
  const before = await shape("wishbone")(modern);
  const page = await visit("empty");
  const after = new Map((await shape("_old")(page)).map(([key, ...rest]) => [key, rest]));
  for (const [key, type, keys] of before) {
    const [typeNow, keysNow] = after.get(key);
    assert.equal(typeNow, type, key);
    assert.deepEqual(keysNow.filter((one) => !one.startsWith("getSocialCount")), keys, key);
  }
  const { data } = await page.evaluate(() => new Promise((resolve, reject) => _old.wishlist.fetchUserLists(resolve, reject)));
  assert.deepEqual(data, []);
  assert.equal(await page.evaluate(() => typeof window.wishbone), "undefined");
});

test("the API object appears with all its functions, and new code can queue for it", async () => {
  const page = await visit("empty", {
    prepare: () => {
      const look = setInterval(() => {
        if (!window._old?.version) return;
        clearInterval(look);
        window.seen = [typeof _old.fetch, typeof _old.ui.open, typeof _old.items.add];
      }, 0);
      window._old = { q: [(client) => (window.queued = typeof client.fetch)] };
    },
  });
  await page.waitForFunction(() => window.seen && window.queued);
  assert.deepEqual(await page.evaluate(() => [seen, queued]), [["function", "function", "function"], "function"]);
});

test("a function that a theme has replaced before the script arrives stays replaced", async () => {
  const page = await visit("empty", { prepare: () => (window.OldUtils = { getHostedURL: () => "/account/login" }) });
  const seen = await page.evaluate(() => [OldUtils.getHostedURL(), _old.utils === OldUtils, OldUtils.renderTemplateString("{{a}}", { a: 1 })]);
  assert.deepEqual(seen, ["/account/login", true, "1"]);
});

test("a tag that is included twice is one layer", async () => {
  const page = await visit("collection");
  await page.evaluate(() => {
    const [tag] = document.querySelectorAll("script[data-store]");
    const again = document.createElement("script");
    for (const { name, value } of tag.attributes) again.setAttribute(name, value);
    return new Promise((resolve) => ((again.onload = resolve), document.head.append(again)));
  });
  await page.click("#shirt");
  await page.locator("#shirt.old-added").waitFor();
  await sent(page);
  assert.deepEqual((await call(page, "fetch")).map(({ epi }) => epi), [4801]);
});

test("without the layer's file the client itself still works", async () => {
  const context = await themes.fixture.browser.newContext();
  await context.route("**/wishbone-legacy.mjs", (route) => route.abort());
  const page = await visit("empty", { context, waits: false });
  await page.waitForFunction(() => window._old);
  assert.deepEqual(await page.evaluate(() => _old.items.contains(1)), []);
  assert.match(page.complaints.join(), /wishbone-legacy\.mjs could not be loaded/);
});

test("other names: prefix, global and command come from the tag", async () => {
  const page = await visit("empty", {
    attributes: { global: "_lists", "legacy-prefix": "Acme", "legacy-command": "_acme" },
    prepare: () => addEventListener("DOMContentLoaded", () => _acme("Callback", () => initAcmeShopify())),
    waits: false,
  });
  await page.waitForFunction(() => window._lists?.initializeActionButtons);
  const types = await page.evaluate(() =>
    [AcmeCallbacks.push, AcmeUtils.renderTemplateString, AcmeViewProducts, AcmePageData, AcmeProductVariants, _acme].map((one) => typeof one),
  );
  assert.deepEqual(types, ["function", "function", "object", "object", "object", "function"]);
});

for (const order of ["before", "after"]) {
  test(`a generated page that runs ${order} the tag: commands, page data, identity`, async () => {
    const context = await themes.fixture.browser.newContext();
    await context.addCookies([{ name: "cart", value: "c%201", url: themes.shop.url }]);
    const after = order === "after";
    const page = await visit("product", { context, ...(after && { prepare: () => (window.runsAfterTheTag = true) }) });
    await page.waitForFunction(() => oldLog.includes("configLoaded"));
    assert.deepEqual(await page.evaluate(() => oldLog.filter((one) => one !== "DOM")), ["callback", "configLoaded"]);
    await page.waitForFunction(() => oldLog.includes("DOM"));
    assert.equal(await page.evaluate(() => _old.settings.store), themes.fixture.store.pid, "the tag's store stays");

    await page.click("#heart");
    await page.locator("#heart.old-added").waitFor();
    await sent(page);
    const { regid, sessionid } = await page.evaluate(() => _old.shopper.current());
    assert.deepEqual(await page.evaluate(() => oldGetCartCookies()), { token: "t", regid, session: sessionid, cart: "c 1" });
    const [item] = await call(page, "fetch");
    assert.deepEqual([item.epi, item.empi, item.dt, item.vi, item.pr], [4711, 47, "Desk lamp", "Brass", 39.9]);

    // A part of the page that is loaded later.
    await page.evaluate(() => oldShopLoad());
    assert.equal(await page.evaluate(() => oldLog.filter((one) => one === "callback").length), 2);
  });
}

test("the command function names the store where the tag does not", async () => {
  const page = await visit("empty", { attributes: { store: "" }, waits: false });
  await page.evaluate((pid) => _swrc("RetailerId", pid), themes.fixture.store.pid);
  await ready(page);
  assert.equal(await page.evaluate(() => _old.settings.store), themes.fixture.store.pid);
});

test("events have the product, and are about this tab only", async () => {
  const context = await themes.fixture.browser.newContext();
  const [page, other] = [await visit("collection", { context }), await visit("collection", { context })];
  await call(page, "addToWishList", LAMP);
  await page.waitForFunction(() => window.events?.length === 1);
  await other.locator("#lamp.old-added").waitFor();
  await call(page, "removeFromWishList", LAMP);
  await page.waitForFunction(() => events.length === 2);
  const seen = await page.evaluate(() => events.map(([name, { epi, empi, du, et, cu, variants }]) => ({ name, epi, empi, du, et, cu, variants })));
  const record = { epi: 4711, empi: 47, du: LAMP.du, et: 4, cu: "", variants: '[{"Brass":4711}]' };
  assert.deepEqual(seen, [{ name: "added", ...record }, { name: "removed", ...record }]);
  await other.locator("#lamp:not(.old-added)").waitFor();
  assert.equal(await other.evaluate(() => window.events), undefined);
  assert.deepEqual(await page.evaluate(() => _old.JSEvents), {
    addedToWishlist: "sw:addedtowishlist",
    removedFromWishlist: "sw:removedfromwishlist",
    UIAddedToCart: "sw:addedtocart",
    UIAddedAllToCart: "sw:addedallToCart",
    addedalltocart: "sw:addedalltocart",
    variantChanged: "sw:variantChanged",
    configLoaded: "sw:configLoaded",
  });
});

test("counts: written into an element, as a number, and as data", async () => {
  const page = await visit("collection");
  await page.locator("#count.hidden", { hasText: "0" }).waitFor({ state: "attached" });
  await call(page, "addToWishList", LAMP);
  await page.locator("#count:not(.hidden)", { hasText: "1" }).waitFor();
  assert.equal(await call(page, "wishlistCount"), 1);
  assert.deepEqual(await call(page, "fetchWishlistCount"), { data: { count: 1 } });
  assert.deepEqual(await call(page, "fetchWishlistCount", {}), { data: { count: 1 } });
  // An element that is not on this page.
  assert.equal(await page.evaluate(() => _old.renderWishlistCount(null, "")), 1);
});

test("social counts, from the product page", async () => {
  const other = await visit("empty");
  await call(other, "addToWishList", LAMP);
  const page = await visit("product");
  await page.waitForFunction(() => Number(document.getElementById("social").textContent) > 0);
  const { data } = await call(page, "wishlist.getSocialCount", { empi: "47" });
  assert.deepEqual([data.empi, data.count], [47, Number(await page.textContent("#social"))]);
  assert.match((await failure(page, "wishlist.getSocialCount", undefined)).description, /empi must be an integer/);
});

test("who the shopper is: guest, customer of the shop, logged in, and out again", async () => {
  const guest = await visit("empty");
  assert.deepEqual(await guest.evaluate(async () => [_old.platform.isLoggedIn(), await _old.authCheck()]), [false, { authn: false }]);
  await guest.evaluate(() => (window.oldCustomerId = 12));
  assert.equal(await guest.evaluate(() => _old.platform.isLoggedIn()), true);

  const identity = await shopper();
  const page = await visit("empty", { attributes: identity });
  await call(page, "saveShopperContext", { fname: "Ann", lname: "Lee" });
  await call(page, "addToWishList", LAMP);
  const { authn, email } = await call(page, "authCheck");
  assert.deepEqual([authn, email], [true, identity.email]);
  await call(page, "disconnectShopperContext");
  assert.deepEqual(await page.evaluate(() => [_old.platform.isLoggedIn(), _old.get(_old.key.REGID)]), [false, null]);
});

test("storage of a theme: stored, read as text and as value, and kept where the browser forbids it", async () => {
  const use = () => {
    _old.storage.set("seen", { tour: 1 });
    _old.storage.set("name", "Ann");
    _old.storage.set("gone", "soon");
    _old.storage.set("gone", undefined);
    const { storage } = _old;
    const raw = ["seen", "gone", "nothing"].map(storage.getRaw);
    return [storage.get("seen"), storage.get("name"), ...raw, storage.getSessionId()];
  };
  const expected = [{ tour: 1 }, "Ann", '{"tour":1}', null, null, ""];
  const page = await visit("empty");
  assert.deepEqual(await page.evaluate(use), expected);
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(() => _old.storage.get("seen")), { tour: 1 });
  const { forbid } = await import("./support/pages.mjs");
  assert.deepEqual(await (await visit("empty", { prepare: forbid })).evaluate(use), expected);
});

test("currency, prices, query parameters, settings of the shop", async () => {
  const page = await visit("empty");
  const seen = await page.evaluate(() => {
    const price = (pr) => OldUtils.formatProductPrice({ pr }).pr;
    const before = [_old.currency, price(5)];
    _old.setCurrency("jpy");
    const product = { pr: "1234.5" };
    return {
      before,
      currency: _old.currency,
      same: OldUtils.formatProductPrice(product) === product,
      product,
      unknown: [price(null), price(undefined), price("on request")],
      query: [
        _old.utils.getEncodedAsObject("?lid=a%20b&page=2"),
        _old.utils.getEncodedAsObject("https://shop.example/pages/x?lid=1#top"),
        _old.utils.getEncodedAsObject(""),
      ],
      collections: [_old.isCollectionsEnabled(), (_old.retailerSettings.Wishlist.EnableCollections = true), _old.isCollectionsEnabled()],
      launcher: (_old.retailerSettings.UI.LauncherOpenHosted = "popup"),
    };
  });
  assert.deepEqual(seen, {
    before: ["", "5.00"],
    currency: "¥",
    same: true,
    product: { pr: "1235", cu: "¥" },
    unknown: ["", "", "on request"],
    query: [{ lid: "a b", page: "2" }, { lid: "1" }, {}],
    collections: [false, true, true],
    launcher: "popup",
  });
});

test("notifications are text, without the tags of one that is HTML, for screen readers too", async () => {
  const page = await visit("empty");
  await page.evaluate(() => {
    _old.ui.showErrorNotification({ message: "<img src=x onerror=alert(1)> failed" });
    _old.ui.uiRef.showSuccessNotification({ message: "Saved" });
  });
  assert.equal(await page.getByRole("alert").textContent(), "failed");
  assert.equal(await page.getByRole("status").textContent(), "Saved");
  const shown = (message) =>
    page.evaluate((message) => {
      _old.ui.showSuccessNotification({ message });
      return [...document.querySelectorAll('[role="status"]')].pop().textContent;
    }, message);
  const html = '<div class="old-text"><b>Desk</b>&nbsp;lamp</div><p>was <a href="/cart">added</a>&amp; more</p>';
  assert.equal(await shown(html), "Desk lamp was added& more");
  assert.equal(await shown("5 < 6 and 7 > 3"), "5 < 6 and 7 > 3");
  assert.equal(await shown("<script>alert(1)</script><style>p {}</style>&lt;b&gt; <!-- x -->stays"), "<b> stays");
  const started = Date.now();
  await shown("<script><a ".repeat(100_000));
  assert.ok(Date.now() - started < 2000, "a long message is bounded");
  assert.equal(await page.locator("img").count(), 0);
});

test("errors: to the callback, to the Promise, and never to the window where a callback was given", async () => {
  const page = await visit("empty", { attributes: { timeout: 2000 } });
  await call(page, "addToWishList", LAMP);
  const unknown = await failure(page, "fetchListDetails", { lid: "no-such-list" });
  assert.deepEqual([unknown.status, unknown.code], [404, "list-not-found"]);
  assert.equal(unknown.description, unknown.message);
  const seen = await page.evaluate(async () => {
    const given = [];
    const rejected = (error) => given.push(["rejected", error.status]);
    _old.fetchListCtx("no-such-list", "", (error) => given.push(["err", error.status]));
    _old.deleteList({ lid: "no-such-list" }, "", "");
    await _old.fetchListCtx("no-such-list").catch(rejected);
    _old.fetch((items) => {
      given.push(["ok", items.length]);
      throw new Error("in a callback");
    });
    // After the first: its outcome is the same request's.
    await _old.fetch();
    return given;
  });
  assert.deepEqual(seen, [["err", 404], ["rejected", 404], ["ok", 1]]);
  assert.match(page.complaints.join(), /in a callback/);

  themes.fixture.proxy.fault = () => "refuse";
  const away = await failure(page, "fetch");
  assert.deepEqual([away.code, away.status], ["network", 0]);
  assert.match(away.description, /could not be reached/);
  const lists = await visit("lists", { context: page.context() });
  await lists.evaluate(() => render(_old));
  await lists.getByText("Lists could not be loaded.").waitFor();
});
