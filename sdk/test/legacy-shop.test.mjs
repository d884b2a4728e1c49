// What a theme asks of the shop itself, and what leaves it: cart, products, sharing, product alerts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, failure, SOLD_OUT, useThemes } from "./support/theme.mjs";

const LAMP = { epi: "4711", empi: "47", du: "https://shop.example/products/lamp", dt: "Desk lamp" };
const themes = useThemes();
const { visit, shopper } = themes;

/** What was asked of the shop, beside the cart that every page loads. */
const asked = () => themes.shop.calls.filter((call) => call !== "GET /cart.js");
const inCart = (page, epi) => page.evaluate((epi) => _old.platform.isInDeviceCart(epi), epi);

test("adding to the cart: the shop's endpoint, text for the callback, an event, the cart's state", async () => {
  const page = await visit("empty");
  await page.evaluate(() => {
    window.events = [];
    _old.evtLayer.addEventListener(_old.JSEvents.UIAddedToCart, ({ detail }) => events.push(detail.d));
  });
  themes.shop.calls.length = 0;
  assert.equal(await inCart(page, 4711), false);
  const text = await call(page, "replayAddToCart", { empi: "47", du: LAMP.du, qty: "2" }, "4711");
  assert.equal(typeof text, "string");
  assert.deepEqual(JSON.parse(text).items.map(({ id, quantity }) => [id, quantity]), [[4711, 2]]);
  assert.deepEqual(asked(), ["POST /cart/add.js id=4711&quantity=2"]);
  const [{ productData, ...product }] = await page.evaluate(() => events);
  assert.deepEqual(product, { empi: "47", du: LAMP.du, qty: "2", epi: 4711 });
  assert.deepEqual([productData.epi, productData.empi, productData.dt], [4711, "47", "Desk lamp"]);
  assert.deepEqual([await inCart(page, "4711"), await inCart(page, 4711), await inCart(page, 471)], [true, true, false]);
});

test("the shop's refusal in its own words; a shop without a cart", async () => {
  const page = await visit("empty");
  const refused = await failure(page, "replayAddToCart", LAMP, SOLD_OUT);
  assert.deepEqual(refused, { message: "Cart Error", description: "The product is already sold out.", status: 422, code: undefined });
  themes.shop.isDown = true;
  const missing = await failure(page, "replayAddToCart", LAMP, 4711);
  assert.equal(missing.status, 404);
  assert.match(missing.description, /\/cart\/add\.js answered with HTTP 404/);
  await page.evaluate((product) => _old.replayAddToCart(product, 4711, "", ""), LAMP).catch(() => {});
  assert.equal(await inCart(page, 4711), false);
});

test("the cart is known from the page, or from the shop before a theme gets its lists", async () => {
  themes.shop.cart = [{ id: 4711, variant_id: 4711 }];
  const page = await visit("empty");
  await call(page, "addToWishList", LAMP);
  await page.evaluate(() => _old.fetch());
  assert.deepEqual([await inCart(page, 4711), await inCart(page, "4801")], [true, false]);

  themes.shop.calls.length = 0;
  const product = await visit("product");
  assert.deepEqual([await inCart(product, 4712), await inCart(product, 4711)], [true, false]);
  assert.ok(!themes.shop.calls.includes("GET /cart.js"), "a page that has the cart needs no request");

  themes.shop.isDown = true;
  const without = await visit("empty");
  await call(without, "addToWishList", LAMP);
  assert.equal((await call(without, "fetch")).length, 1);
  assert.equal(await inCart(without, 4711), false);
});

test("the shop's product", async () => {
  const page = await visit("empty");
  themes.shop.calls.length = 0;
  const product = await call(page, "getProductDetails", { ...LAMP, du: `${LAMP.du}/?variant=1#top` });
  assert.deepEqual([product.title, product.variants.map(({ id }) => id)], ["Desk lamp", [4711, 4712]]);
  assert.deepEqual(asked(), ["GET /products/lamp.js"]);
  const missing = await failure(page, "getProductDetails", { du: "/products/none" });
  assert.equal(missing.status, 404);
  assert.match((await failure(page, "getProductDetails", { du: "http://[" })).message, /URL/);
});

test("the shop's product is asked of the shop alone, whatever the address of an item is", async () => {
  const page = await visit("empty");
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const addresses = ["https://other.example//evil.example/p", "javascript:.evil.example/p", "//evil.example/products/lamp"];
  await page.evaluate((all) => Promise.allSettled(all.map((du) => _old.getProductDetails({ du }, "", ""))), addresses);
  assert.equal(asked.length, 2);
  assert.deepEqual(asked.filter((address) => new URL(address).origin !== themes.shop.url), []);
});

test("a shared list: the same address each time, and a visitor's page that shows it", async () => {
  const page = await visit("empty", { attributes: await shopper() });
  const { lid } = await call(page, "addToWishList", LAMP);
  const share = () =>
    page.evaluate(() => new Promise((resolve, reject) => _old.generateSharedListURL(null, (...got) => resolve(got), reject)));
  await page.evaluate(() => (OldUtils.getHostedURL = () => "/pages/shared?"));
  const [url, shared] = await share();
  assert.equal(shared, lid);
  assert.deepEqual((await share())[0], url);
  assert.equal(await page.evaluate((lid) => _old.generateSharedListURL({ lid }), lid), url);
  assert.match(url, new RegExp(`^${themes.shop.url}/pages/shared\\?lid=`));
  assert.ok(!url.includes(lid), "the list's own id is not given away");

  const visitor = await visit(url.slice(`${themes.shop.url}/pages/`.length));
  assert.equal(await visitor.locator("#items a").textContent(), "Desk lamp");
  const element = visitor.locator("#container wishbone-shared-list");
  await element.waitFor({ state: "attached" });
  assert.equal(await element.getAttribute("key"), new URL(url).searchParams.get("lid"));
  await element.getByText("Desk lamp").first().waitFor();
  const nobody = await visit("shared?lid=none");
  await nobody.getByText("This wishlist does not exist.").waitFor();
});

test("a list in an element of the theme: the default one, an own one, and its way into the cart", async () => {
  const page = await visit("empty");
  const { lid } = await call(page, "addToWishList", LAMP);
  const seen = await page.evaluate(async (lid) => {
    document.body.innerHTML = "<main>Loading</main>";
    const container = document.querySelector("main");
    const mounted = async (params) => (await _old.ui.renderWishlistInContainer(container, params)).cloneNode().outerHTML;
    const lists = [await mounted(), await mounted({})];
    _old.setCurrency("EUR");
    lists.push(await mounted({ lid }));
    const failed = await _old.ui.renderWishlistInContainer(null).catch((error) => error.description);
    return { lists, children: container.childNodes.length, failed };
  }, lid);
  const own = (more) => `<wishbone-list class="old-ui-component old-ready"${more}></wishbone-list>`;
  assert.deepEqual(seen.lists, [own(""), own(""), own(` lid="${lid}" currency="EUR"`)]);
  assert.equal(seen.children, 1);
  assert.match(seen.failed, /Pass an element/);

  await call(page, "addToWishList", { ...LAMP, epi: SOLD_OUT, dt: "Floor lamp" });
  themes.shop.calls.length = 0;
  const add = (title) => page.getByRole("listitem").filter({ hasText: title }).getByRole("button", { name: /cart/i }).click();
  await add("Desk lamp");
  await page.waitForFunction(() => _old.platform.isInDeviceCart(4711));
  assert.deepEqual(asked(), ["POST /cart/add.js id=4711&quantity=1"]);
  await add("Floor lamp");
  await page.getByText("The product is already sold out.").waitFor();
});

test("a list by mail, with and without a name and a lid", async () => {
  const page = await visit("empty", { attributes: await shopper() });
  const { lid } = await call(page, "addToWishList", LAMP);
  const sent = await call(page, "sendListViaEmail", { toEmailId: "friend@example.com", fromName: "", note: "Look" });
  assert.equal(sent.listinfo.lid, lid);
  themes.fixture.proxy.calls.length = 0;
  await call(page, "sendListViaEmail", { toEmailId: "friend@example.com", fromName: "Ann", lid });
  const [{ form }] = themes.fixture.proxy.of("lists/emailList");
  assert.deepEqual([form.lid, form.toemail, form.fromname], [lid, "friend@example.com", "Ann"]);
  assert.match((await failure(page, "sendListViaEmail", { toEmailId: "no address" })).description, /toemail/);
});

test("a list on a social network opens a window, and is counted", async () => {
  const page = await visit("empty", { attributes: await shopper() });
  const { lid } = await call(page, "addToWishList", LAMP);
  await page.context().route("https://social.example/**", (route) => route.fulfill({ body: "posted" }));
  const post = (...args) =>
    page.evaluate((args) => {
      const call = args.map((one) => (one === "err" ? (error) => (window.error = error.message) : one));
      return _old.shareListSocial(...call).catch(() => "failed");
    }, args);
  themes.fixture.proxy.calls.length = 0;
  const opened = page.waitForEvent("popup");
  const target = new URL(await post(lid, "My list", "https://social.example/?u={{url}}&t={{ text }}", "example", "For you & me", "err"));
  const popup = await opened;
  await popup.waitForURL(target.href);
  assert.equal(await popup.evaluate(() => window.opener), null);
  assert.equal(target.searchParams.get("t"), "For you & me");
  assert.match(target.searchParams.get("u"), new RegExp(`^${themes.shop.url}/pages/old-wishlist\\?lid=`));
  assert.deepEqual(themes.fixture.proxy.of("lists/reportShare").map(({ form }) => [form.lid, form.medium]), [[lid, "example"]]);

  // Without a note, without a lid, and with a template that only begins an address.
  assert.match(await post(null, "", "https://social.example/?u=", "example", "err"), /^https:\/\/social\.example\/\?u=http/);
  const closed = page.waitForEvent("popup").then((popup) => popup.waitForEvent("close"));
  assert.equal(await post(lid, "", "javascript:alert({{url}})", "example", "", "err"), "failed");
  await closed;
  assert.match(await page.evaluate(() => error), /must begin with https/);
  await page.evaluate(() => (window.open = () => null));
  assert.equal(await post(lid, "", "https://social.example/", "example", "", "err"), "failed");
  assert.match(await page.evaluate(() => error), /blocked the window/);
  const [first] = await page.evaluate(() => _old.retailerSettings.Wishlist.SharingModes);
  assert.deepEqual([first.type, new URL(first.url).protocol], ["facebook", "https:"]);
});

test("a public list, and a guest who must log in to share", async () => {
  const page = await visit("empty", { attributes: await shopper() });
  const { lid } = await call(page, "addToWishList", LAMP);
  assert.equal((await call(page, "markListPublic", lid)).anonRead, true);
  const guest = await visit("empty");
  await call(guest, "addToWishList", LAMP);
  const refused = await failure(guest, "generateSharedListURL", null);
  assert.deepEqual([refused.status, refused.code], [401, "user-not-logged-in"]);
  assert.match(refused.description, /shopper\.login/);
});

test("product alerts, from the product page and for a topic", async () => {
  const identity = await shopper();
  const page = await visit("product", { attributes: identity });
  await page.click("#notify button");
  await page.getByText("Subscribed").waitFor();
  await call(page, "subscribeForProductAlert", "ann@example.com", "email", { epi: 4712, empi: 47, du: LAMP.du });
  await page.evaluate((product) => _old.subscribeForProductAlert("ann@example.com", "email", product, "", "", 1, "comingsoon"), LAMP);
  const found = (topic) => page.evaluate((topic) => _old.subscriptions.fetch({ topic }), topic);
  const { subscriptions } = await found("backinstock");
  assert.deepEqual(subscriptions.map(({ epi, mediumvalue, du }) => [epi, mediumvalue, du]), [
    [4712, "ann@example.com", LAMP.du],
    [4711, "shopper@example.com", page.url()],
  ]);
  assert.equal((await found("comingsoon")).total, 1);
  assert.match((await failure(page, "sendWatchlist", "no address", "email", LAMP)).description, /mediumvalue/);
});
