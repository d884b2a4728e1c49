// <wishbone-share>, <wishbone-shared-list> and <wishbone-lists> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const PAGE = "https://shop.example/shared#{key}";
const focused = (page) => page.evaluate(() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.getAttribute("aria-label") || at?.textContent || at?.name;
});

/** A shopper with a shared list. */
async function sharer(epis) {
  const shopper = await shop.newShopper();
  const lid = await shop.fill({ ...shopper, list: "Ann's <b>birthday</b>" }, epis);
  const { link } = await shop.call(shopper, "lists/share-links/create", { lid });
  return { shopper, lid, key: link.key };
}

async function openShare(html, options) {
  const page = await shop.open(html, options);
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share list" });
  await dialog.waitFor();
  return { page, dialog };
}

test("a dialog stays modal when its element is moved", async () => {
  const page = await shop.open('<wishbone-lists></wishbone-lists><div id="elsewhere"></div>');
  await page.locator("wishbone-lists").getByRole("button").first().click();
  await page.getByRole("dialog").waitFor();
  await page.evaluate(() => document.getElementById("elsewhere").append(document.querySelector("wishbone-lists")));
  assert.ok(await page.evaluate(() => document.querySelector("wishbone-lists").shadowRoot.querySelector("dialog").matches(":modal")));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a link is made, copied, given to the device, and turned off", async () => {
  const shopper = await shop.newShopper([1]);
  const context = await shop.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const prepare = () => {
    navigator.share = async (data) => void (window.shared = data);
  };
  const { page, dialog } = await openShare(`<wishbone-share page="${PAGE}"></wishbone-share>`, { shopper, context, prepare });
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await dialog.getByLabel("Link", { exact: true }).inputValue();
  assert.match(address, /^https:\/\/shop\.example\/shared#[\w-]{43}$/);
  await dialog.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address);
  await dialog.getByRole("button", { name: "More ways to share" }).click();
  await page.waitForFunction(() => window.shared);
  assert.equal(await page.evaluate(() => shared.url), address);
  const [{ lid }] = await shop.lists(shopper);
  const links = async () => (await shop.call(shopper, "lists/share-links/list", { lid })).links.length;
  assert.equal(await links(), 1);
  await dialog.getByRole("button", { name: "Turn off link" }).click();
  await dialog.getByRole("button", { name: "Create link" }).waitFor();
  assert.equal(await links(), 0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await focused(page), "Share");
});

test("a link that exists is shown again; without {key} the page gets a parameter", async () => {
  const { shopper, lid, key } = await sharer([1]);
  const { dialog } = await openShare(`<wishbone-share lid="${lid}" page="/pages/list?a=1"></wishbone-share>`, { shopper });
  assert.equal(await dialog.getByLabel("Link", { exact: true }).inputValue(), `${shop.shop.url}/pages/list?a=1&wishlist=${key}`);
  assert.equal(shop.proxy.of("lists/share-links/create").length, 0);
});

test("a list is mailed, and errors are next to the field", async () => {
  const { shopper, lid } = await sharer([1]);
  const { page, dialog } = await openShare(`<wishbone-share lid="${lid}"></wishbone-share>`, { shopper });
  const email = dialog.getByLabel("E-mail address");
  await email.fill("nobody");
  await dialog.getByRole("button", { name: "Send" }).click();
  await dialog.getByText("Enter an e-mail address").waitFor();
  await email.fill("bob@example.com");
  await dialog.getByLabel("Your name").fill("Ann");
  await dialog.getByLabel("Message").fill("Look!");
  await dialog.getByRole("button", { name: "Send" }).click();
  await page.getByText("Sent to bob@example.com").waitFor();
  const [{ form }] = shop.proxy.of("lists/emailList");
  assert.deepEqual([form.lid, form.toemail, form.fromname, form.note], [lid, "bob@example.com", "Ann", "Look!"]);
  assert.equal(await email.inputValue(), "");
});

test("a guest is asked to log in, without a request", async () => {
  const { dialog } = await openShare('<wishbone-share login-url="/login"></wishbone-share>');
  await dialog.getByText("Log in to share your list").waitFor();
  assert.equal(await dialog.getByRole("link", { name: "Log in" }).getAttribute("href"), `${shop.shop.url}/login`);
  assert.deepEqual(shop.proxy.calls, []);
});

test("a failed load can be repeated", async () => {
  const { shopper, lid } = await sharer([1]);
  const page = await shop.open(`<wishbone-share lid="${lid}"></wishbone-share>`, { shopper });
  shop.proxy.fault = () => [500, JSON.stringify({ status: "error", "error-code": "internal", "error-msg": "no" })];
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog").getByText("Something went wrong").waitFor();
  shop.proxy.fault = () => undefined;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Copy link" }).waitFor();
});

const shared = (key) => `<wishbone-shared-list key="${key}" currency="EUR"></wishbone-shared-list>`;

test("a visitor sees a shared list, adds to an own wishlist and to the cart", async () => {
  const { key } = await sharer([1, 2]);
  const page = await shop.open(shared(key));
  await page.getByRole("heading", { name: "Ann's <b>birthday</b>" }).waitFor();
  await page.getByText("2 items").waitFor();
  assert.equal(await page.locator('meta[name="robots"][content="noindex"]').count(), 1);
  await page.getByRole("button", { name: "Add to wishlist: Linen shirt" }).click();
  await shop.has(page, [1]);
  const [{ du, dt, pr }] = await page.evaluate(async () => (await wishbone.lists.fetch({ contents: true }))[0].listcontents);
  assert.deepEqual([du, dt, pr], [record(1).du, record(1).dt, record(1).pr]);
  await page.evaluate(() => document.addEventListener("wishbone:add-to-cart", ({ detail }) => detail.respondWith(Promise.resolve())));
  await page.getByRole("button", { name: "Add to cart: Oak stool" }).click();
  await page.getByText("Added to cart: Oak stool").waitFor();
  await page.evaluate(() => document.querySelector("wishbone-shared-list").remove());
  assert.equal(await page.locator('meta[name="robots"]').count(), 0);
});

test("the key can come from the page's address; one that is revoked or wrong says so", async () => {
  const { shopper, lid, key } = await sharer([1]);
  const page = await shop.open("<wishbone-shared-list></wishbone-shared-list>");
  await page.getByText("This list is not shared any more").waitFor();
  await page.evaluate((key) => history.replaceState(null, "", `?wishlist=${key}`), key);
  const attach = () => page.evaluate(() => document.querySelector("main").append(document.createElement("wishbone-shared-list")));
  await page.evaluate(() => document.querySelector("wishbone-shared-list").remove());
  await attach();
  await page.getByText("1 item").waitFor();
  await shop.call(shopper, "lists/share-links/revoke", { lid, all: "true" });
  await page.evaluate(() => document.querySelector("wishbone-shared-list").remove());
  await attach();
  await page.getByText("This list is not shared any more").waitFor();
  assert.deepEqual(page.uncaught, []);
});

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

  await drawer.getByRole("button", { name: "Rename: Birthday" }).focus();
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
  assert.equal(await focused(page), "All lists");
  await key("Enter");
  await names("My Wishlist", "Christmas");
  assert.match(await focused(page), /^My Wishlist/);

  await drawer.getByRole("button", { name: "Delete: Christmas" }).focus();
  await key("Enter");
  await drawer.getByText("Delete Christmas with all its items?").waitFor();
  assert.equal(await focused(page), "Cancel");
  await key("Shift+Tab", "Enter");
  await names("My Wishlist");
  await page.getByText("Deleted: Christmas").waitFor();
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
  shop.proxy.fault = ({ name }) =>
    /create|update|delete/.test(name) ? [403, JSON.stringify({ status: "error", "error-code": "forbidden", "error-msg": "no" })] : undefined;
  await drawer.getByRole("button", { name: "Rename" }).click();
  await drawer.locator("form.rename input").fill("Other");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await drawer.getByRole("button", { name: /^My Wishlist/ }).waitFor();
  await drawer.getByRole("button", { name: "Delete: My Wishlist" }).click();
  await drawer.getByRole("button", { name: "Delete", exact: true }).click();
  await drawer.getByRole("button", { name: /^My Wishlist/ }).waitFor();
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
