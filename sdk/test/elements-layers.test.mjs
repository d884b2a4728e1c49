// What is in its place: toasts above dialogs, a number on its button, names in their sentences.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements } from "./support/elements.mjs";
import { until } from "./support/patience.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const LISTS = '<wishbone-lists currency="EUR" page="/shared"></wishbone-lists>';

/** True if the shopper sees the text: a click on it is not one on something above it. */
async function isOnTop(text) {
  await text.waitFor();
  await text.evaluate((node) => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  const { x, y, width, height } = await text.boundingBox();
  return text.evaluate((node, [x, y]) => {
    let at = document.elementFromPoint(x, y);
    while (at?.shadowRoot?.elementFromPoint(x, y)) {
      const inner = at.shadowRoot.elementFromPoint(x, y);
      if (inner === at) break;
      at = inner;
    }
    return at === node;
  }, [x + width / 2, y + height / 2]);
}

/** Creates a link in the open share dialog and turns it off, which shows a toast. Returns the dialog. */
async function turnLinkOff(page) {
  const dialog = page.getByRole("dialog", { name: "Share list" });
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByRole("button", { name: "Turn off link" }).click();
  return dialog;
}

test("toasts of a dialog are above it, can be pressed, and outlive it", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open('<wishbone-share page="/shared"></wishbone-share>', { shopper });
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = await turnLinkOff(page);
  const text = page.getByText("The link no longer works");
  assert.ok(await isOnTop(text));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.ok(await isOnTop(text));
});

test("a toast that is closed with the keyboard leaves the focus in its dialog", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open('<wishbone-share page="/shared"></wishbone-share>', { shopper });
  await page.getByRole("button", { name: "Share" }).click();
  await turnLinkOff(page);
  await page.locator("wishbone-toasts").getByRole("button", { name: "Close" }).press("Enter");
  assert.ok(await page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.closest("dialog")));
});

test("toasts are above the upper one of two dialogs, and above the other when that is closed", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(LISTS, { shopper });
  await page.getByRole("button", { name: /^My lists/ }).click();
  const drawer = page.getByRole("dialog", { name: "My lists" });
  await drawer.getByRole("button", { name: /^My Wishlist/ }).click();
  await drawer.getByRole("button", { name: "Share" }).click();
  const dialog = await turnLinkOff(page);
  const text = page.getByText("The link no longer works");
  assert.ok(await isOnTop(text));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.ok(await isOnTop(text));
});

test("a message of the page is above an open drawer", async () => {
  const page = await shop.open(LISTS);
  await page.getByRole("button", { name: /^My lists/ }).click();
  await page.getByRole("dialog").waitFor();
  await page.evaluate(async () => (await wishbone.load("elements")).toast("Back online"));
  assert.ok(await isOnTop(page.getByText("Back online")));
});

test("a number of three digits stays on its button, and covers nothing beside it", async () => {
  const page = await shop.open(LISTS, { shopper: await shop.newShopper(Array.from({ length: 120 }, (_, index) => index + 1)) });
  const button = page.getByRole("button", { name: "My lists, 120 items" });
  const { x, width } = await button.boundingBox();
  const badge = await button.getByText("120").boundingBox();
  assert.ok(badge.x >= x && badge.x + badge.width <= x + width, JSON.stringify([badge, x, width]));
});

test("a name that turns the direction of text, or has no space, stays within its sentence and the drawer", async () => {
  const shopper = await shop.newShopper();
  await shop.fill({ ...shopper, list: `\u202egnp.exe ${"W".repeat(80)}` }, []);
  const page = await shop.open(LISTS, { shopper });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: /^My lists/ }).click();
  await page.getByRole("button", { name: /^Options/ }).click();
  await page.getByRole("button", { name: /^Delete/ }).click();
  const confirmation = page.locator("wishbone-lists .confirm p");
  const end = await confirmation.evaluate((node) => {
    const { firstChild: text } = node;
    const at = (offset) => {
      const range = document.createRange();
      range.setStart(text, offset);
      range.setEnd(text, offset + 1);
      return range.getBoundingClientRect().x;
    };
    return at(text.length - 1) - at(text.length - 5);
  });
  assert.ok(end > 0, "the end of the sentence runs from left to right");
  const { x, width } = await confirmation.boundingBox();
  assert.ok(x + width <= 390 && (await confirmation.evaluate((node) => node.scrollWidth <= node.clientWidth)));
});

/** What a toast with this text covers, of the buttons of the page and of all elements. */
const covered = (page, text) =>
  page.getByText(text).evaluate(async (node) => {
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
    const box = node.parentElement.getBoundingClientRect();
    const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => (one === node.getRootNode().host ? [] : [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]));
    const buttons = all(document).filter((one) => one.matches("button, select, textarea, .button"));
    const isUnder = (one) => one.right > box.left && one.left < box.right && one.bottom > box.top && one.top < box.bottom;
    const isSeen = box.top >= 0 && box.bottom <= innerHeight;
    return { isSeen, under: buttons.filter((one) => isUnder(one.getBoundingClientRect())).map((one) => one.textContent) };
  });
/** After scrolling it makes way once the page rests. */
async function coversNothing(page, text) {
  let found;
  const holds = async () => (found = await covered(page, text)).isSeen && found.under.length === 0;
  await until(holds, () => JSON.stringify(found));
}

for (const [width, height] of [[390, 844], [1280, 800]]) {
  test(`a toast covers no button of a page of ${width} pixels, also after scrolling far down`, async () => {
    const card = (epi) => `<div style="height:300px"><a href="#p"><wishbone-heart epi="${epi}" empi="${epi}" dt="Lamp"></wishbone-heart></a></div>`;
    const bar = '<div style="position:fixed;inset:auto 0 0;height:64px"><button style="width:100%;height:100%">Buy</button></div>';
    const cards = Array.from({ length: 24 }, (_, index) => card(index + 1)).join("");
    const page = await shop.open(`<div style="display:grid;grid-template-columns:1fr 1fr">${cards}</div>${bar}`, { shopper: await shop.newShopper([1]) });
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 2000));
    await page.locator('wishbone-heart[epi="1"] button[aria-pressed="true"]').waitFor();
    await page.locator('wishbone-heart[epi="1"] button').evaluate((button) => button.click());
    await page.getByRole("status").getByText("Removed: Lamp").waitFor();
    await coversNothing(page, "Removed: Lamp");
    for (const by of [60, 60, 60, 60]) {
      await page.evaluate((by) => scrollBy(0, by), by);
      await coversNothing(page, "Removed: Lamp");
    }
  });

  test(`a toast covers no button of a dialog on ${width} pixels`, async () => {
    const page = await shop.open(`<wishbone-list></wishbone-list>${LISTS}`, { shopper: await shop.newShopper([1]) });
    await page.setViewportSize({ width, height });
    await page.getByRole("button", { name: /^Edit/ }).click();
    await page.getByRole("dialog").waitFor();
    const say = () => page.evaluate(async () => (await wishbone.load("elements")).toast("Back online"));
    await say();
    await coversNothing(page, "Back online");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^My lists/ }).click();
    await page.getByRole("dialog").waitFor();
    await say();
    await coversNothing(page, "Back online");
  });
}
