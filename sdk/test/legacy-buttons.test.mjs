// The buttons of a theme's markup, and themes that want shoppers to log in first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, ready, sent, useThemes } from "./support/theme.mjs";

const themes = useThemes();
const { visit, shopper } = themes;

const on = (page, id) => page.locator(`#${id}.old-added`).waitFor({ state: "attached" });
const off = (page, id) => page.locator(`#${id}:not(.old-added)`).waitFor({ state: "attached" });
/** What the server has, once it has everything. */
async function items(page) {
  await sent(page);
  return call(page, "fetch");
}
const epis = async (page) => (await items(page)).map(({ epi }) => epi);

test("a click adds and removes, with the theme's product data, and does not follow the link around it", async () => {
  const page = await visit("collection");
  await page.click("#lamp i");
  await on(page, "lamp");
  const [item] = await items(page);
  const { epi, empi, du, dt, pr, ct, vi } = item;
  assert.deepEqual({ epi, empi, du, dt, pr, ct, vi }, {
    epi: 4711, empi: 47, du: "https://shop.example/products/lamp", dt: "Desk lamp", pr: 39.9, ct: "Lamps", vi: "Brass",
  });
  assert.match(page.url(), /collection$/);
  await page.click("#lamp");
  await off(page, "lamp");
  assert.deepEqual(await epis(page), []);
});

test("a button of a variant is about that one, a button of a product about all of its variants", async () => {
  const page = await visit("collection");
  await page.click("#steel");
  await on(page, "steel");
  await on(page, "lamp");
  const [steel] = await items(page);
  // What the page knows of the other variant is not this one's.
  assert.deepEqual([steel.epi, steel.vi, steel.pr, steel.dt], [4712, "Steel", null, "Desk lamp"]);
  await page.click("#lamp");
  await off(page, "steel");
  await off(page, "lamp");
  assert.deepEqual(await epis(page), []);
});

test("one request for all buttons of a page, none for a new visitor, none for buttons elsewhere", async () => {
  const identity = await shopper();
  const first = await visit("collection", { attributes: identity });
  await first.click("#shirt");
  await sent(first);
  await first.close();
  themes.fixture.proxy.calls.length = 0;
  const page = await visit("collection", { attributes: identity });
  await on(page, "shirt");
  const asked = themes.fixture.proxy.of("lists/contains").map(({ form }) => JSON.parse(form.epis).sort());
  assert.deepEqual(asked, [[4711, 4712, 4801]]);

  themes.fixture.proxy.calls.length = 0;
  const guest = await visit("collection");
  await guest.locator("#count.hidden", { hasText: "0" }).waitFor({ state: "attached" });
  await guest.evaluate(() => document.getElementById("outside").click());
  assert.deepEqual(themes.fixture.proxy.calls, []);
});

test("a question that fails is not asked again because it failed", async () => {
  const { proxy } = themes.fixture;
  const identity = await shopper();
  proxy.calls.length = 0;
  proxy.fault = ({ name }) => name === "lists/contains" && [500, "{}"];
  const page = await visit("collection", { attributes: identity });
  const asked = () => proxy.of("lists/contains").length;
  while (asked() === 0) await sent(page);
  // Long enough for the next question, if there were one.
  for (let calls = 0; calls < 20; calls++) await page.evaluate(() => _old.lists.fetch());
  assert.equal(asked(), 1);
});

test("buttons that come later work when the theme says so, and so does one that becomes another variant's", async () => {
  const page = await visit("collection");
  await call(page, "addToWishList", { epi: 4712, empi: 47, du: "https://shop.example/products/lamp" });
  await page.evaluate(() => {
    const card = document.createElement("div");
    card.innerHTML = `<button id="later" data-swaction="addToWishlist" data-with-epi="true" data-product-id="50" data-variant-id="5001"
      data-product-url="https://shop.example/products/vase"></button>`;
    document.querySelector(".grid").append(card);
  });
  await page.click("#later");
  assert.deepEqual(await epis(page), [4712], "it may have a listener of the theme");
  await page.evaluate(() => _old.initializeActionButtons(".grid"));
  await page.click("#later");
  await on(page, "later");
  await page.evaluate(() => document.getElementById("later").setAttribute("data-variant-id", "5002"));
  await off(page, "later");
  await page.evaluate(() => {
    Object.assign(document.getElementById("later").dataset, { productId: "47", variantId: "4712" });
  });
  await on(page, "later");
  assert.deepEqual(await epis(page), [5001, 4712]);
});

test("the class is right in other tabs, after changes by the API, and after a login", async () => {
  const context = await themes.fixture.browser.newContext();
  const [page, other] = [await visit("collection", { context }), await visit("collection", { context })];
  await page.click("#shirt");
  await on(other, "shirt");
  await other.evaluate(() => _old.items.remove({ epi: 4801 }));
  await off(page, "shirt");
  await page.evaluate((identity) => _old.init(identity), await shopper());
  await page.evaluate(() => _old.items.add({ epi: 4801, empi: 48, du: "https://shop.example/products/shirt" }));
  await on(page, "shirt");
  await page.evaluate(() => _old.logout());
  await off(page, "shirt");
});

test("quick presses end in what was pressed last", async () => {
  const page = await visit("collection");
  const press = (times) => page.evaluate((times) => Array(times).fill().forEach(() => document.getElementById("shirt").click()), times);
  const pressed = (event) => page.waitForFunction((event) => window.events?.[window.events.length - 1][0] === event, event);
  await press(2);
  await pressed("removed");
  assert.deepEqual(await epis(page), []);
  await press(3);
  await on(page, "shirt");
  await pressed("added");
  assert.deepEqual(await epis(page), [4801]);
});

test("a second press removes from every wishlist, and leaves what is saved for later", async () => {
  const page = await visit("collection", { attributes: await shopper() });
  const shirt = { epi: 4801, empi: 48, du: "https://shop.example/products/shirt" };
  await page.evaluate(async (shirt) => {
    await _old.items.add(shirt);
    await _old.items.add({ ...shirt, lid: (await _old.lists.create({ lname: "Other" })).lid });
  }, shirt);
  await on(page, "shirt");
  await call(page, "SaveForLater.add", null, [shirt]);
  await page.reload();
  await ready(page);
  await on(page, "shirt");
  await page.click("#shirt");
  await off(page, "shirt");
  await sent(page);
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => _old.items.contains({ epis: 4801, lty: "wl" }).then((lids) => lids.length === 0));
  await off(page, "shirt");
  const lists = await call(page, "SaveForLater.fetch", {});
  assert.deepEqual(lists.items.map(({ epi }) => epi), [4801]);
  const left = await page.evaluate(() => new Promise((resolve) => _old.fetchLists({ callbackFn: resolve })));
  assert.deepEqual(left.map(({ lty, listcontents }) => [lty, listcontents.length]), [["wl", 0], ["wl", 0]]);
});

test("without a server a press is shown, stored, and sent later; a reload does not lose it", async () => {
  const page = await visit("collection");
  await call(page, "addToWishList", { epi: 4711, empi: 47, du: "https://shop.example/products/lamp" });
  themes.fixture.proxy.fault = () => "refuse";
  await page.click("#shirt");
  await on(page, "shirt");
  await page.reload();
  await ready(page);
  await on(page, "shirt");
  await page.click("#shirt");
  await off(page, "shirt");
  await page.click("#shirt");
  await on(page, "shirt");
  themes.fixture.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await sent(page);
  await on(page, "shirt");
  assert.deepEqual((await epis(page)).sort(), [4711, 4801]);
});

test("the class comes back when a framework renders the button anew, and goes when it was not meant", async () => {
  const page = await visit("collection");
  await page.click("#shirt");
  await on(page, "shirt");
  await sent(page);
  // The press has created the list, so the page asks once more what is in it.
  await page.evaluate(() => _old.items.contains({ epis: [4711, 4801], lty: "wl" }));
  const render = (id, className) => page.evaluate(([id, className]) => void (document.getElementById(id).className = className), [id, className]);
  themes.fixture.proxy.calls.length = 0;
  await render("shirt", "button");
  await on(page, "shirt");
  await page.evaluate(() => document.getElementById("shirt").removeAttribute("class"));
  await on(page, "shirt");
  await render("lamp", "button old-added");
  await off(page, "lamp");
  assert.deepEqual(themes.fixture.proxy.of("lists/contains"), []);
});

test("without a server, the buttons of another tab follow, and those of both when the press is refused", async () => {
  const context = await themes.fixture.browser.newContext();
  const [page, other] = [await visit("collection", { context }), await visit("collection", { context })];
  await call(page, "addToWishList", { epi: 4711, empi: 47, du: "https://shop.example/products/lamp" });
  await on(other, "lamp");
  themes.fixture.proxy.fault = () => "refuse";
  await page.click("#shirt");
  await on(page, "shirt");
  await on(other, "shirt");
  await other.click("#shirt");
  await off(page, "shirt");
  await page.click("#shirt");
  await on(other, "shirt");
  const refusal = JSON.stringify({ status: "error", "error-code": "limit-reached", "error-msg": "the list is full" });
  themes.fixture.proxy.fault = ({ name }) => name === "lists/update-ctx" && [400, refusal];
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await off(other, "shirt");
  await off(page, "shirt");
});

test("a press that the server refuses is undone, and the shopper is told", async () => {
  const page = await visit("collection");
  const refusal = JSON.stringify({ status: "error", "error-code": "limit-reached", "error-msg": "the list is full" });
  themes.fixture.proxy.fault = ({ name }) => name === "lists/update-ctx" && [400, refusal];
  await page.click("#shirt");
  await page.getByRole("alert").getByText("the list is full").waitFor();
  await off(page, "shirt");
});

test("a button without a variant, and a selector that is none, are reported and harm nothing", async () => {
  const page = await visit("collection");
  await page.evaluate(() => {
    _old.initializeActionButtons("..");
    document.querySelector(".grid").insertAdjacentHTML("beforeend", '<button id="bare" data-swaction="addToWishlist">x</button>');
    _old.initializeActionButtons(".grid");
  });
  await page.click("#bare");
  await page.click("#shirt");
  await on(page, "shirt");
  assert.match(page.complaints.join(), /not a valid selector.*data-variant-id/s);
});

test("buttons without any call of the theme, or bound again by it", async () => {
  const page = await visit("login-first", { prepare: () => (window.OldCallbacks = { push() {} }) });
  await page.click("#heart");
  await on(page, "heart");
  const again = await visit("collection");
  await again.evaluate(() => {
    _old.initializeActionButtons(".grid");
    _old.initializeActionButtons();
    _old.collectionsApi.initializeCollections(_old, false, 1);
  });
  await again.click("#outside");
  await on(again, "outside");
  await again.click("#shirt");
  await on(again, "shirt");
    assert.deepEqual(await epis(again), [4801, 4901], "each click counts once");
});

test("products of the platform fill what buttons use", async () => {
  const page = await visit("collection");
  const product = {
    id: 60, handle: "rug", title: "Rug", featured_image: "//cdn.shop.example/rug.jpg", price: 12900, type: "Rugs",
    variants: [{ id: 6001, title: "Small" }, { id: 6002, title: "Large" }],
  };
  const record = await page.evaluate((product) => {
    _old.mapShopifyProducts([product]);
    document.querySelector(".grid").insertAdjacentHTML("beforeend", '<button id="rug" data-swaction="addToWishlist" data-product-id="rug">x</button>');
    _old.initializeActionButtons(".grid");
    return [OldViewProducts[60] === OldViewProducts.rug, OldViewProducts.rug];
  }, product);
  assert.deepEqual(record, [true, {
    empi: 60, epi: 6001, du: `${themes.shop.url}/products/rug`, dt: "Rug", iu: "http://cdn.shop.example/rug.jpg", pr: 129, ct: "Rugs",
    variants: '[{"Small":6001},{"Large":6002}]', cu: "",
  }]);
  // A product that the theme has not found, and one as /products.json has it.
  const [listed] = await page.evaluate(() =>
    _old.mapShopifyProducts([null, { id: 61, handle: "mat", images: [{ src: "//cdn.shop.example/mat.jpg" }], variants: [{ id: 6101, price: "9.50" }] }]),
  );
  assert.deepEqual([listed.epi, listed.iu, listed.pr], [6101, "http://cdn.shop.example/mat.jpg", 9.5]);
  await page.click("#rug");
  await on(page, "rug");
  const [item] = await items(page);
  assert.deepEqual([item.epi, item.empi, item.dt, item.pr], [6001, 60, "Rug", 129]);
});

test("what a button does not say is looked up: the page's product, or its variant's, and never another product's", async () => {
  const page = await visit("product");
  const seen = await page.evaluate(async () => {
    const added = [];
    _old.addToWishList = (product) => added.push([product.epi, product.empi, product.dt, product.du]);
    for (const data of [{}, { variantId: "4712" }, { variantId: "9901", productUrl: "/products/other" }]) {
      const button = document.createElement("button");
      button.setAttribute("data-swaction", "addToWishlist");
      Object.assign(button.dataset, data);
      document.body.append(button);
      _old.initializeActionButtons();
      button.click();
    }
    while (added.length < 3) await new Promise((resolve) => setTimeout(resolve));
    return added;
  });
  const lamp = "https://shop.example/products/lamp";
  assert.deepEqual(seen, [
    ["4711", "47", "Desk lamp", lamp],
    ["4712", "47", "Desk lamp", lamp],
    ["9901", "", undefined, "/products/other"],
  ]);
});

test("log in first: each function that themes replace is asked", async () => {
  for (const [replaced, click, expected] of [
    ["addToWishList", "#heart", [["log in", "4801"]]],
    ["uiRef", "#heart", [["log in", "4801"]]],
    ["open", "#launcher", [["log in", "wishlist"]]],
  ]) {
    const page = await visit(`login-first?replace=${replaced}`);
    await page.click(click);
    await page.waitForFunction(() => asked.length > 0);
    assert.deepEqual(await page.evaluate(() => asked), expected, replaced);
    assert.equal(await page.locator(".old-added").count(), 0, replaced);
    assert.deepEqual(await page.evaluate(() => _old.shopper.current()), null, "nothing was added");
    if (replaced !== "uiRef") continue;
    await page.click(click);
    await on(page, "heart");
  }
  const page = await visit("login-first?replace=getHostedURL");
  await page.click("#launcher");
  await page.waitForURL(`${themes.shop.url}/pages/login?`);
});

test("a logged-in shopper is not asked, and the launcher opens the list's page", async () => {
  const page = await visit("login-first?replace=addToWishList", { attributes: await shopper() });
  await page.click("#heart");
  await on(page, "heart");
  await page.click("#launcher");
  await page.waitForURL(`${themes.shop.url}/pages/old-wishlist`);
});

test("an address that would run a script is not opened", async () => {
  const page = await visit("login-first?replace=script");
  await page.click("#launcher");
  assert.deepEqual(await page.evaluate(() => asked), []);
  assert.match(page.complaints.join(), /getHostedURL must give/);
});
