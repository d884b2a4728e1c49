// Hearts that stand for a product, hearts of shoppers with several lists, and variants that the page tells.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { record, openElements } from "./support/elements.mjs";
import { until } from "./support/patience.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const EMPI = 900;
/** A variant of the product, as an item. */
const variant = (epi, more = {}) => ({ ...record(epi), empi: EMPI, dt: "Rain coat", vi: `Size ${epi}`, ...more });
const heart = (more = "") => `<wishbone-heart empi="${EMPI}" du="https://shop.example/coat" dt="Rain coat" ${more}></wishbone-heart>`;
const button = (page, index = 0) => page.locator("wishbone-heart > button, wishbone-heart button.heart-button").nth(index);
const isPressed = (locator, value) => locator.and(locator.page().locator(`[aria-pressed="${value}"]`)).waitFor();
const status = (page) => page.locator("wishbone-toasts").getByRole("status");
const fill = async (shopper, lname, items) => {
  const { lid } = await shop.call(shopper, "lists/create", { lname });
  await shop.call(shopper, "lists/update-ctx", { lid, a: items });
  return lid;
};
/** Answers the elements' question for variants. */
const tellVariants = (page, variants) =>
  page.evaluate((variants) => {
    document.addEventListener("wishbone:variants", ({ detail }) => {
      window.asked = detail.item;
      detail.respondWith(Promise.resolve(variants));
    });
  }, variants);

test("a heart without a variant is filled when any variant is saved, in one call for all hearts", async () => {
  const shopper = await shop.newShopper();
  await fill(shopper, "Coats", [variant(2)]);
  const others = [901, 902].map((empi) => `<wishbone-heart empi="${empi}"></wishbone-heart>`).join("");
  const page = await shop.open(heart() + others, { shopper });
  await isPressed(button(page), true);
  await isPressed(button(page, 1), false);
  assert.deepEqual(shop.proxy.of("lists/contains").map(({ form }) => [form.empis, form.lty]), [["[900,901,902]", "wl"]]);
});

test("a press removes all variants of all lists, and Undo brings them back with their notes", async () => {
  const shopper = await shop.newShopper();
  const coats = await fill(shopper, "Coats", [variant(1, { note: "for Ben", qty: 3 }), variant(2), record(7)]);
  await fill(shopper, "Autumn", [variant(2)]);
  const page = await shop.open(heart(), { shopper });
  await isPressed(button(page), true);
  await button(page).click();
  await isPressed(button(page), false);
  await status(page).getByText("Removed: Rain coat").waitFor();
  await shop.has(page, [7]);
  await page.getByRole("button", { name: "Undo" }).click();
  await isPressed(button(page), true);
  await shop.has(page, [1, 2, 2, 7]);
  const { items } = await shop.call(shopper, "lists/fetch-list-with-contents", { lid: coats });
  assert.deepEqual(items.filter(({ note }) => note).map(({ epi, note, qty }) => [epi, note, qty]), [[1, "for Ben", 3]]);
  assert.deepEqual(page.uncaught, []);
});

test("a press saves the first variant that the page tells, else the product under its own id", async () => {
  const page = await shop.open(heart());
  await button(page).click();
  await shop.has(page, [EMPI]);
  await button(page).click();
  await shop.has(page, []);
  await tellVariants(page, [{ epi: "12", vi: "M" }, { epi: 13, vi: "L" }]);
  await button(page).click();
  await shop.has(page, [12]);
  assert.deepEqual(await page.evaluate(() => [asked.empi, asked.du, asked.dt]), [String(EMPI), "https://shop.example/coat", "Rain coat"]);
  // The variant can be changed at once.
  await page.getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "Rain coat" });
  await dialog.getByLabel("Variant").selectOption("L");
  await dialog.getByRole("button", { name: "Save" }).click();
  await shop.has(page, [13]);
  await isPressed(button(page), true);
  assert.deepEqual(page.uncaught, []);
});

test("a product that is saved again is not offered to be brought back", async () => {
  const page = await shop.open(heart());
  await button(page).click();
  await isPressed(button(page), true);
  await shop.has(page, [EMPI]);
  await button(page).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await button(page).click();
  await isPressed(button(page), true);
  await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
});

test("a page that cannot say the variants is an error, and nothing is saved", async () => {
  const page = await shop.open(heart());
  await page.evaluate(() =>
    document.addEventListener("wishbone:variants", ({ detail }) => detail.respondWith(Promise.reject(new Error("503")))),
  );
  await button(page).click();
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await isPressed(button(page), false);
  await shop.has(page, []);
});

test("a variant that another tab, another heart or a list removes empties the heart, if it was the last", async () => {
  const shopper = await shop.newShopper();
  await fill(shopper, "Coats", [variant(1), variant(2)]);
  const page = await shop.open(`${heart()}<wishbone-heart epi="1" empi="${EMPI}"></wishbone-heart>`, { shopper });
  const other = await shop.open("<wishbone-list></wishbone-list>", { shopper, context: page.context() });
  await isPressed(button(page), true);
  await isPressed(button(page, 1), true);
  shop.proxy.calls.length = 0;
  await button(page, 1).click();
  await isPressed(button(page, 1), false);
  await shop.has(page, [2]);
  await isPressed(button(page), true);
  await other.getByRole("button", { name: "Remove: Rain coat" }).click();
  await isPressed(button(page), false);
  await other.evaluate((item) => wishbone.items.add(item), variant(3));
  await isPressed(button(page), true);
  assert.deepEqual(shop.proxy.of("lists/contains"), [], "what this browser does is known without asking");
});

test("presses without a network are kept, also by the next page", async () => {
  const shopper = await shop.newShopper();
  await fill(shopper, "Coats", [variant(1), variant(2)]);
  const page = await shop.open(heart(), { shopper });
  await isPressed(button(page), true);
  shop.proxy.fault = ({ name }) => (name.startsWith("lists/") ? "refuse" : undefined);
  await page.context().setOffline(true);
  await button(page).click();
  await page.waitForFunction(() => wishbone.queued().length === 1);
  await isPressed(button(page), false);
  await button(page).click();
  await isPressed(button(page), true);
  await page.waitForFunction(() => wishbone.queued().length === 2);
  await button(page).click();
  await isPressed(button(page), false);
  await page.waitForFunction(() => wishbone.queued().length === 3);
  await page.context().setOffline(false);
  await page.reload();
  await isPressed(button(page), false);
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await shop.has(page, []);
  await isPressed(button(page), false);
});

test("who has several lists is told which one it is, and moves it to another or a new one", async () => {
  const shopper = await shop.newShopper([5]);
  await shop.fill({ ...shopper, list: "Birthday" }, []);
  const html = `<a href="#elsewhere"><wishbone-heart epi="1" empi="1" du="https://shop.example/p" dt="Lamp"></wishbone-heart></a>`;
  const page = await shop.open(`${html}<div style="height:4000px"></div>${html}`, { shopper });
  const change = async () => {
    await status(page).getByText("Saved to My Wishlist").waitFor();
    await page.getByRole("button", { name: "Change" }).press("Enter");
    return page.getByRole("dialog", { name: "Lamp" });
  };
  const lists = async () => (await shop.lists(shopper)).map(({ lname, epis }) => [lname, epis]);
  await button(page, 1).scrollIntoViewIfNeeded();
  await button(page, 1).click();
  let dialog = await change();
  assert.equal(await dialog.getByLabel("Variant").count(), 0);
  await dialog.getByText("Lamp").click();
  await dialog.getByLabel("Note").fill("for the hall");
  await dialog.getByRole("combobox").selectOption("Birthday");
  await dialog.getByRole("button", { name: "Save" }).click();
  await status(page).getByText("Moved to Birthday").waitFor();
  assert.deepEqual(await lists(), [["My Wishlist", [5]], ["Birthday", [1]]]);
  await isPressed(button(page, 1), true);

  await button(page, 1).click();
  await shop.has(page, [5]);
  await button(page, 1).click();
  dialog = await change();
  await dialog.getByRole("combobox").selectOption("new");
  await dialog.getByLabel("Name of the list").fill("Attic");
  await dialog.getByRole("button", { name: "Save" }).click();
  await status(page).getByText("Moved to Attic").waitFor();
  assert.deepEqual(await lists(), [["My Wishlist", [5]], ["Birthday", []], ["Attic", [1]]]);
  assert.equal(await page.evaluate(() => location.hash), "", "a click in the dialog does not follow the link around the heart");
  assert.deepEqual(page.uncaught, []);
});

test("who has one list is not asked", async () => {
  const page = await shop.open(heart('epi="1"'), { shopper: await shop.newShopper([5]) });
  await button(page).click();
  await shop.has(page, [1, 5]);
  await until(() => shop.proxy.of("lists/fetch-user-lists").length > 0, () => "the lists are counted after a press");
  assert.equal(await page.getByRole("button", { name: "Change" }).count(), 0);
});

test("an item of a list becomes another variant, with its note and quantity, where it was", async () => {
  const shopper = await shop.newShopper();
  await fill(shopper, "Coats", [record(7), variant(1, { note: "for Ben", qty: 3 }), record(8)]);
  const page = await shop.open("<wishbone-list quantity></wishbone-list>", { shopper });
  const edit = async (product) => {
    await page.getByRole("button", { name: `Edit: ${product}` }).click();
    const dialog = page.getByRole("dialog", { name: product });
    await dialog.waitFor();
    return dialog;
  };
  const shown = () => page.locator("wishbone-list li[data-epi]").evaluateAll((all) => all.map((one) => one.dataset.epi));
  let dialog = await edit("Rain coat");
  assert.equal(await dialog.getByLabel("Variant").count(), 0, "the page has not told any");
  await page.keyboard.press("Escape");
  await tellVariants(page, [{ epi: 1, vi: "Size 1" }, { epi: 2, vi: "Size <b>2</b>", pr: "25.50" }]);
  dialog = await edit("Rain coat");
  await dialog.getByLabel("Variant").selectOption("Size <b>2</b>");
  await dialog.getByRole("button", { name: "Save" }).click();
  await shop.has(page, [2, 7, 8]);
  assert.deepEqual(await shown(), ["8", "2", "7"]);
  await page.locator('li[data-epi="2"]').getByText("Size <b>2</b>").waitFor();
  const [{ lid }] = await shop.lists(shopper);
  const { items } = await shop.call(shopper, "lists/fetch-list-with-contents", { lid });
  assert.deepEqual(items.filter(({ epi }) => epi === 2).map(({ note, qty, pr }) => [note, qty, pr]), [["for Ben", 3, 25.5]]);

  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? [500, "{}"] : undefined);
  dialog = await edit("Rain coat");
  await dialog.getByLabel("Variant").selectOption("Size 1");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await page.locator('li[data-epi="2"]').waitFor();
  await shop.has(page, [2, 7, 8]);
  assert.deepEqual(page.uncaught, []);
});
