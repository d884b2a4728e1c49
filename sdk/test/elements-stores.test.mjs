// Elements of two stores on one page, in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, product, record } from "./support/elements.mjs";

let shop, other;

before(async () => {
  shop = await openElements();
  other = await shop.server.store();
});

after(() => shop?.close());

const load = (page) =>
  page.evaluate(
    async ([store, base]) => {
      const { createClient } = await import("/wishbone.mjs");
      const { install } = await import("/wishbone-elements.mjs");
      window.other = createClient({ store, base });
      install(window.other);
    },
    [other.pid, shop.proxy.url],
  );
const heart = (page, name) => page.locator(`#${name}`).getByRole("button");
const isPressed = (page, name, pressed) => heart(page, name).and(page.locator(`[aria-pressed=${pressed}]`)).waitFor();

test("an element is of the store that it names, also inside another one; the others are of the first", async () => {
  const page = await shop.open(
    `<wishbone-heart id="one" ${product(1)}></wishbone-heart>
     <wishbone-heart id="two" store="${other.pid}" ${product(1)}></wishbone-heart>
     <wishbone-lists store="${other.pid}"></wishbone-lists>
     <wishbone-list></wishbone-list>`,
  );
  await isPressed(page, "one", false);
  // Its store has no client yet: it waits, and shows nothing of another one.
  assert.equal(await heart(page, "two").count(), 0);
  await load(page);
  await isPressed(page, "two", false);
  await heart(page, "two").click();
  await isPressed(page, "two", true);
  await isPressed(page, "one", false);
  await page.locator("wishbone-list").getByText("Your wishlist is empty").waitFor();
  await page.getByRole("button", { name: "My lists, 1 item" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^My Wishlist/ }).click();
  await page.getByRole("dialog").getByText(record(1).dt).waitFor();
  const lists = await page.evaluate(async () => [await wishbone.lists.fetch(), await other.lists.fetch()]);
  assert.deepEqual(lists.map((all) => all.map(({ cnt }) => cnt)), [[], [1]]);
  assert.deepEqual(page.uncaught, []);
});

test("no member of an element has the name of an attribute: frameworks would set the member", async () => {
  const page = await shop.open("");
  const clashes = await page.evaluate(() =>
    ["heart", "list", "lists", "saved", "notify", "alerts", "share", "shared-list"].flatMap((name) => {
      const element = document.createElement(`wishbone-${name}`);
      const members = element.constructor.observedAttributes.filter((attribute) => attribute !== "lang" && attribute in element);
      return members.map((member) => `${name} ${member}`);
    }),
  );
  assert.deepEqual(clashes, []);
});
