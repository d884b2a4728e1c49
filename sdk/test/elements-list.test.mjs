// <wishbone-list> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements("--plan", "enterprise", "--enable", "sort-filter");
});

after(() => shop?.close());

const range = (length) => Array.from({ length }, (_, index) => index + 1);
const LIST = '<wishbone-list currency="EUR" cart-url="/cart"></wishbone-list>';
const items = (page) => page.locator("wishbone-list li[data-epi]");
const epis = (page) => items(page).evaluateAll((all) => all.map((item) => Number(item.dataset.epi)));
const item = (page, epi) => page.locator(`wishbone-list li[data-epi="${epi}"]`);
const shows = (page, expected) =>
  page.waitForFunction((expected) => {
    const all = [...(document.querySelector("wishbone-list")?.shadowRoot?.querySelectorAll("li[data-epi]") || [])];
    return JSON.stringify(all.map((item) => Number(item.dataset.epi))) === expected;
  }, JSON.stringify(expected));
const fail = (code, status = 400) => [status, JSON.stringify({ status: "error", "error-code": code, "error-msg": code })];

test("it shows the default wishlist, newest first, with titles, prices and links", async () => {
  const shopper = await shop.newShopper([1, 2, 3]);
  const page = await shop.open(LIST, { shopper });
  await shows(page, [3, 2, 1]);
  assert.match(await item(page, 1).innerText(), /Linen shirt\s+Natural\s+€20.50\s+Add to cart/);
  assert.equal(await item(page, 1).getByRole("link").getAttribute("href"), record(1).du);
  await page.getByRole("heading", { name: "My Wishlist" }).waitFor();
  await page.getByText("3 items").waitFor();
});

test("a visitor who has nothing sees an empty list, and costs one small request in a browser session", async () => {
  const page = await shop.open(LIST);
  await page.getByText("Your wishlist is empty").waitFor();
  assert.deepEqual(shop.proxy.calls.map(({ name }) => name), ["provider/features"]);
});

test("long lists are loaded page by page, for shoppers and guests, also after items were removed", async () => {
  const shopper = await shop.newShopper(range(120));
  for (const identity of [shopper, undefined]) {
    const page = await shop.open(LIST, { shopper: identity });
    if (!identity) {
      await page.evaluate((items) => wishbone.items.add({ items }), range(120).map(record));
      await page.reload();
    }
    await shows(page, range(120).slice(70).reverse());
    await item(page, 120).getByRole("button", { name: "Remove" }).click();
    await page.getByText("119 items").waitFor();
    await page.waitForFunction(() => wishbone.queued().length === 0);
    const more = page.getByRole("button", { name: "Load more" });
    await more.click();
    await page.waitForFunction(() => document.querySelector("wishbone-list")?.shadowRoot?.querySelectorAll("li[data-epi]").length >= 98);
    await more.click();
    await shows(page, range(119).reverse());
    await more.waitFor({ state: "detached" });
  }
});

test("a removed item comes back where it was with Undo, and the focus moves to the next item", async () => {
  const shopper = await shop.newShopper([1, 2, 3]);
  const page = await shop.open(LIST, { shopper });
  await item(page, 2).getByRole("button", { name: "Remove: Oak stool" }).focus();
  await page.keyboard.press("Enter");
  await shows(page, [3, 1]);
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("aria-label")), "Remove: Linen shirt");
  await shop.has(page, [1, 3]);
  await page.getByText("2 items").waitFor();
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await shows(page, [3, 2, 1]);
  await shop.has(page, [1, 2, 3]);
  await page.getByText("3 items").waitFor();
});

test("after Undo, the keyboard goes on in the list", async () => {
  const page = await shop.open(LIST, { shopper: await shop.newShopper([1, 2]) });
  await item(page, 1).getByRole("button", { name: "Remove" }).click();
  const isInList = () => document.activeElement.localName === "wishbone-list";
  await page.waitForFunction(isInList);
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await shows(page, [2, 1]);
  await page.waitForFunction(isInList);
});

test("Undo before the removal has arrived puts the item back where it was", async () => {
  const page = await shop.open(LIST, { shopper: await shop.newShopper([1, 2, 3]) });
  let release;
  const held = new Promise((resolve) => (release = resolve));
  shop.proxy.fault = ({ form }) => (form.d ? held : undefined);
  await item(page, 2).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await shows(page, [3, 2, 1]);
  release();
  await page.waitForFunction(() => seen.some(([name]) => name === "added") && wishbone.queued().length === 0);
  assert.deepEqual(await page.evaluate(() => seen.map(([name]) => name).filter((name) => /^(added|removed)$/.test(name))), ["removed", "added"]);
  await shows(page, [3, 2, 1]);
});

test("a removal that the server refuses is taken back, and the shopper is told", async () => {
  const shopper = await shop.newShopper([1, 2, 3]);
  const page = await shop.open(LIST, { shopper });
  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? fail("internal", 500) : undefined);
  await item(page, 2).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await shows(page, [3, 2, 1]);
});

test("a note is written and cleared, and an item is moved to another list, also a new one", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const lid = await shop.fill({ ...shopper, list: "Birthday" }, [5]);
  const page = await shop.open(LIST, { shopper });
  const edit = async (epi) => {
    await item(page, epi).getByRole("button", { name: "Edit" }).click();
    await page.getByRole("dialog").waitFor();
    return page.getByRole("dialog");
  };
  const notes = async () => (await shop.call(shopper, "lists/fetch-lists")).flatMap(({ listcontents }) => listcontents.map(({ note }) => note?.trim()).filter(Boolean));
  const settled = (check) => page.waitForFunction(() => wishbone.queued().length === 0).then(check);

  let dialog = await edit(1);
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.closest("dialog") !== null), true);
  await dialog.getByLabel("Note").fill("Size M\n<b>blue</b>");
  await dialog.getByRole("button", { name: "Save" }).click();
  await item(page, 1).getByText("<b>blue</b>").waitFor();
  await settled(async () => assert.deepEqual(await notes(), ["Size M\n<b>blue</b>"]));

  dialog = await edit(1);
  assert.equal(await dialog.getByLabel("Note").inputValue(), "Size M\n<b>blue</b>");
  await dialog.getByLabel("Note").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await item(page, 1).getByText("blue").waitFor({ state: "detached" });
  await settled(async () => assert.deepEqual(await notes(), []));

  dialog = await edit(1);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("aria-label")), "Edit: Linen shirt");

  dialog = await edit(1);
  await dialog.locator("select").selectOption("Birthday");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Moved to Birthday").waitFor();
  await shows(page, [2]);
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("aria-label")), "Edit: Oak stool");

  dialog = await edit(2);
  await dialog.locator("select").selectOption("new");
  await dialog.getByLabel("Name of the list").fill("Attic");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Moved to Attic").waitFor();
  await page.getByText("Your wishlist is empty").waitFor();
  const lists = await shop.lists(shopper);
  assert.deepEqual(lists.map(({ lname, epis }) => [lname, epis]), [["My Wishlist", []], ["Birthday", [5, 1]], ["Attic", [2]]]);
  assert.equal(lists[1].lid, lid);
});

test("the page puts items into its cart, and the shopper sees how that went", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(LIST, { shopper });
  const press = () => item(page, 1).getByRole("button", { name: "Add to cart: Linen shirt" }).click();
  const handle = (work) => page.evaluate((work) => {
    document.onwishbone = new Function("event", work);
    document.addEventListener("wishbone:add-to-cart", document.onwishbone, { once: true });
  }, work);
  await handle("window.got = event.detail; event.detail.respondWith(new Promise((resolve) => (window.arrive = resolve)))");
  await press();
  await item(page, 1).locator('button[aria-disabled="true"]').waitFor();
  assert.deepEqual(await page.evaluate(() => [got.item.epi, got.item.dt, got.quantity]), [1, "Linen shirt", 1]);
  await page.evaluate(() => arrive());
  await page.getByText("Added to cart: Linen shirt").waitFor();
  await handle("event.detail.respondWith(Promise.reject('Only two left.'))");
  await press();
  await page.getByRole("alert").getByText("Only two left.").waitFor();
  await handle("event.detail.respondWith(Promise.reject(new Error('internal')))");
  await press();
  await page.getByRole("alert").getByText("Not added to cart: Linen shirt").waitFor();
  await handle("event.preventDefault()");
  await press();
  await page.route("**/cart", (route) => route.fulfill({ body: "Cart" }));
  await page.getByRole("button", { name: "View cart" }).click();
  await page.waitForURL(`${shop.shop.url}/cart`);
  assert.deepEqual(page.uncaught, []);
});

test("without a cart, the shopper gets to the product", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(LIST, { shopper });
  await page.route("https://shop.example/**", (route) => route.fulfill({ body: "Product" }));
  await item(page, 1).getByRole("button", { name: "Add to cart" }).click();
  await page.waitForURL(record(1).du);
});

test("it can be sorted and filtered where the store has enabled it", async () => {
  const shopper = await shop.newShopper([2, 3, 1]);
  const page = await shop.open(LIST, { shopper });
  await shows(page, [1, 3, 2]);
  assert.equal(shop.proxy.of("lists/fetch-user-list").length, 1);
  await page.getByLabel("Sort by").selectOption("Price: low to high");
  await shows(page, [1, 2, 3]);
  await page.getByLabel("Show").selectOption("Sold out");
  await shows(page, []);
  await page.getByLabel("Show").selectOption("All products");
  await shows(page, [1, 2, 3]);
  await page.evaluate((item) => wishbone.items.add(item), { ...record(9), pr: 1 });
  await shows(page, [9, 1, 2, 3]);
  await page.getByLabel("Sort by").selectOption("Newest first");
  await shows(page, [9, 1, 3, 2]);
});

test("where the store has no sorting there are no controls, and it is asked once in a browser session", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const page = await shop.open("", { shopper });
  const features = JSON.stringify({ status: "success", data: { features: ["save-for-later"] } });
  shop.proxy.fault = ({ name }) => (name === "provider/features" ? [200, features] : undefined);
  const add = () => page.evaluate((html) => (document.querySelector("main").innerHTML = html), LIST);
  await add();
  await shows(page, [2, 1]);
  assert.equal(await page.getByLabel("Sort by").count(), 0);
  await page.reload();
  await add();
  await shows(page, [2, 1]);
  assert.equal(shop.proxy.of("provider/features").length, 1);
  assert.deepEqual(shop.proxy.of("lists/fetch-user-list").map(({ form }) => form.sortorder), [undefined, undefined]);
});

test("a list goes on without controls where sorting was switched off meanwhile", async () => {
  shop.proxy.fault = () => undefined;
  const page = await shop.open("", { shopper: await shop.newShopper([1, 2]) });
  shop.proxy.fault = ({ form }) => (form.sortorder ? fail("sort-filter-disabled") : undefined);
  await page.evaluate((html) => (document.querySelector("main").innerHTML = html), LIST);
  await shows(page, [2, 1]);
  assert.equal(await page.getByLabel("Sort by").count(), 0);
});

test("changes of other elements and tabs show, and a logout leaves nothing of the shopper", async () => {
  const heart = `<wishbone-heart epi="7" empi="7" du="https://shop.example/p/7" dt="Vase"></wishbone-heart>`;
  const page = await shop.open(LIST + heart);
  const other = await shop.open(LIST, { context: page.context() });
  await page.getByRole("button", { name: "Add to wishlist: Vase" }).click();
  await shows(page, [7]);
  await shows(other, [7]);
  await other.evaluate(() => wishbone.items.update({ epi: 7, empi: 7, du: "https://shop.example/p/7", note: "for the hall" }));
  await item(page, 7).getByText("for the hall").waitFor();
  await item(other, 7).getByRole("button", { name: "Remove" }).click();
  await shows(page, []);
  await page.getByText("Your wishlist is empty").waitFor();
  await page.evaluate((item) => wishbone.items.add(item), record(1));
  await shows(other, [1]);
  await page.evaluate(() => wishbone.logout());
  await other.getByText("Your wishlist is empty").waitFor();
  assert.deepEqual(await epis(page), []);
});

test("a note can be written where the shopper's lists cannot be loaded, and creates none", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(LIST, { shopper });
  await shows(page, [1]);
  shop.proxy.fault = ({ name }) => (/fetch/.test(name) ? fail("internal", 500) : undefined);
  await item(page, 1).getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Note").fill("for the hall");
  await page.getByRole("button", { name: "Save" }).click();
  await item(page, 1).getByText("for the hall").waitFor();
  await page.waitForFunction(() => wishbone.queued().length === 0);
  assert.deepEqual(shop.proxy.of("lists/create"), []);
});

test("an item that is moved to a new list without a network is there when the network is back", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const page = await shop.open(LIST, { shopper, attributes: { timeout: "1000" } });
  await item(page, 1).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByRole("combobox").selectOption("new");
  await page.getByRole("dialog").getByLabel("Name").fill("Holiday");
  shop.proxy.fault = () => "refuse";
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your changes will be saved later").waitFor();
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.getByText("Moved to Holiday").waitFor();
  await shows(page, [2]);
});

test("an open dialog and what a toast says do not outlast the shopper", async () => {
  const page = await shop.open(LIST);
  await page.evaluate((items) => wishbone.items.add({ items }), [1, 2].map(record));
  await item(page, 1).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await item(page, 2).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").waitFor();
  await page.evaluate(() => wishbone.logout());
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
});

test("an order that cannot be loaded is not shown as chosen, and the shopper is told", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const page = await shop.open(LIST, { shopper });
  await shows(page, [2, 1]);
  shop.proxy.fault = () => fail("internal", 500);
  await page.getByLabel("Sort by").selectOption({ index: 1 });
  await page.getByRole("alert").getByText("This could not be loaded").waitFor();
  await page.waitForFunction(() => document.querySelector("wishbone-list").shadowRoot.querySelector("select").selectedIndex === 0);
  assert.deepEqual(await epis(page), [2, 1]);
});

test("a failed load does not look like an empty list, and can be repeated", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open("", { shopper });
  shop.proxy.fault = () => fail("internal", 500);
  await page.evaluate((html) => (document.querySelector("main").innerHTML = html), LIST);
  await page.getByText("This could not be loaded").waitFor();
  assert.equal(await page.getByText("empty").count(), 0);
  shop.proxy.fault = () => undefined;
  await page.getByRole("button", { name: "Try again" }).click();
  await shows(page, [1]);
});

test("offline it says so, and loads when the network is back; a removal made offline stays made", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const page = await shop.open("", { shopper, attributes: { timeout: "3000" } });
  const add = () => page.evaluate((html) => (document.querySelector("main").innerHTML = html), LIST);
  await page.context().setOffline(true);
  await add();
  await page.getByText("You are offline", { exact: true }).waitFor();
  await page.context().setOffline(false);
  await shows(page, [2, 1]);
  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? "refuse" : undefined);
  await item(page, 1).getByRole("button", { name: "Remove" }).click();
  await page.getByText("Your changes will be saved later").waitFor();
  await page.reload();
  await add();
  await shows(page, [2]);
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await shop.has(page, [2]);
});

test("another lid, a list that is gone, and an element that is taken out and put back", async () => {
  const shopper = await shop.newShopper([1]);
  const lid = await shop.fill({ ...shopper, list: "Birthday" }, [5]);
  const page = await shop.open(LIST, { shopper });
  await shows(page, [1]);
  await page.evaluate((lid) => document.querySelector("wishbone-list").setAttribute("lid", lid), lid);
  await shows(page, [5]);
  await page.evaluate(() => {
    window.kept = document.querySelector("wishbone-list");
    kept.remove();
  });
  await shop.call(shopper, "lists/update-ctx", { lid, a: [record(6)] });
  await page.evaluate(() => document.querySelector("main").append(kept));
  await shows(page, [6, 5]);
  await page.evaluate((lid) => wishbone.lists.delete({ lid }), lid);
  await page.getByText("This list no longer exists.").waitFor();
  await page.evaluate(() => kept.removeAttribute("lid"));
  await shows(page, [1]);
  assert.deepEqual(page.uncaught, []);
});

test("hostile texts and addresses are text, and no links", async () => {
  const shopper = await shop.newShopper();
  const hostile = { dt: "<img src=x onerror=alert(1)>", vi: "\u202Eabc", note: "</p><script>alert(1)</script>" };
  await shop.fill({ ...shopper, list: "<b>List</b>" }, [1], hostile);
  const page = await shop.open(LIST, { shopper });
  await item(page, 1).getByText("<img src=x onerror=alert(1)>").waitFor();
  await page.getByRole("heading", { name: "<b>List</b>" }).waitFor();
  // The server refuses such addresses: here a proxy puts them into its answer.
  shop.proxy.fault = async ({ name }) => {
    if (name !== "lists/fetch-user-list") return undefined;
    const [list] = await shop.call(shopper, "lists/fetch-lists");
    const listcontents = list.listcontents.map((one) => ({ ...one, du: " java\nscript:alert(1)", iu: "data:image/svg+xml,<svg/>" }));
    return [200, JSON.stringify({ status: "success", data: { ...list, listcontents }, pagination: { next: null } })];
  };
  await page.reload();
  await item(page, 1).getByText("<img src=x").waitFor();
  assert.equal(await item(page, 1).locator("a, img").count(), 0);
  await item(page, 1).getByRole("button", { name: "Add to cart" }).click();
  assert.equal(page.url(), `${shop.shop.url}/`);
  assert.deepEqual(page.uncaught, []);
});

test("all items are put into the cart, and each says what has become of it", async () => {
  const shopper = await shop.newShopper([1, 2, 3]);
  await shop.upsert([{ ...record(9), stock: 0 }]);
  const [{ lid }] = await shop.lists(shopper);
  await shop.call(shopper, "lists/update-ctx", { lid, a: [record(9)] });
  const page = await shop.open(LIST, { shopper });
  await shows(page, [9, 3, 2, 1]);
  const all = page.getByRole("button", { name: "Add all to cart" });
  await all.click();
  // Nobody handles the event: the shopper stays here, and is not told that anything arrived.
  await page.getByRole("alert").getByText("Not added to cart: 4 items").waitFor();
  await item(page, 3).getByText("Not added to cart: Wool throw").waitFor();
  await item(page, 9).getByText("Not added to cart: Wool throw").waitFor();
  await page.evaluate(() => {
    window.got = [];
    document.addEventListener("wishbone:add-to-cart", ({ detail }) => {
      got.push(detail.item.epi);
      detail.respondWith(detail.item.epi === 2 ? Promise.reject("Only in <b>two</b> weeks") : Promise.resolve());
    });
  });
  await all.press("Enter");
  await page.getByRole("status").getByText("Added to cart: 2 items").waitFor();
  // One of them is sold out.
  await page.getByRole("alert").getByText("Not added to cart: 2 items").waitFor();
  assert.deepEqual(await page.evaluate(() => got), [3, 2, 1], "what is sold out is not among them");
  await item(page, 2).getByText("Only in <b>two</b> weeks").waitFor();
  await item(page, 1).getByText("Added to cart: Linen shirt").waitFor();
  await item(page, 9).getByText("Not added to cart: Wool throw").waitFor();
  await shows(page, [9, 3, 2, 1]);
  assert.deepEqual(page.uncaught, []);
});

test("the page's list is switched to another one, also after one was made or deleted", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(LIST, { shopper });
  await shows(page, [1]);
  const choice = page.getByRole("combobox", { name: "List" });
  assert.equal(await choice.count(), 0, "there is only one");
  const lid = await page.evaluate(async (item) => {
    const { lid } = await wishbone.lists.create({ lname: "<b>Birthday</b>" });
    await wishbone.items.add({ ...item, lid });
    return lid;
  }, record(5));
  await choice.focus();
  await page.keyboard.press("ArrowDown");
  await shows(page, [5]);
  await page.getByRole("heading", { name: "<b>Birthday</b>" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.tagName), "SELECT");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill("soon");
  await page.getByRole("button", { name: "Save" }).click();
  await item(page, 5).getByText("soon").waitFor();
  await page.evaluate((lid) => wishbone.lists.delete({ lid }), lid);
  await shows(page, [1]);
  await choice.waitFor({ state: "detached" });
  // An element with a lid is about that list.
  await page.evaluate(async () => {
    const { lid } = await wishbone.lists.create({ lname: "Other" });
    document.querySelector("wishbone-list").setAttribute("lid", lid);
  });
  await page.getByText("Your wishlist is empty").waitFor();
  assert.equal(await choice.count(), 0);
  assert.deepEqual(page.uncaught, []);
});
