// What lists say of stock and prices, and alerts, in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { focused, openElements, product, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const LIST = '<wishbone-list currency="EUR"></wishbone-list>';
const item = (page, epi) => page.locator(`li[data-epi="${epi}"]`);
const email = (page) => page.getByRole("textbox", { name: "E-mail address" });

/** The catalogue has these variants, each with `stock` and a price. */
const feed = (stock, more = {}) =>
  shop.upsert(Object.entries(stock).map(([epi, units]) => ({ ...record(Number(epi)), stock: units, ...more })));

test("a list says what is sold out, what is nearly, and nothing of the rest", async () => {
  await feed({ 1: 10, 2: 2, 3: 0 });
  const page = await shop.open(LIST, { shopper: await shop.newShopper([1, 2, 3, 4]) });
  assert.match(await item(page, 1).innerText(), /Linen shirt\s+Natural\s+€20.50\s+Add to cart$/);
  assert.match(await item(page, 2).innerText(), /€21.50\s+Only a few left\s+Add to cart$/);
  assert.match(await item(page, 3).innerText(), /€22.50\s+Sold out\s+Notify me$/);
  assert.match(await item(page, 4).innerText(), /€23.50\s+Add to cart$/, "the catalogue does not know it");
});

test("Notify me, in the place of Add to cart, sets an alert without leaving the list", async () => {
  await feed({ 13: 0 });
  const page = await shop.open(LIST, { shopper: await shop.newShopper([13]) });
  await item(page, 13).getByRole("button", { name: "Notify me: Linen shirt" }).click();
  const dialog = page.getByRole("dialog", { name: "Linen shirt" });
  await email(dialog).fill("ann@example.com");
  await page.keyboard.press("Enter");
  await dialog.getByText("Check your inbox").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await focused(page), "Notify me: Linen shirt");
});

test("save-for-later items that are sold out cannot be moved to the cart", async () => {
  await feed({ 23: 0, 24: 3 });
  const shopper = await shop.newShopper();
  const { list } = await shop.call(shopper, "lists/sfl/fetch");
  await shop.call(shopper, "lists/sfl/add", { lid: list.lid, items: [record(23), record(24)] });
  const page = await shop.open("<wishbone-saved></wishbone-saved>", { shopper });
  await item(page, 23).getByRole("button", { name: "Notify me" }).waitFor();
  assert.equal(await item(page, 23).getByRole("button", { name: "Move to cart" }).count(), 0);
  await item(page, 24).getByRole("button", { name: "Move to cart" }).waitFor();
});

test("another price than when the item was saved is said, dearer or cheaper", async () => {
  await feed({ 31: 9, 32: 9, 33: 9 });
  const shopper = await shop.newShopper([31, 32, 33]);
  await feed({ 31: 9 }, { pr: 40 });
  await feed({ 32: 9 }, { pr: 99.5 });
  const page = await shop.open(LIST, { shopper });
  await item(page, 31).getByText("Was €50.50, now €40.00").waitFor();
  await item(page, 32).getByText("Was €51.50, now €99.50").waitFor();
  await item(page, 33).getByText("€52.50", { exact: true }).waitFor();
});

test("an alert that waits for its confirmation says so after a reload, and sends the mail again", async () => {
  const page = await shop.open(`<wishbone-notify ${product(41)}></wishbone-notify>`);
  await email(page).fill("eve@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("Open the link in the e-mail to eve@example.com").waitFor();
  await page.reload();
  await page.getByText("Open the link in our e-mail").waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await email(page).fill("eve@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("Open the link in the e-mail to eve@example.com").waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText("Sent to eve@example.com").waitFor();
});

test("My alerts lists what the shopper waits for, and ends each", async () => {
  const shopper = await shop.newShopper();
  const add = (epi, fields) => shop.call(shopper, "subscriptions/add", { ...record(epi), medium: "email", mediumvalue: shopper.email, ...fields });
  await add(51, { topic: "backinstock" });
  await add(51, { topic: "pricedrop", targetprice: "30" });
  await add(52, { topic: "lowstock" });
  await add(53, { topic: "comingsoon", mediumvalue: "other@example.com" });
  const page = await shop.open('<wishbone-alerts currency="EUR"></wishbone-alerts>', { shopper });
  await page.getByRole("heading", { name: "My alerts" }).waitFor();
  await item(page, 53).getByText("Open the link in our e-mail").waitFor();
  const texts = await page.locator("wishbone-alerts li[data-epi]").allInnerTexts();
  assert.deepEqual(texts.map((text) => /When .*|Before .*/.exec(text)?.[0]).sort(), [
    "Before it sells out",
    "When it costs €30.00 or less",
    "When it is available",
    "When it is back in stock",
  ]);
  const remove = page.locator('li[data-epi="51"]').filter({ hasText: "€30" }).getByRole("button", { name: "Remove alert" });
  await remove.click();
  await page.getByText("Removed: ").waitFor();
  assert.equal(await page.locator("wishbone-alerts li[data-epi]").count(), 3);
  const left = async (topic) => (await shop.call(shopper, "subscriptions/fetch-subs", { topic, limit: 100, offset: 0 })).total;
  assert.deepEqual([await left("backinstock"), await left("pricedrop")], [1, 0]);
});

test("My alerts sends the mail of one that is not confirmed again: to a guest, whose address is not shown, by a form", async () => {
  const shopper = await shop.newShopper();
  await shop.call(shopper, "subscriptions/add", { ...record(54), topic: "backinstock", medium: "email", mediumvalue: "other@example.com" });
  const page = await shop.open("<wishbone-alerts></wishbone-alerts>", { shopper });
  await page.getByRole("button", { name: "Send again: " }).click();
  await page.getByText("Sent to other@example.com").waitFor();
  assert.equal(await page.getByRole("textbox").count(), 0);

  const guest = await shop.open("<wishbone-alerts></wishbone-alerts>");
  const add = (item) => wishbone.subscriptions.add({ ...item, topic: "pricedrop", targetprice: 9, medium: "email", mediumvalue: "guest@example.com" });
  await guest.evaluate(add, record(55));
  await guest.getByText("Send again").click();
  await email(guest).fill("guest@example.com");
  await guest.keyboard.press("Enter");
  await guest.getByText("Sent to guest@example.com").waitFor();
  const [asked, again] = shop.proxy.of("subscriptions/add").map(({ form: { regid, sessionid, ...form } }) => form);
  assert.deepEqual(again, asked);
  assert.equal(await guest.locator("li[data-epi]").count(), 1, "it is the same alert");
});

test("an alert that cannot be ended comes back, and the shopper is told", async () => {
  const shopper = await shop.newShopper();
  await shop.call(shopper, "subscriptions/add", { ...record(61), topic: "backinstock", medium: "email", mediumvalue: shopper.email });
  const page = await shop.open("<wishbone-alerts></wishbone-alerts>", { shopper });
  await item(page, 61).waitFor();
  shop.proxy.fault = ({ name }) => (name === "subscriptions/remove" ? [500, JSON.stringify({ status: "error", "error-code": "internal", "error-msg": "x" })] : undefined);
  await page.getByRole("button", { name: "Remove alert" }).click();
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await item(page, 61).waitFor();
});

test("a visitor has no alerts", async () => {
  const page = await shop.open("<wishbone-alerts></wishbone-alerts>");
  await page.getByText("You have no alerts").waitFor();
});
