// Buttons of products, on pages that do not know the variant that the shopper has saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ready, sent, useThemes } from "./support/theme.mjs";

const themes = useThemes();
const { visit, shopper } = themes;

const on = (page, id) => page.locator(`#${id}.old-added`).waitFor({ state: "attached" });
const off = (page, id) => page.locator(`#${id}:not(.old-added)`).waitFor({ state: "attached" });
const lamp = (epi) => ({ epi, empi: 47, du: "https://shop.example/products/lamp" });

/** What is in the shopper's wishlists, once the server has everything. */
async function saved(page) {
  await sent(page);
  const lists = await page.evaluate(() => _old.lists.fetch({ lty: "wl", contents: true }));
  return lists.flatMap(({ listcontents }) => listcontents.map(({ epi }) => epi)).sort();
}

/** Asks the server and waits for what follows: buttons that wanted to ask something have done so. */
async function settled(page) {
  for (let calls = 0; calls < 20; calls++) await page.evaluate(() => _old.counts.social(47));
}

/** How often the server was asked what is in lists. */
function questions() {
  const count = (name) => themes.fixture.proxy.of(`lists/${name}`).length;
  return { contains: count("contains"), lists: count("fetch-lists") };
}

/** Opens a theme as a shopper who has this in the default wishlist, and counts calls from there on. */
async function visitWith(theme, items, options = {}) {
  const attributes = await shopper();
  const before = await visit("product", { attributes });
  await before.evaluate((items) => _old.items.add({ items }), items);
  await before.close();
  themes.fixture.proxy.calls.length = 0;
  return visit(theme, { attributes, ...options });
}

test("a variant that the page does not know fills the button of its product, and a click removes it", async () => {
  const page = await visitWith("listing", [lamp(4711)]);
  await on(page, "lamp");
  await off(page, "shirt");
  assert.deepEqual(questions(), { contains: 2, lists: 1 }, "the variants of the page, the wishlists, and the variant found there");
  await page.click("#lamp");
  await off(page, "lamp");
  assert.deepEqual(await saved(page), []);
  await page.click("#lamp");
  await on(page, "lamp");
  assert.deepEqual(await saved(page), [4712]);
});

test("a click that comes before the wishlists are known waits for them", async () => {
  const { proxy } = themes.fixture;
  let answer;
  const asked = new Promise((resolve) => (answer = resolve));
  proxy.fault = ({ name }) => (name === "lists/fetch-lists" ? asked : undefined);
  const page = await visitWith("listing", [lamp(4711)]);
  await page.click("#lamp");
  answer();
  await page.waitForFunction(() => _old.items.contains({ epis: 4711, lty: "wl" }).then((lids) => lids.length === 0));
  assert.deepEqual(await saved(page), []);
  await off(page, "lamp");
});

test("a click removes every variant of the product, from every wishlist, and nothing else", async () => {
  const page = await visitWith("product", [lamp(4711), lamp(4712), lamp(4713), { ...lamp(4801), empi: 48 }]);
  await page.evaluate(async (lamp) => {
    const { lid } = await _old.lists.create({ lname: "Other" });
    await _old.items.add({ ...lamp, lid });
  }, lamp(4714));
  await page.goto(page.url().replace("product", "listing"));
  await ready(page);
  await on(page, "lamp");
  await page.click("#lamp");
  await off(page, "lamp");
  assert.deepEqual(await saved(page), [4801]);
});

test("the page asks once for its variants and once for the wishlists, and a press asks for neither", async () => {
  const page = await visitWith("listing", [lamp(4712)]);
  await on(page, "lamp");
  await settled(page);
  assert.deepEqual(questions(), { contains: 1, lists: 1 });
  await page.click("#shirt");
  await on(page, "shirt");
  await sent(page);
  await settled(page);
  assert.deepEqual(questions(), { contains: 1, lists: 1 });
});

test("buttons of variants need no wishlists, and a new visitor asks nothing", async () => {
  const prepare = () =>
    document.addEventListener("DOMContentLoaded", () =>
      document.querySelectorAll("button").forEach((button) => button.setAttribute("data-with-epi", "true")));
  const page = await visitWith("listing", [lamp(4712)], { prepare });
  await on(page, "lamp");
  await settled(page);
  assert.deepEqual(questions(), { contains: 1, lists: 0 });

  themes.fixture.proxy.calls.length = 0;
  const guest = await visit("listing");
  await settled(guest);
  assert.deepEqual(questions(), { contains: 0, lists: 0 });
  await guest.click("#lamp");
  await on(guest, "lamp");
  await sent(guest);
  await settled(guest);
  assert.equal(questions().lists, 0, "whoever has just registered has no other list");
});

test("a question for the wishlists that fails is not asked again because it failed, and the buttons do without", async () => {
  const { proxy } = themes.fixture;
  proxy.fault = ({ name }) => name === "lists/fetch-lists" && [403, "{}"];
  const page = await visitWith("listing", [lamp(4712)]);
  await on(page, "lamp");
  await settled(page);
  assert.equal(questions().lists, 1);
  await page.click("#lamp");
  await off(page, "lamp");
});

test("a variant that another tab adds or removes, with and without a network", async () => {
  const context = await themes.fixture.browser.newContext();
  const [product, listing] = [await visit("product", { context }), await visit("listing", { context })];
  await product.evaluate((lamp) => _old.items.add(lamp), lamp(4711));
  await on(listing, "lamp");
  await product.evaluate(() => _old.items.remove({ epi: 4711 }));
  await off(listing, "lamp");

  themes.fixture.proxy.fault = () => "refuse";
  await product.evaluate((lamp) => void _old.items.add(lamp), lamp(4713));
  await on(listing, "lamp");
  await listing.click("#lamp");
  await off(listing, "lamp");
  themes.fixture.proxy.fault = () => undefined;
  await listing.evaluate(() => dispatchEvent(new Event("online")));
  assert.deepEqual(await saved(listing), []);
  await off(listing, "lamp");
});

test("after a login the wishlists of that shopper count, and after a logout none", async () => {
  const identity = await shopper();
  const { call } = themes.fixture;
  const { lid } = await call(identity, "lists/create", { lname: "Other" });
  await call(identity, "lists/update-ctx", { lid, a: [lamp(4711)] });
  const page = await visit("listing");
  await page.evaluate((identity) => _old.init(identity), identity);
  await on(page, "lamp");
  await page.evaluate(() => _old.logout());
  await off(page, "lamp");
});
