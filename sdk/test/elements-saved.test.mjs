// <wishbone-saved> and <wishbone-notify> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, product, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const SAVED = '<wishbone-saved currency="EUR"></wishbone-saved>';
const item = (page, epi) => page.locator(`wishbone-saved li[data-epi="${epi}"]`);

/** A shopper who has set these aside. */
async function saver(epis) {
  const shopper = await shop.newShopper();
  const { list } = await shop.call(shopper, "lists/sfl/fetch");
  await shop.call(shopper, "lists/sfl/add", { lid: list.lid, items: epis.map((epi) => ({ ...record(epi), qty: 2 })) });
  const saved = async () => (await shop.call(shopper, "lists/sfl/fetch")).items.map(({ epi, qty }) => [epi, qty]);
  return { shopper, saved };
}

const idle = (page) => page.waitForFunction(() => wishbone.queued().length === 0);

test("looking at an empty save-for-later list creates none", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(SAVED, { shopper });
  await page.getByText("This list is empty").waitFor();
  assert.deepEqual((await shop.lists(shopper)).map(({ lty }) => lty), ["wl"]);
  await page.evaluate((item) => wishbone.saveForLater.add(item), record(3));
  await item(page, 3).waitFor();
});

test("quantities change with the buttons and by typing, as fast as the shopper presses", async () => {
  const { shopper, saved } = await saver([1, 2]);
  const page = await shop.open(SAVED, { shopper });
  const input = item(page, 1).getByRole("spinbutton", { name: "Quantity" });
  for (const _ of [1, 2, 3]) await item(page, 1).getByRole("button", { name: "Increase quantity" }).click();
  assert.equal(await input.inputValue(), "5");
  await idle(page);
  assert.deepEqual(await saved(), [[2, 2], [1, 5]]);
  await input.fill("12");
  await input.press("Enter");
  await page.waitForFunction(() => wishbone.queued().length === 0);
  await input.fill("0");
  await input.press("Tab");
  assert.equal(await input.inputValue(), "12");
  await idle(page);
  assert.deepEqual(await saved(), [[2, 2], [1, 12]]);
});

test("quick presses add up over a slow network", async () => {
  const { shopper, saved } = await saver([1]);
  const page = await shop.open(SAVED, { shopper });
  shop.proxy.fault = ({ name }) => (name === "lists/sfl/update" ? new Promise((resolve) => setTimeout(resolve, 200)) : undefined);
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    await item(page, 1).getByRole("button", { name: "Increase quantity" }).click();
    await new Promise((resolve) => setTimeout(resolve, 90));
  }
  assert.equal(await item(page, 1).getByRole("spinbutton", { name: "Quantity" }).inputValue(), "8");
  await idle(page);
  assert.deepEqual(await saved(), [[1, 8]]);
});

test("a quantity that the server refuses goes back", async () => {
  const { shopper } = await saver([1]);
  const page = await shop.open(SAVED, { shopper });
  shop.proxy.fault = ({ name }) =>
    name === "lists/sfl/update" ? [403, JSON.stringify({ status: "error", "error-code": "forbidden", "error-msg": "no" })] : undefined;
  await item(page, 1).getByRole("button", { name: "Increase quantity" }).click();
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await page.waitForFunction(() => document.querySelector("wishbone-saved").shadowRoot.querySelector("input").value === "2");
});

test("items leave for the cart only if they arrive there", async () => {
  const { shopper, saved } = await saver([1, 2]);
  const page = await shop.open(SAVED, { shopper });
  const press = (epi) => item(page, epi).getByRole("button", { name: "Move to cart" }).click();
  await page.evaluate(() =>
    document.addEventListener("wishbone:add-to-cart", ({ detail }) =>
      detail.respondWith(detail.item.epi === 1 ? Promise.resolve() : Promise.reject(new Error("sold out"))),
    ),
  );
  await press(2);
  await page.getByRole("alert").getByText("Not added to cart: Oak stool").waitFor();
  await press(1);
  await item(page, 1).waitFor({ state: "detached" });
  await page.getByText("Added to cart: Linen shirt").waitFor();
  await idle(page);
  assert.deepEqual(await saved(), [[2, 2]]);
  assert.deepEqual(shop.proxy.of("lists/sfl/moved-to-cart").length, 1);
});

test("with the keyboard, one item after the other goes to the cart", async () => {
  const { shopper } = await saver([1, 2]);
  const page = await shop.open(SAVED, { shopper });
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement.shadowRoot?.activeElement;
      return element && (element.getAttribute("aria-label") || element.textContent);
    });
  await page.evaluate(() => document.addEventListener("wishbone:add-to-cart", ({ detail }) => detail.respondWith(Promise.resolve())));
  await item(page, 2).getByRole("button", { name: "Move to cart" }).focus();
  await page.keyboard.press("Enter");
  await item(page, 2).waitFor({ state: "detached" });
  assert.equal(await focused(), "Move to cart: Linen shirt");
  await page.keyboard.press("Enter");
  await item(page, 1).waitFor({ state: "detached" });
  assert.equal(await focused(), "Saved for later");
});

test("removed items come back with Undo, with their quantity", async () => {
  const { shopper, saved } = await saver([1]);
  const page = await shop.open(SAVED, { shopper });
  await item(page, 1).getByRole("button", { name: "Remove" }).click();
  await page.getByText("This list is empty").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await item(page, 1).waitFor();
  await idle(page);
  assert.deepEqual(await saved(), [[1, 2]]);
});

const notify = (more = "") => `<wishbone-notify ${product(1)} ${more}></wishbone-notify>`;
const email = (page) => page.getByLabel("E-mail address");
const subscriptions = (shopper, topic) => shop.call(shopper, "subscriptions/fetch-subs", { topic });

test("a guest subscribes, is asked to confirm, and the next page knows", async () => {
  const page = await shop.open(notify("topic=pricedrop"));
  await page.getByRole("form", { name: "Get an e-mail when the price drops" }).waitFor();
  await email(page).fill("guest@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("Open the link in the e-mail to guest@example.com").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.getAttribute("role")), "status");
  const shopper = await page.evaluate(() => wishbone.shopper.current());
  assert.deepEqual((await subscriptions(shopper, "pricedrop")).subscriptions.map(({ epi, du }) => [epi, du]), [[1, record(1).du]]);
  await page.reload();
  await page.getByText("Open the link in our e-mail to confirm your alert.").waitFor();
  await page.getByRole("button", { name: "Remove alert" }).click();
  await email(page).waitFor();
  await idle(page);
  assert.equal((await subscriptions(shopper, "pricedrop")).total, 0);
});

test("a shopper's own address needs no confirmation", async () => {
  const shopper = await shop.newShopper();
  const page = await shop.open(notify(), { shopper });
  await email(page).fill(shopper.email.toUpperCase());
  await page.keyboard.press("Enter");
  await page.getByText("We will e-mail you").waitFor();
});

test("an answer about another product than the one that is shown now is not shown", async () => {
  const page = await shop.open(notify());
  let pass;
  const held = new Promise((resolve) => (pass = resolve));
  shop.proxy.fault = ({ name }) => (name === "subscriptions/add" ? held : undefined);
  await email(page).fill("guest@example.com");
  await page.keyboard.press("Enter");
  await page.evaluate(() => document.querySelector("wishbone-notify").setAttribute("epi", "2"));
  pass();
  await idle(page);
  await email(page).waitFor();
  assert.equal(await page.getByText("Open the link in the e-mail").count(), 0);
});

test("without a network, the shopper is told that the alert waits", async () => {
  const page = await shop.open(notify(), { attributes: { timeout: "1000" } });
  await page.evaluate(() => wishbone.shopper.identity());
  shop.proxy.fault = () => "refuse";
  await email(page).fill("guest@example.com");
  await page.keyboard.press("Enter");
  const waits = page.locator("wishbone-notify").getByText("Your changes will be saved later");
  await waits.waitFor();
  await page.reload();
  await waits.waitFor();
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.getByText("Check your inbox").waitFor();
  shop.proxy.fault = () => "refuse";
  await page.getByRole("button", { name: "Remove alert" }).click();
  await email(page).waitFor();
  assert.equal(await waits.count(), 0, "what waits now is its end");
  // Its next attempt is none of the next test.
  await page.close();
});

test("errors are next to the field, which gets the focus", async () => {
  const page = await shop.open(notify());
  const focus = () => page.evaluate(() => document.activeElement.shadowRoot.activeElement.name);
  const described = () => page.locator("wishbone-notify input").evaluate((input) =>
    input.getRootNode().getElementById(input.getAttribute("aria-describedby"))?.textContent);
  for (const wrong of ["", "nobody", "a@b@c"]) {
    await email(page).fill(wrong);
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByText("Enter an e-mail address").waitFor();
    assert.equal(await focus(), "email");
  }
  assert.match(await described(), /Enter an e-mail address/);
  assert.deepEqual(shop.proxy.of("subscriptions/add"), []);
  shop.proxy.fault = ({ name }) =>
    name === "subscriptions/add" ? [429, JSON.stringify({ status: "error", "error-code": "rate-limited", "error-msg": "too many" }), { "retry-after": "3600" }] : undefined;
  await email(page).fill("ann@example.com");
  await page.getByRole("button", { name: "Notify me" }).click();
  await page.getByText("Too many requests.").waitFor();
  assert.equal(await email(page).inputValue(), "ann@example.com");
  assert.deepEqual(page.uncaught, []);
});

test("other elements and tabs follow, also where the store does not list subscriptions", async () => {
  const page = await shop.open(notify() + notify() + notify("topic=lowstock"));
  const other = await shop.open(notify(), { context: page.context() });
  shop.proxy.fault = ({ name }) =>
    name === "subscriptions/fetch-subs" ? [403, JSON.stringify({ status: "error", "error-code": "feature-not-enabled", "error-msg": "off" })] : undefined;
  await email(page).first().fill("other@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("Check your inbox").nth(1).waitFor();
  await other.getByText("Check your inbox").waitFor();
  assert.equal(await email(page).count(), 1, "the one about another topic");
  await other.getByRole("button", { name: "Remove alert" }).click();
  await email(page).nth(2).waitFor();
});

test("several forms of one topic ask once what the shopper has", async () => {
  const shopper = await shop.newShopper();
  await shop.call(shopper, "subscriptions/add", { ...record(2), topic: "backinstock", medium: "email", mediumvalue: shopper.email });
  const html = [1, 2, 3].map((epi) => `<wishbone-notify ${product(epi)}></wishbone-notify>`).join("");
  const page = await shop.open(html, { shopper });
  await page.locator('wishbone-notify[epi="2"]').getByText("We will e-mail you").waitFor();
  assert.equal(await email(page).count(), 2);
  assert.equal(shop.proxy.of("subscriptions/fetch-subs").length, 1);
});
