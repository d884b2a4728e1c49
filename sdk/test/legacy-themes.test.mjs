// What real themes rely on beyond the functions that they call: classes, the hosted page's look, storage, live numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, ready, sent, useThemes } from "./support/theme.mjs";

const LAMP = { epi: "4711", empi: "47", du: "https://shop.example/products/lamp", dt: "Desk lamp", pr: 39.9, vi: "Brass" };
const SHIRT = { epi: 4801, empi: 48, du: "https://shop.example/products/shirt", dt: "Linen shirt", pr: 20, iu: "https://shop.example/shirt.jpg" };
const themes = useThemes();
const { visit, shopper } = themes;

const on = (page, id) => page.locator(`#${id}.old-added`).waitFor({ state: "attached" });
const off = (page, id) => page.locator(`#${id}:not(.old-added)`).waitFor({ state: "attached" });
async function epis(page) {
  await sent(page);
  return (await call(page, "fetch")).map(({ epi }) => epi);
}
/** The computed style of the first element that matches, as the theme's styles make it. */
const style = (page, selector, name) => page.locator(selector).first().evaluate((element, name) => getComputedStyle(element)[name], name);

test("buttons that a theme hides until they are bound become visible, also when a framework renders them anew", async () => {
  const page = await visit("collection");
  for (const id of ["lamp", "steel", "shirt"]) await page.locator(`#${id}.old-loaded`).waitFor({ state: "visible" });
  assert.equal(await page.locator("#outside").isVisible(), false, "nobody has asked for this one");
  await page.evaluate(() => void (document.getElementById("shirt").className = "old-button old-add-to-wishlist-view-product"));
  await page.locator("#shirt").waitFor({ state: "visible" });
});

test("a clone of a button is the theme's, and one that the theme asks for is bound once", async () => {
  const page = await visit("quick-view");
  await page.evaluate(() => cloneIntoDialog());
  await page.locator("#clone").waitFor({ state: "visible" });
  await page.click("#clone");
  await page.locator("#clone.done").waitFor();
  assert.deepEqual(await epis(page), [4801], "one press adds, and does not remove again");
  await on(page, "shirt");
  await page.click("#clone");
  await page.locator("#clone:not(.done)").waitFor();
  assert.deepEqual(await epis(page), []);

  await page.evaluate(() => addToDialog());
  await page.click("#mug");
  await on(page, "mug");
  assert.deepEqual(await epis(page), [4901]);
  await page.click("#mug");
  await off(page, "mug");
  assert.deepEqual(await epis(page), []);
  // A theme that takes a bound button over.
  await page.evaluate(() => document.getElementById("mug").removeAttribute("data-swaction"));
  await page.click("#mug");
  assert.deepEqual(await epis(page), []);
});

test("after the login at the shop, the page that the theme has stored is opened, once", async () => {
  const page = await visit("account?from=list");
  const from = page.url();
  assert.equal(await page.evaluate(() => _old.isAlreadyAuth()), false);
  await page.click("#login");
  await page.waitForURL(from);
  await page.goto(from.replace("from=list", "customer=12"));
  await ready(page);
  assert.equal(await page.evaluate(() => wasAuth), true);
  await page.evaluate(() => new Promise((resolve) => _old.authCheck(resolve)));
  assert.match(page.url(), /customer=12$/, "there is nothing left to open");

  // A theme that does it itself, and addresses that lead away.
  for (const [query, target] of [["customer=12&forget=1", "/pages/empty"], ["customer=12", "https://evil.example/"], ["customer=12", "javascript:alert(1)"]]) {
    await page.evaluate((target) => _old.storage.set(_old.key.POSTLOGINRD, target), target);
    await page.goto(from.replace("from=list", query));
    await ready(page);
    await page.evaluate(() => new Promise((resolve) => _old.authCheck(resolve)));
    assert.match(page.url(), /account\?customer=12/);
    assert.equal(await page.evaluate(() => _old.storage.get(_old.key.POSTLOGINRD)), null);
  }
});

test("the list in a legacy page has the class names of the hosted page, where the theme's styles and scripts find them", async () => {
  const attributes = await shopper();
  const before = await visit("empty", { attributes });
  await call(before, "addToWishList", SHIRT);
  await call(before, "addToWishList", { ...LAMP, dt: "<b>Desk</b> lamp" });
  await before.close();
  const page = await visit("hosted", { attributes });
  await page.locator(".old-wishlist-item").nth(1).waitFor();
  assert.deepEqual(await page.locator(".old-title").allTextContents(), ["<b>Desk</b> lamp", "Linen shirt"]);
  const seen = {
    grid: await style(page, ".old-wishlist-grid", "display"),
    item: await style(page, ".old-wishlist-item", "width"),
    title: await style(page, ".old-title", "textTransform"),
    image: await style(page, ".old-wishlist-image", "height"),
    price: await style(page, ".old-product-price", "color"),
    remove: await style(page, ".old-delete-btn", "borderTopLeftRadius"),
    cart: await style(page, ".old-add-to-cart-btn", "backgroundColor"),
  };
  assert.deepEqual(seen, {
    grid: "flex", item: "123px", title: "uppercase", image: "77px", price: "rgb(1, 2, 3)", remove: "9px", cart: "rgb(4, 5, 6)",
  });
  assert.deepEqual(await page.locator(".old-product-price").allTextContents(), ["$39.90", "$20.00"]);
  await page.waitForFunction(() => email());
  assert.deepEqual(await page.evaluate(() => titles()), [4711, 4801]);
  assert.equal(await page.evaluate(() => email()), attributes.email);

  // It is the element that works elsewhere.
  themes.shop.calls.length = 0;
  await page.getByRole("button", { name: "Add to cart: Linen shirt" }).click();
  await page.waitForFunction(() => _old.platform.isInDeviceCart(4801));
  const remove = page.getByRole("button", { name: "Remove: <b>Desk</b> lamp" });
  await remove.focus();
  await remove.press("Enter");
  await page.locator(".old-wishlist-item").nth(1).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Remove: Linen shirt");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".old-wishlist-item").nth(1).waitFor();
  assert.deepEqual((await epis(page)).sort(), [4711, 4801]);
  await page.goto(page.url().replace("hosted", "empty"));
  await ready(page);
  const kept = () => page.evaluate(() => ["products", "authn"].map((name) => JSON.parse(localStorage.getItem(`old-${name}`)).all));
  const [all, { regn }] = await kept();
  assert.deepEqual([all.map(({ epi }) => epi).sort(), regn.userinfo.em], [[4711, 4801], attributes.email], "on the next page, too");
  await page.goBack();
  await page.locator(".old-wishlist-item").first().waitFor();
  await page.evaluate(() => _old.logout());
  await page.locator(".old-wishlist-item").first().waitFor({ state: "detached" });
  assert.deepEqual(await kept(), [[], { regn: {} }]);
});

test("a number that a theme shows follows every change, and is asked for where the theme wants it", async () => {
  const context = await themes.fixture.browser.newContext();
  const [page, other] = [await visit("empty", { context }), await visit("empty", { context })];
  await page.evaluate(() => {
    document.body.innerHTML = '<b id="count"></b><i class="count"></i><i class="count"></i>';
    window.counts = [];
    _old.renderWishlistCount(document.getElementById("count"), (count) => counts.push(count));
    _old.renderWishlistCount(".count", "");
  });
  const shows = (number) => page.waitForFunction((number) => [...document.querySelectorAll("b, i")].every((one) => one.textContent === number), number);
  await shows("0");
  await call(page, "addToWishList", LAMP);
  await shows("1");
  await call(other, "addToWishList", SHIRT);
  await shows("2");
  await other.evaluate(() => _old.items.remove({ epi: 4801 }));
  await shows("1");
  assert.deepEqual(await page.evaluate(() => counts), [0, 1, 2, 1]);

  // The theme counts something else, and calls back as it likes.
  await page.evaluate(() => {
    _old.wishlistCount = (callback) => setTimeout(callback, 0, 41);
    _old.items.add({ epi: 1, empi: 1, du: "https://shop.example/1" });
  });
  await shows("41");
  await page.evaluate(() => (_old.wishlistCount = async () => 42));
  await call(page, "removeFromWishList", LAMP);
  await shows("42");
  await page.evaluate(() => _old.logout());
  await shows("42");

  // A number that has left the page asks no more.
  await page.evaluate(() => {
    document.body.innerHTML = "";
    _old.wishlistCount = () => (window.wasAsked = true);
    return _old.lists.create({ lname: "New" });
  });
  await page.waitForFunction(() => window.wasAsked, undefined, { timeout: 5000 });
});

test("what a theme hides until the script is ready is shown", async () => {
  const page = await visit("hosted");
  await page.locator("#old-hosted-plugin.old-ready").waitFor();
  await page.locator("body.old-ready .footer").waitFor({ state: "visible" });
});

test("the currency in front of a price is its symbol, or its code where the shop says so", async () => {
  const prepare = () => (window.Shopify = { currency: { active: "USD" } });
  const seen = (page) =>
    page.evaluate(async (lamp) => {
      const added = await _old.addToWishList(lamp);
      const other = { pr: 5 };
      return [_old.currency, added.cu, OldUtils.formatProductPrice(other) && other.cu + other.pr];
    }, LAMP);
  assert.deepEqual(await seen(await visit("empty", { prepare })), ["$", "$", "$5.00"]);
  const codes = await visit("empty", { prepare, attributes: { "legacy-currency": "code" } });
  assert.deepEqual(await seen(codes), ["USD", "USD", "USD5.00"]);
  assert.deepEqual(await codes.evaluate(() => [_old.setCurrency("eur"), _old.currency]), [undefined, "EUR"]);
  const page = await visit("empty");
  const symbol = (code) => page.evaluate((code) => [_old.setCurrency(code), _old.currency][1], code);
  assert.deepEqual([await symbol("inr"), await symbol("AUD"), await symbol("CHF"), await symbol("Rs."), await symbol("")], ["₹", "$", "CHF", "Rs.", ""]);
});

test("an empty bar on a product page has a button for the product, that follows the chosen variant", async () => {
  const page = await visit("product");
  const button = page.locator(".old-wishlist-button-bar .old-btn-container > button.old-button.old-add-to-wishlist.old-loaded");
  await button.waitFor();
  assert.equal(await button.textContent(), "Add to Wishlist");
  await button.click();
  await page.getByText("Added to Wishlist").waitFor();
  assert.match(page.url(), /\/pages\/product$/, "the form around it is not sent");
  await on(page, "heart");
  assert.deepEqual(await epis(page), [4711]);
  await button.click();
  await page.getByText("Add to Wishlist").waitFor();
  await page.evaluate(() => _old.evtLayer.addEventListener(_old.JSEvents.variantChanged, (event) => (window.changed = event.detail.d)));
  await page.selectOption("#variant", "4712");
  const { epi, empi, variant, product, vi } = await page.evaluate(() => changed);
  assert.deepEqual([epi, empi, variant.id, product.id, vi], [4712, 47, 4712, 47, "Steel"]);
  await button.click();
  await page.getByText("Added to Wishlist").waitFor();
  await sent(page);
  const items = await call(page, "fetch");
  assert.deepEqual(items.map(({ epi, vi, pr }) => [epi, vi, pr]), [[4712, "Steel", 44.9]]);

  await page.evaluate(() => _old.initializeActionButtons());
  assert.equal(await page.locator(".old-wishlist-button-bar button").count(), 1);
  const german = await visit("product", { prepare: () => document.addEventListener("DOMContentLoaded", () => (document.documentElement.lang = "de-AT")) });
  await german.getByText("Auf die Wunschliste").waitFor();
  const elsewhere = await visit("empty");
  await elsewhere.evaluate(() => {
    document.body.innerHTML = '<div class="old-wishlist-button-bar"></div>';
    _old.initializeActionButtons();
  });
  assert.equal(await elsewhere.locator("button").count(), 0, "it is no product page");
});

test("a chosen variant marks the buttons that stand for it", async () => {
  const page = await visit("product");
  await call(page, "addToWishList", { ...LAMP, epi: 4712 });
  await page.evaluate(() => document.getElementById("heart").setAttribute("data-with-epi", "true"));
  await off(page, "heart");
  await page.evaluate(() => triggerOldVariantEvent("4712"));
  await on(page, "heart");
  await page.evaluate(() => triggerOldVariantEvent(4711));
  await off(page, "heart");
  await page.evaluate(() => triggerOldVariantEvent("none"));
  const grid = await visit("collection");
  await grid.evaluate(() => triggerOldVariantEvent(4712));
  const ids = await grid.locator("[data-swaction]").evaluateAll((all) => all.map(({ dataset }) => dataset.variantId || ""));
  assert.deepEqual(ids, ["", "4712", "4801", "4901"], "one of them is that variant's already");
});

test("save for later is never among the lists, and the first one is the default wishlist", async () => {
  const page = await visit("cart");
  await page.waitForFunction(() => lid !== null);
  assert.deepEqual(await page.evaluate(() => _old.fetchLists({})), [], "nobody has a wishlist yet");
  await page.click("#save");
  await page.getByText("Desk lamp was saved").waitFor();
  assert.deepEqual(await page.evaluate(() => _old.fetchLists()), []);
  await call(page, "addToWishList", SHIRT);
  await call(page, "createList", { lname: "A list" });
  const lists = await page.evaluate(() => _old.fetchLists());
  assert.deepEqual(lists.map(({ lname, lty }) => [lname, lty]), [["My Wishlist", "wl"], ["A list", "wl"]]);
});

test("cart events have the product's data, and both spellings of the one that the theme dispatches are heard", async () => {
  const page = await visit("empty");
  await page.evaluate(() => {
    window.events = [];
    const hear = (name) => _old.evtLayer.addEventListener(name, ({ type, detail }) => events.push([type, detail.d]));
    [_old.JSEvents.UIAddedToCart, "sw:addedalltocart", "sw:addedallToCart"].forEach(hear);
  });
  await call(page, "replayAddToCart", { empi: 47, du: LAMP.du }, 4711);
  const [[type, d]] = await page.evaluate(() => events.splice(0));
  assert.deepEqual([type, d.epi, d.productData.epi, d.productData.empi, d.productData.dt, d.productData.pr], ["sw:addedtocart", 4711, 4711, 47, "Desk lamp", 39.9]);
  const heard = (name) =>
    page.evaluate((name) => [_old.evtLayer.dispatchEvent(new CustomEvent(name, { detail: { d: 1 } })), events.splice(0).sort()][1], name);
  const both = [["sw:addedallToCart", 1], ["sw:addedalltocart", 1]];
  assert.deepEqual(await heard("sw:addedallToCart"), both);
  assert.deepEqual(await heard(await page.evaluate(() => _old.JSEvents.addedalltocart)), both);
});

test("several lists are on where the tag says so", async () => {
  const isOn = async (attributes) => (await visit("empty", { attributes })).evaluate(() => _old.isCollectionsEnabled());
  assert.deepEqual([await isOn({}), await isOn({ "legacy-collections": "" }), await isOn({ "legacy-collections": "false" })], [false, true, false]);
});

test("helpers and names of older themes", async () => {
  const page = await visit("empty?hkey=a%20b");
  const seen = await page.evaluate(async () => {
    document.head.insertAdjacentHTML("beforeend", '<meta property="og:price:currency" content="EUR"><meta name="og" content="x">');
    OldUtils.addClass(document.body, "a b");
    OldUtils.removeClass(document.body, "a");
    OldUtils.toggleClass(document.body, "c");
    OldUtils.toggleClass(null, "c");
    OldUtils.error("shared list", "could not be loaded");
    const line = { variant_id: 4711, product_id: 47, url: "/products/lamp", product_title: "Desk lamp", variant_title: "Brass", price: 3990, quantity: 2 };
    const { epi, empi, du, dt, vi, pr, qty } = _old.transformCartItem(line);
    _old.api.addToWishList = (product) => ["log in", product];
    return {
      parameters: [OldUtils.getParameterByName("hkey"), OldUtils.getParameterByName("none"), OldUtils.getParameterByName("a", "https://x.example/?a=1#a=2")],
      og: OldUtils.getOGData(),
      classes: document.body.className,
      line: [epi, empi, du, dt, vi, pr, qty],
      first: _old.addToWishList(1),
      viewed: await _old.fetchRecentlyViewedProducts(),
    };
  });
  assert.deepEqual(seen, {
    parameters: ["a b", "", "1"],
    og: { "og:price:currency": "EUR" },
    classes: "old-ready b c",
    line: [4711, 47, `${themes.shop.url}/products/lamp`, "Desk lamp", "Brass", 39.9, 2],
    first: ["log in", 1],
    viewed: [],
  });
  assert.match(page.complaints.join(), /shared list/);
  const { data } = await call(page, "wishlist.getSocialCountBatch", [{ empi: 47 }, { empi: "48" }]);
  assert.deepEqual(data.map(({ empi, count }) => [empi, typeof count]), [[47, "number"], [48, "number"]]);
  const other = await visit("empty");
  await call(other, "addToWishList", LAMP);
  await call(other, "removeWishlistDefault", LAMP);
  assert.deepEqual(await epis(other), []);
});

test("buttons that a theme finds with a selector of its own, and buttons for a product alert", async () => {
  const page = await visit("empty");
  await page.evaluate(() => {
    document.body.innerHTML = `
      <div class="grid">
        <a id="own" my-heart data-with-epi="true" data-product-id="48" data-variant-id="4801" data-product-url="/products/shirt">heart</a>
        <a id="other" data-product-id="49" data-variant-id="4901" data-product-url="/products/mug">heart</a>
        <button id="alert" data-swaction="addToWatchlist" data-product-id="47" data-variant-id="4711" data-product-url="/products/lamp">Notify me</button>
      </div>`;
    _old.initializeActionButtons(".grid", "[my-heart]");
  });
  await page.click("#own");
  await on(page, "own");
  await page.click("#other");
  assert.deepEqual(await epis(page), [4801]);
  await page.click("#alert.old-loaded");
  const form = page.locator("wishbone-notify");
  await form.getByRole("textbox").waitFor();
  assert.deepEqual(await form.evaluate((one) => [one.getAttribute("epi"), one.getAttribute("empi")]), ["4711", "47"]);
  await page.click("#alert");
  await form.waitFor({ state: "detached" });
});

test("product cards of a theme without buttons get some, and lose them again", async () => {
  const attributes = await shopper();
  const before = await visit("empty", { attributes });
  await call(before, "addToWishList", SHIRT);
  await before.close();
  const page = await visit("cards", { attributes });
  const heart = (handle) => page.locator(`[data-product-url$="/products/${handle}"]`);
  await page.waitForFunction(() => document.querySelectorAll(".old-loaded.old-added").length === 1);
  assert.deepEqual(await page.locator(".old-loaded").evaluateAll((all) => all.map(({ dataset }) => new URL(dataset.productUrl).pathname)), [
    "/products/lamp", "/products/shirt", "/products/none",
  ]);
  await page.evaluate(() => _old.collectionsApi.initializeCollections(_old, false, 1));
  assert.equal(await page.locator(".old-loaded").count(), 3, "once each");
  await heart("lamp").click();
  await page.waitForFunction(() => document.querySelectorAll(".old-loaded.old-added").length === 2);
  await heart("shirt").click();
  await page.waitForFunction(() => document.querySelectorAll(".old-loaded.old-added").length === 1);
  await sent(page);
  const [lamp, ...none] = await call(page, "fetch");
  assert.deepEqual([lamp.epi, lamp.empi, lamp.dt, none], [4711, 47, "Desk lamp", []]);
  await heart("none").click();
  await sent(page);
  assert.deepEqual(await epis(page), [4711]);
  await page.evaluate(() => _old.collectionsApi.removeCollectionsButtons());
  assert.equal(await page.locator(".old-loaded").count(), 0);
});
