// <wishbone-lists> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chooseOption, focused, openElements, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const LISTS = '<wishbone-lists currency="EUR" page="/shared"></wishbone-lists>';

async function openLists(options) {
  const page = await shop.open(LISTS, options);
  await page.getByRole("button", { name: /^My lists/ }).click();
  const drawer = page.getByRole("dialog", { name: "My lists" });
  await drawer.waitFor();
  return { page, drawer };
}

test("lists are created, renamed, opened and deleted with the keyboard alone", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const page = await shop.open(LISTS, { shopper });
  await page.getByRole("button", { name: "My lists, 2 items" }).waitFor();
  const key = (...keys) => keys.reduce((done, name) => done.then(() => page.keyboard.press(name)), Promise.resolve());
  await key("Tab", "Enter");
  const drawer = page.getByRole("dialog", { name: "My lists" });
  await drawer.waitFor();
  const names = async (...expected) => {
    await page.waitForFunction((expected) => {
      const rows = [...document.querySelector("wishbone-lists").shadowRoot.querySelectorAll(".show .strong")];
      return JSON.stringify(rows.map((row) => row.textContent)) === expected;
    }, JSON.stringify(expected));
  };
  await names("My Wishlist");
  await drawer.getByLabel("Name of the list").focus();
  await page.keyboard.type("Birthday");
  await key("Enter");
  await names("My Wishlist", "Birthday");

  await drawer.getByRole("button", { name: "Options: Birthday" }).focus();
  await key("Enter", "Escape");
  assert.match(await focused(page), /^Birthday/);
  assert.equal(await drawer.getByRole("button", { name: "Rename: Birthday" }).count(), 0);
  await key("Tab", "Enter", "Tab");
  assert.equal(await focused(page), "Rename: Birthday");
  await key("Enter");
  await page.waitForFunction(() => document.activeElement.shadowRoot.activeElement.name === "name");
  await key("Control+A");
  await page.keyboard.type("Christmas");
  await key("Enter");
  await names("My Wishlist", "Christmas");
  assert.match(await focused(page), /^Christmas/);

  await drawer.getByRole("button", { name: /^My Wishlist/ }).focus();
  await key("Enter");
  await drawer.getByText("Linen shirt").waitFor();
  assert.equal(await focused(page), "My lists");
  await key("Enter");
  await names("My Wishlist", "Christmas");
  assert.match(await focused(page), /^My Wishlist/);

  await drawer.getByRole("button", { name: "Options: Christmas" }).focus();
  await key("Enter", "Tab", "Tab");
  assert.equal(await focused(page), "Delete: Christmas");
  await key("Enter");
  await drawer.getByText("Delete Christmas with all its items?").waitFor();
  assert.equal(await focused(page), "Cancel");
  await key("Shift+Tab", "Enter");
  await names("My Wishlist");
  await page.getByText("Removed: Christmas").waitFor();
  assert.deepEqual((await shop.lists(shopper)).map(({ lname }) => lname), ["My Wishlist"]);

  await key("Escape");
  await drawer.waitFor({ state: "detached" });
  assert.equal(await focused(page), "My lists, 2 items");
});

test("the focus stays in the drawer, and toasts in it can be reached", async () => {
  const shopper = await shop.newShopper([1, 2]);
  const { page, drawer } = await openLists({ shopper });
  for (let press = 0; press < 12; press += 1) {
    await page.keyboard.press("Tab");
    const inside = await page.evaluate(() => {
      const inner = document.activeElement?.shadowRoot?.activeElement;
      return document.activeElement === document.body || Boolean(inner?.closest("dialog"));
    });
    assert.equal(inside, true);
  }
  await drawer.getByRole("button", { name: /^My Wishlist/ }).click();
  await drawer.getByRole("button", { name: "Remove: Linen shirt" }).click();
  await drawer.getByRole("button", { name: "Undo" }).click();
  await drawer.getByText("Linen shirt").waitFor();
  await shop.has(page, [1, 2]);
  await drawer.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog", { name: "Share list" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Share list" }).waitFor({ state: "detached" });
  assert.equal(await drawer.count(), 1);
});

test("changes that the server refuses are taken back", async () => {
  const shopper = await shop.newShopper([1]);
  const { page, drawer } = await openLists({ shopper });
  shop.proxy.fault = ({ name }) => (/create|update|delete/.test(name) ? forbidden : undefined);
  await chooseOption(drawer, "Rename", "My Wishlist");
  await drawer.locator("form.rename input").fill("Other");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await drawer.getByRole("button", { name: /^My Wishlist/ }).waitFor();
  await chooseOption(drawer, "Delete", "My Wishlist");
  await drawer.getByRole("button", { name: "Delete", exact: true }).click();
  await drawer.getByRole("button", { name: /^My Wishlist/ }).waitFor();
});

test("a row has the picture of its newest item, which follows the list, and one small request brings it", async () => {
  const shopper = await shop.newShopper([1, 2]);
  await shop.fill({ ...shopper, list: "Empty" }, []);
  const { page, drawer } = await openLists({ shopper });
  const picture = (epi) => drawer.locator(`img[src="${record(epi).iu}"]`);
  await picture(2).waitFor({ state: "attached" });
  assert.equal(shop.proxy.of("lists/fetch-list-with-contents").length, 1, "none for the empty list");
  const [{ lid }] = await shop.lists(shopper);
  await page.evaluate(({ lid, item }) => wishbone.items.add({ ...item, lid }), { lid, item: record(3) });
  await picture(3).waitFor({ state: "attached" });
  assert.equal(await drawer.getByRole("heading", { name: "New list" }).count(), 1);
});

const rowsOf = (page) =>
  page.evaluate(() => [...document.querySelector("wishbone-lists").shadowRoot.querySelectorAll(".lists > li")].map((row) => row.textContent));
const hasRows = (page, expected) =>
  page.waitForFunction((expected) => {
    const rows = document.querySelector("wishbone-lists").shadowRoot.querySelectorAll(".lists > li");
    return JSON.stringify([...rows].map((row) => row.textContent)) === expected;
  }, JSON.stringify(expected));
const forbidden = [403, JSON.stringify({ status: "error", "error-code": "forbidden", "error-msg": "no" })];
const online = (page) => page.evaluate(() => dispatchEvent(new Event("online")));

/** A drawer whose changes do not reach the server: a list is created, one renamed, one deleted. */
async function changedOffline() {
  const shopper = await shop.newShopper([1]);
  await shop.fill({ ...shopper, list: "Old" }, [2]);
  const { page, drawer } = await openLists({ shopper, attributes: { timeout: "1000" } });
  shop.proxy.fault = ({ name }) => (/create|update|delete/.test(name) ? "refuse" : undefined);
  await drawer.getByLabel("Name of the list").fill("Birthday");
  await page.keyboard.press("Enter");
  await hasRows(page, ["My Wishlist1 item", "Old1 item", "BirthdaySaving…"]);
  await chooseOption(drawer, "Rename", "My Wishlist");
  await drawer.locator("form.rename input").fill("Wishes");
  await page.keyboard.press("Enter");
  await chooseOption(drawer, "Delete", "Old");
  await drawer.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Your changes will be saved later").first().waitFor();
  await hasRows(page, ["Wishes1 item", "BirthdaySaving…"]);
  return { shopper, page };
}

test("changes made offline are shown, also after other changes and on the next page, and are saved later", async () => {
  const { shopper, page } = await changedOffline();
  await shop.call(shopper, "lists/create", { lname: "Phone" });
  await page.evaluate(() => wishbone.emit("lists-changed", {}));
  await hasRows(page, ["Wishes1 item", "Phone0 items", "BirthdaySaving…"]);
  await page.reload();
  await page.getByRole("button", { name: /^My lists/ }).click();
  await hasRows(page, ["Wishes1 item", "Phone0 items", "BirthdaySaving…"]);
  shop.proxy.fault = () => undefined;
  await online(page);
  await hasRows(page, ["Wishes1 item", "Phone0 items", "Birthday0 items"]);
  await page.waitForFunction(() => wishbone.queued().length === 0);
  assert.deepEqual((await shop.lists(shopper)).map(({ lname }) => lname), ["Wishes", "Phone", "Birthday"]);
});

test("changes made offline that the server then refuses are taken back, and the shopper is told", async () => {
  const { page } = await changedOffline();
  shop.proxy.fault = ({ name }) => (/create|update|delete/.test(name) ? forbidden : undefined);
  await online(page);
  await page.getByRole("alert").getByText("Your change was not saved.").first().waitFor();
  await hasRows(page, ["My Wishlist1 item", "Old1 item"]);
});

test("those of an earlier page that the server refuses are taken back too", async () => {
  const { page } = await changedOffline();
  await page.reload();
  await page.getByRole("button", { name: /^My lists/ }).click();
  await hasRows(page, ["Wishes1 item", "BirthdaySaving…"]);
  shop.proxy.fault = ({ name }) => (/create|update|delete/.test(name) ? forbidden : undefined);
  await online(page);
  await page.getByRole("alert").getByText("Your change was not saved.").first().waitFor();
  await hasRows(page, ["My Wishlist1 item", "Old1 item"]);
});

test("a new list is shown once, at every moment", async () => {
  const shopper = await shop.newShopper([1]);
  const { page, drawer } = await openLists({ shopper });
  await page.evaluate(() => {
    const root = document.querySelector("wishbone-lists").shadowRoot;
    window.most = 0;
    new MutationObserver(() => {
      const rows = [...root.querySelectorAll(".lists > li")].filter((row) => row.textContent.startsWith("Birthday"));
      most = Math.max(most, rows.length);
    }).observe(root, { childList: true, subtree: true, characterData: true });
  });
  await drawer.getByLabel("Name of the list").fill("Birthday");
  await page.keyboard.press("Enter");
  await hasRows(page, ["My Wishlist1 item", "Birthday0 items"]);
  assert.equal(await page.evaluate(() => most), 1);
  assert.equal((await rowsOf(page)).length, 2);
});

test("without an answer the lists are not shown as empty, and one that waits is shown beside the error", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open("", { shopper, attributes: { timeout: "1000" } });
  shop.proxy.fault = () => "refuse";
  await page.evaluate((html) => (document.querySelector("main").innerHTML = html), LISTS);
  await page.getByRole("button", { name: "My lists", exact: true }).click();
  await page.getByText("This could not be loaded").waitFor();
  await page.getByLabel("Name of the list").fill("Birthday");
  await page.keyboard.press("Enter");
  await hasRows(page, ["BirthdaySaving…"]);
  assert.equal(await page.getByText("This could not be loaded").count(), 1);
  // Its attempts would count as requests of the next test.
  await page.close();
});

test("Escape ends the renaming of a list, and leaves the drawer open", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(LISTS, { shopper });
  await page.getByRole("button", { name: "My lists, 1 item" }).click();
  const drawer = page.getByRole("dialog", { name: "My lists" });
  await chooseOption(drawer, "Rename", "My Wishlist");
  await page.keyboard.press("Escape");
  await hasRows(page, ["My Wishlist1 item"]);
  assert.match(await focused(page), /^My Wishlist/);
});

test("the count follows other tabs and logins; a visitor who has nothing costs no request", async () => {
  const page = await shop.open(LISTS);
  await page.getByRole("button", { name: "My lists, 0 items" }).waitFor();
  assert.deepEqual(shop.proxy.calls, []);
  const other = await shop.open("", { context: page.context() });
  await other.evaluate((item) => wishbone.items.add(item), record(1));
  await page.getByRole("button", { name: "My lists, 1 item" }).waitFor();
  await other.evaluate(() => wishbone.logout());
  await page.getByRole("button", { name: "My lists, 0 items" }).waitFor();
});

test("a dialog stays modal when its element is moved", async () => {
  const page = await shop.open('<wishbone-lists></wishbone-lists><div id="elsewhere"></div>');
  await page.locator("wishbone-lists").getByRole("button").first().click();
  await page.getByRole("dialog").waitFor();
  await page.evaluate(() => document.getElementById("elsewhere").append(document.querySelector("wishbone-lists")));
  assert.ok(await page.evaluate(() => document.querySelector("wishbone-lists").shadowRoot.querySelector("dialog").matches(":modal")));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});
