// The lists of a theme: its default wishlist, named lists, save for later, and what a list's items look like.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, failure, ready, useThemes } from "./support/theme.mjs";

const LAMP = { epi: "4711", empi: "47", du: "https://shop.example/products/lamp", dt: "Desk lamp", pr: 39.9, vi: "Brass" };
const SHIRT = { epi: 4801, empi: 48, du: "https://shop.example/products/shirt", dt: "Linen shirt" };
const themes = useThemes();
const { visit, shopper } = themes;

const fetchLists = (page, options = {}) =>
  page.evaluate((options) => new Promise((callbackFn, errorFn) => _old.fetchLists({ ...options, callbackFn, errorFn })), options);
const contents = (lists) => lists.map(({ lname, listcontents }) => [lname, listcontents.map(({ epi }) => epi)]);

test("the default wishlist: made when something is added, read as a bare array, with the fields of themes", async () => {
  const page = await visit("empty");
  themes.fixture.proxy.calls.length = 0;
  assert.deepEqual(await call(page, "fetch"), []);
  assert.deepEqual(await fetchLists(page), []);
  assert.deepEqual(themes.fixture.proxy.calls, [], "a new visitor costs no request");

  await page.evaluate(() => _old.setCurrency("eur"));
  const added = await call(page, "addToWishList", { ...LAMP, stk: 3, variants: [{ Brass: 4711 }] });
  const items = await call(page, "fetch");
  assert.deepEqual(items, [added]);
  const { epi, empi, du, dt, pr, vi, variants, et, cu } = added;
  assert.deepEqual({ epi, empi, du, dt, pr, vi, variants, et, cu }, {
    ...LAMP, epi: 4711, empi: 47, variants: '[{"Brass":4711}]', et: 4, cu: "€",
  });
  assert.deepEqual(await page.evaluate(() => _old.EventTypes.addToWishList), 4);
  assert.deepEqual(await page.evaluate(() => _old.fetchWrtEventTypeET("", _old.EventTypes.addToWishList)), items);
  assert.deepEqual(await page.evaluate(() => _old.fetchWrtEventTypeET()), items);
  assert.deepEqual(await page.evaluate(() => _old.fetchWrtEventTypeET("", _old.EventTypes.addToCart)), []);
  assert.deepEqual(contents(await fetchLists(page)), [["My Wishlist", [4711]]]);

  // With the record of the item, as themes that fetch first have it.
  await page.evaluate((item) => _old.removeFromWishList(item, ""), items[0]);
  assert.deepEqual(await call(page, "fetch"), []);
  assert.equal((await call(page, "removeFromWishList", LAMP)).epi, "4711", "removing what is not there is a success");
});

test("product data that themes get wrong does not stop the add", async () => {
  const page = await visit("empty");
  const odd = { epi: "4711", empi: 47, du: "/products/lamp", iu: "//cdn.shop.example/lamp.jpg", pr: "Rs. 100", qty: "" };
  const added = await call(page, "addToWishList", { ...odd, vi: undefined, variants: '[{"Brass":4711}]', note: null });
  assert.deepEqual([added.pr, added.iu, added.du, added.vi], [
    null, "http://cdn.shop.example/lamp.jpg", `${themes.shop.url}/products/lamp`, "Brass",
  ]);
  const number = await call(page, "addToWishList", { epi: 501, empi: 1, du: "/p", dt: 501, vi: 42, note: 7, qty: "0" });
  assert.deepEqual([number.dt, number.vi, number.note, number.qty], ["501", "42", "7", 1]);
  const cheap = await call(page, "addToWishList", { epi: 1, empi: 1, du: "/p", pr: "0.00", iu: "", variants: "no JSON" });
  assert.deepEqual([cheap.pr, cheap.iu, cheap.vi], [0, "", ""]);
});

test("a product without an address gets the canonical one of the page", async () => {
  const page = await visit("empty");
  const canonical = "https://shop.example/products/lamp";
  await page.evaluate((canonical) => {
    history.replaceState(null, "", "?email=ann%40example.com#reviews");
    document.head.insertAdjacentHTML("beforeend", `<link rel="canonical" href="${canonical}">`);
  }, canonical);
  assert.equal((await call(page, "addToWishList", { epi: 1, empi: 1 })).du, canonical);
});

test("a list of more than a page is whole", async () => {
  const page = await visit("empty");
  await page.evaluate((du) => _old.items.add({ items: Array.from({ length: 60 }, (_, index) => ({ epi: index + 1, empi: 1, du })) }), LAMP.du);
  assert.equal((await call(page, "fetch")).length, 60);
  const [{ lid, listcontents }] = await fetchLists(page);
  assert.equal(listcontents.length, 60);
  assert.equal((await call(page, "fetchListCtx", lid)).length, 60);
});

test("createList on each page gives the same list", async () => {
  const page = await visit("lists");
  await page.getByText("Favourites:").waitFor();
  const first = await page.evaluate(() => favourites);
  await call(page, "addToList", first, LAMP);
  for (let load = 0; load < 2; load += 1) {
    await page.reload();
    await page.getByText("Favourites: 4711").waitFor();
    assert.equal(await page.evaluate(() => favourites), first);
  }
  const other = await call(page, "createList", { lname: "Favourites", lty: "_recommends" });
  assert.notEqual(other.lid, first, "of another type it is another list");
  const noted = await call(page, "createList", { lname: "Noted", lnote: "for the summer", lprops: { colour: "red" } });
  assert.deepEqual([noted.lnote, noted.lprops, noted.listcontents], ["for the summer", { colour: "red" }, []]);
  const copy = await call(page, "createList", { lname: "Copy", fromlid: first });
  assert.deepEqual((await call(page, "fetchListCtx", copy)).map(({ epi }) => epi), [4711]);
});

test("named lists: one product and many, with a lid or an object of it", async () => {
  const page = await visit("empty");
  const [{ lid: a }, { lid: b }] = [await call(page, "createList", { lname: "A" }), await call(page, "createList", { lname: "B" })];
  const added = await call(page, "addToList", a, { ...LAMP, note: "for Ann", lbls: ["Office"] });
  assert.deepEqual([added.lid, added.note, added.clbls, added.variants], [a, "for Ann", ["Office"], '[{"Brass":4711}]']);
  const many = await call(page, "addProductsToList", { lid: a }, [SHIRT, { ...SHIRT, epi: 4802 }]);
  assert.deepEqual([many.items.map(({ epi }) => epi), many.failed], [[4801, 4802], []]);
  assert.equal((await call(page, "updateListItem", { lid: a }, { ...LAMP, note: "for Bob", cprops: { size: "L" } })).note, "for Bob");

  const { list, items } = await call(page, "fetchListDetails", { lid: a });
  assert.deepEqual([list.lname, items.map(({ epi, et }) => [epi, et])], ["A", [[4802, 4], [4801, 4], [4711, 4]]]);
  assert.deepEqual(await call(page, "fetchListCtx", { lid: a }), items);
  assert.deepEqual(await page.evaluate((lid) => _old.fetchListCtx(lid, "", ""), a), items);

  assert.deepEqual((await call(page, "addProductToLists", LAMP, [a, b])).map(({ lid }) => lid), [a, b]);
  assert.deepEqual((await call(page, "removeProductsFromList", a, [SHIRT, { epi: "4802" }])).items.length, 2);
  assert.equal((await call(page, "deleteFromList", a, LAMP)).epi, 4711);
  assert.deepEqual(contents(await fetchLists(page)), [["A", []], ["B", [4711]]]);
  await call(page, "removeProductFromLists", { epi: "4711", empi: "47" }, [a, b]);
  assert.deepEqual(contents(await fetchLists(page)), [["A", []], ["B", []]]);

  assert.equal((await call(page, "updateList", { lid: b, lname: "Bee", lnote: "n" })).lname, "Bee");
  assert.equal((await call(page, "deleteList", a)).lid, a);
  assert.equal((await call(page, "deleteList", { lid: b })).lid, b);
  assert.deepEqual(await fetchLists(page), []);
  assert.equal((await failure(page, "addToList", a, LAMP)).status, 404);
  assert.match((await failure(page, "addToList", a, undefined)).description, /Pass \{epi, empi, du\}/);
  assert.match((await failure(page, "createList", undefined)).description, /lname/);
});

test("a list that is not named is not the default wishlist", async () => {
  const page = await visit("empty");
  await call(page, "addToWishList", LAMP);
  const before = contents(await fetchLists(page));
  const refused = async (...args) => assert.match((await failure(page, ...args)).description, /^Pass the lid of a list\..*addToWishList/);
  for (const name of ["addToList", "updateListItem"]) await refused(name, undefined, { ...SHIRT, note: "n" });
  await refused("deleteFromList", {}, LAMP);
  await refused("addProductsToList", "", [SHIRT]);
  await refused("removeProductsFromList", null, [LAMP]);
  await refused("addProductToLists", SHIRT, undefined);
  await refused("removeProductFromLists", LAMP, [(await fetchLists(page))[0].lid, undefined]);
  assert.deepEqual(contents(await fetchLists(page)), before);
});

test("wishlists come first, and a type can be asked for", async () => {
  const page = await visit("empty");
  await call(page, "SaveForLater.add", "", [LAMP]);
  await call(page, "createList", { lname: "Ideas", lty: "_recommends" });
  await call(page, "addToWishList", SHIRT);
  assert.deepEqual((await fetchLists(page)).map(({ lty }) => lty), ["wl", "_recommends"]);
  assert.deepEqual((await fetchLists(page, { lty: "_recommends" })).map(({ lname }) => lname), ["Ideas"]);
  assert.equal(await call(page, "wishlistCount"), 1);
  assert.deepEqual(await page.evaluate(() => _old.fetchLists().then((lists) => lists.length)), 2);
  assert.deepEqual((await fetchLists(page, { lty: "sfl" })).map(({ lty }) => lty), ["_saveForLater"]);
});

test("the page of a wishlist: template, price, variant, cart, removal", async () => {
  const context = await themes.fixture.browser.newContext();
  themes.shop.cart = [{ id: 4801, variant_id: 4801 }];
  const before = await visit("empty", { context });
  await call(before, "addToWishList", SHIRT);
  await call(before, "addToWishList", LAMP);
  const page = await visit("wishlist", { context });
  const row = (epi) => page.locator(`li[data-epi="${epi}"]`);
  await row(4711).waitFor();
  assert.deepEqual(await page.locator(".title").allTextContents(), ["Desk lamp", "Linen shirt"]);
  assert.deepEqual(await page.locator(".variant").allTextContents(), ["Brass", ""]);
  assert.deepEqual(await page.locator(".price").allTextContents(), ["€ 39.90", "€ "]);
  assert.match(await row(4801).locator(".add-to-cart").textContent(), /In cart/);
  assert.match(await row(4711).locator(".add-to-cart").textContent(), /Move to cart/);
  await row(4711).locator(".add-to-cart").click();
  await page.getByText("Added 4711").waitFor();
  await row(4801).locator(".remove").click();
  await row(4801).waitFor({ state: "detached" });
  await row(4711).locator(".remove").click();
  await page.getByText("Your wishlist is empty.").waitFor();
});

test("hostile product data stays text, and addresses of scripts are not given to themes", async () => {
  const bad = {
    id: "i", lid: "l", epi: 1, empi: 1, cts: 1, uts: 1, pr: 1, ct: "",
    dt: "<img src=x onerror=alert(1)>", vi: "\"><script>alert(1)</script>", iu: "javascript:alert(1)", du: " JavaScript:alert(2)",
  };
  // The server refuses such addresses: this one is not ours.
  const encoded = { ...bad, epi: 2, du: "javascript&colon;alert(2)", iu: "'onerror='alert(3)" };
  const list = { lid: "l", lname: "L", lty: "wl", cnt: 1, listcontents: [bad] };
  themes.fixture.proxy.fault = ({ name }) => name === "lists/fetch-lists" && [200, JSON.stringify([list])];
  const page = await visit("wishlist", { attributes: await shopper() });
  let dialogs = 0;
  page.on("dialog", (dialog) => (dialogs += 1) && dialog.dismiss());
  await page.locator(".title").waitFor();
  assert.equal(await page.locator(".title").textContent(), bad.dt);
  assert.equal(await page.locator(".variant").textContent(), bad.vi);
  assert.equal(await page.locator(".title").getAttribute("href"), "");
  assert.equal(await page.locator("img").getAttribute("src"), "");
  const [item] = await call(page, "fetch");
  assert.deepEqual([item.du, item.iu, JSON.parse(item.variants)], ["", "", [{ [bad.vi]: 1 }]]);
  // A theme that writes its markup as text makes other characters of entities.
  list.listcontents = [encoded];
  const links = (items) => items.map(({ du, iu }) => `<a href="${du}"><img src='${iu}'></a>`).join("");
  const markup = links(await call(page, "fetch"));
  const made = await page.evaluate((markup) => {
    document.body.innerHTML = markup;
    const [link, image] = [document.querySelector("a"), document.querySelector("img")];
    return [link.protocol, image.getAttributeNames()];
  }, markup);
  assert.deepEqual(made, ["http:", ["src"]]);
  themes.fixture.proxy.fault = () => undefined;
  // What a theme adds with such an address gets that of the page.
  const added = await call(page, "addToWishList", { epi: 2, empi: 1, du: "javascript:alert(3)" });
  assert.equal(added.du, page.url());
  assert.equal(dialogs, 0);
});

test("save for later, from the cart of a theme", async () => {
  const page = await visit("cart");
  await page.waitForFunction(() => lid !== null);
  await page.click("#save");
  await page.getByText("Desk lamp was saved").waitFor();
  await page.getByText("4711 x 2").waitFor();
  await page.reload();
  await page.getByText("4711 x 2").waitFor();

  const { list, items, userinfo, pagination } = await call(page, "SaveForLater.init");
  assert.deepEqual([list.lty, items.map(({ epi, variants }) => [epi, variants]), userinfo, pagination.totalcount], [
    "_saveForLater", [[4711, '[{"Default Title":4711}]']], null, 1,
  ]);
  const updated = await call(page, "SaveForLater.update", list.lid, [{ ...LAMP, qty: 3 }]);
  assert.deepEqual([updated.itemsupdated[0].qty, updated.itemsfailed], [3, []]);
  const failed = await call(page, "SaveForLater.update", list.lid, [{ ...SHIRT, qty: 1 }]);
  assert.deepEqual([failed.itemsupdated, failed.itemsfailed[0]["error-code"]], [[], "item-not-found"]);
  // A lid that the theme stored for somebody else.
  const added = await call(page, "SaveForLater.add", "another-list", SHIRT);
  assert.equal(added.itemsadded[0].dt, "Linen shirt");
  const removed = await call(page, "SaveForLater.remove", list.lid, [{ epi: "4711", empi: "47" }]);
  assert.equal(removed.itemsdeleted[0].epi, 4711);
  const left = await page.evaluate(() => _old.SaveForLater.fetch());
  assert.deepEqual(left.items.map(({ epi }) => epi), [4801]);
});

test("a record of save for later, or of a shared list, goes to the default wishlist; one of an own list stays there", async () => {
  const owner = await visit("empty", { attributes: await shopper() });
  const { lid: foreign } = await call(owner, "addToWishList", SHIRT);
  const { key } = await owner.evaluate((lid) => _old.sharing.createLink({ lid }), foreign);

  const attributes = await shopper();
  const page = await visit("empty", { attributes });
  const saved = async () => (await page.evaluate(() => _old.SaveForLater.fetch())).items;
  await page.evaluate((item) => _old.SaveForLater.add("", [item]), LAMP);
  const [record] = await saved();
  const added = await call(page, "addToWishList", record);
  assert.notEqual(added.lid, record.lid);
  assert.deepEqual(contents(await fetchLists(page, { lty: "wl" })), [["My Wishlist", [4711]]]);
  await call(page, "removeFromWishList", record);
  assert.deepEqual(contents(await fetchLists(page, { lty: "wl" })), [["My Wishlist", []]]);
  assert.deepEqual((await saved()).map(({ epi }) => epi), [4711]);

  const [shared] = await call(page, "fetchListCtx", key);
  assert.equal((await call(page, "addToWishList", shared)).lid, added.lid);
  await call(page, "removeFromWishList", shared);

  const later = await visit("empty", { attributes });
  const { listcontents: [listed] } = (await fetchLists(later, { lty: "_saveForLater" }))[0];
  assert.equal((await call(later, "addToWishList", listed)).lid, added.lid);
  await call(later, "removeFromWishList", listed);

  const { lid } = await call(page, "createList", { lname: "Gifts" });
  const gift = await call(page, "addToList", lid, SHIRT);
  assert.equal((await call(page, "addToWishList", { ...gift, note: "blue" })).lid, lid);
  await call(page, "removeFromWishList", gift);
  assert.deepEqual(contents(await fetchLists(page, { lty: "wl" })), [["My Wishlist", []], ["Gifts", []]]);
});

test("without a server, a record of save for later waits for the wishlist", async () => {
  const page = await visit("empty", { attributes: { ...(await shopper()), timeout: 300 } });
  const { itemsadded: [record] } = await page.evaluate((item) => _old.SaveForLater.add("", [item]), LAMP);
  themes.fixture.proxy.fault = () => "refuse";
  await page.evaluate((record) => void _old.addToWishList(record), record);
  await page.waitForFunction(() => _old.queued().length > 0);
  assert.equal(await page.evaluate(() => _old.queued()[0].args.lid), undefined);
});

test("a save-for-later list of more than a page is whole", async () => {
  const page = await visit("empty");
  const many = Array.from({ length: 120 }, (_, index) => ({ epi: index + 1, empi: 1, du: LAMP.du }));
  await call(page, "SaveForLater.add", "", many);
  const { items } = await call(page, "SaveForLater.fetch", {});
  assert.equal(new Set(items.map(({ epi }) => epi)).size, 120);
  assert.equal((await call(page, "SaveForLater.init")).items.length, 120);
});

test("a theme of a logged-in shopper has the same lists as the client's own API", async () => {
  const identity = await shopper();
  const page = await visit("empty", { attributes: identity });
  await call(page, "addToWishList", LAMP);
  await ready(page);
  const { data } = await page.evaluate(() => _old.wishlist.fetchUserLists());
  const [list] = await fetchLists(page);
  assert.deepEqual(data.map(({ lid }) => lid), [list.lid]);
  assert.equal(list.cby, identity.email);
});
