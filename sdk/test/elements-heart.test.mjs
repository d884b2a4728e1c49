// <wishbone-heart> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, product, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const heart = (epi, more = "") => `<wishbone-heart ${product(epi)} ${more}></wishbone-heart>`;
const button = (page, epi) => page.locator(`wishbone-heart[epi="${epi}"] button`);
const isPressed = (locator, value) => locator.and(locator.page().locator(`[aria-pressed="${value}"]`)).waitFor();

test("sixty hearts that are in the page before the script make one call", async () => {
  const epis = Array.from({ length: 60 }, (_, index) => index + 1);
  const shopper = await shop.newShopper([7, 12]);
  const page = await shop.open(epis.map((epi) => heart(epi)).join(""), { shopper });
  await isPressed(button(page, 7), true);
  await isPressed(button(page, 12), true);
  assert.equal(await page.locator('wishbone-heart button[aria-pressed="true"]').count(), 2);
  assert.deepEqual(shop.proxy.calls.map(({ name }) => name), ["lists/contains"]);
});

test("a heart without an address saves the canonical one of the page, or else the page's", async () => {
  const saved = async (head) => {
    const page = await shop.open('<wishbone-heart epi="1" empi="1"></wishbone-heart>', { head });
    await page.evaluate(() => history.replaceState(null, "", "?email=ann%40example.com#reviews"));
    await button(page, 1).click();
    await shop.has(page, [1]);
    const [{ form }] = shop.proxy.of("lists/update-ctx");
    return JSON.parse(form.a)[0].du;
  };
  const canonical = "https://shop.example/products/shirt";
  assert.equal(await saved(`<link rel="canonical" href="${canonical}">`), canonical);
  assert.match(await saved('<link rel="canonical" href="javascript:alert(1)">'), /^http:.*\?email=ann%40example\.com$/);
});

/** Holds back the server's answers to changes until `release` is called. */
function hold() {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? released : undefined);
  return { release };
}

const REFUSED = [400, JSON.stringify({ status: "error", "error-code": "limit-reached", "error-msg": "the list is full" })];
const refuse = () => {
  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? REFUSED : undefined);
};

test("a press shows at once in every heart of the product, and is saved", async () => {
  const page = await shop.open(heart(1) + heart(1, "variant=button"));
  const { release } = hold();
  await button(page, 1).first().click();
  await isPressed(button(page, 1).first(), true);
  await isPressed(button(page, 1).last(), true);
  assert.equal(await button(page, 1).last().innerText(), "On your wishlist");
  release();
  await shop.has(page, [1]);
  await button(page, 1).last().click();
  await isPressed(button(page, 1).first(), false);
  await shop.has(page, []);
  assert.deepEqual(page.uncaught, []);
});

test("a change that the server refuses is undone, and the shopper is told why", async () => {
  const page = await shop.open(heart(1));
  refuse();
  await button(page, 1).click();
  const alert = page.getByRole("alert");
  await alert.getByText("Your change was not saved. There is no room for more.").waitFor();
  await isPressed(button(page, 1), false);
  await alert.getByRole("button", { name: "Close" }).click();
  await alert.getByText("Your change").waitFor({ state: "detached" });
  assert.equal(await page.locator("wishbone-toasts").count(), 1);
  assert.deepEqual(page.uncaught, []);
});

test("a heart of which nothing is known claims nothing, and what it is once the server answers", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open("", { shopper, attributes: { timeout: "1000" } });
  shop.proxy.fault = () => "refuse";
  await page.evaluate((html) => (document.querySelector("main").innerHTML = html), heart(1));
  await page.waitForFunction(() => document.querySelector("wishbone-heart").shadowRoot.querySelector("button"));
  assert.equal(await button(page, 1).getAttribute("aria-pressed"), null);
  await button(page, 1).click();
  await page.getByRole("alert").getByText("Your change was not saved. Check your connection").waitFor();
  assert.equal(await button(page, 1).getAttribute("aria-pressed"), null);
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await isPressed(button(page, 1), true);
});

test("a press while offline is kept, also by the next page, and saved later", async () => {
  const shopper = await shop.newShopper([2]);
  const page = await shop.open(heart(1) + heart(2), { shopper });
  await isPressed(button(page, 2), true);
  shop.proxy.fault = ({ name }) => (name.startsWith("lists/") ? "refuse" : undefined);
  await page.context().setOffline(true);
  await button(page, 1).click();
  await button(page, 2).click();
  await page.getByRole("status").getByText("Your changes will be saved").waitFor();
  await page.waitForFunction(() => wishbone.queued().length === 2);
  await isPressed(button(page, 1), true);
  await isPressed(button(page, 2), false);
  await page.context().setOffline(false);
  await page.reload();
  await isPressed(button(page, 1), true);
  await isPressed(button(page, 2), false);
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await shop.has(page, [1]);
  await isPressed(button(page, 1), true);
  await isPressed(button(page, 2), false);
});

test("a press while offline shows in other tabs, and goes there too if it is refused", async () => {
  const shopper = await shop.newShopper([2]);
  const page = await shop.open(heart(1), { shopper });
  const other = await shop.open(heart(1), { shopper, context: page.context() });
  shop.proxy.fault = ({ name }) => (name.startsWith("lists/") ? "refuse" : undefined);
  await button(page, 1).click();
  await isPressed(button(other, 1), true);
  await button(other, 1).click();
  await isPressed(button(page, 1), false);
  await button(page, 1).click();
  await isPressed(button(other, 1), true);
  const full = JSON.stringify({ status: "error", "error-code": "limit-reached", "error-msg": "full" });
  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? [400, full] : undefined);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await isPressed(button(other, 1), false);
  await isPressed(button(page, 1), false);
});

test("other tabs, a login and a logout are followed", async () => {
  const html = heart(1) + heart(2);
  const page = await shop.open(html);
  await button(page, 1).click();
  await shop.has(page, [1]);
  const other = await shop.open(html, { context: page.context() });
  await isPressed(button(other, 1), true);
  await button(other, 2).click();
  await isPressed(button(page, 2), true);
  await page.evaluate(() => wishbone.logout());
  for (const tab of [page, other]) {
    await isPressed(button(tab, 1), false);
    await isPressed(button(tab, 2), false);
  }
  const shopper = await shop.newShopper([1]);
  await page.evaluate((identity) => wishbone.init(identity), shopper);
  await isPressed(button(page, 1), true);
});

test("what another device does shows, in hearts and lists", async () => {
  const shopper = await shop.newShopper([1]);
  const html = `${heart(1)}${heart(2)}<wishbone-list></wishbone-list><wishbone-lists></wishbone-lists>`;
  const page = await shop.open(html, { shopper, attributes: { load: "elements live" } });
  await isPressed(button(page, 1), true);
  const [{ lid }] = await shop.lists(shopper);
  await shop.call(shopper, "lists/update-ctx", { lid, d: [{ epi: 1 }], a: [record(2), record(3)] });
  await isPressed(button(page, 1), false);
  await isPressed(button(page, 2), true);
  await page.locator('wishbone-list li[data-epi="3"]').waitFor();
  await page.getByRole("button", { name: "My lists, 2 items" }).waitFor();
});

test("what is saved for later is not on the wishlist", async () => {
  const shopper = await shop.newShopper([2]);
  const { list } = await shop.call(shopper, "lists/sfl/fetch");
  await shop.call(shopper, "lists/sfl/add", { lid: list.lid, items: [record(1)] });
  const page = await shop.open(heart(1) + heart(2), { shopper });
  await isPressed(button(page, 2), true);
  await isPressed(button(page, 1), false);
  await page.evaluate((item) => wishbone.saveForLater.add(item), record(3));
  await button(page, 1).click();
  await shop.has(page, [1, 2]);
});

test("elements that are added, changed, moved and re-attached show what is true then", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open("", { shopper });
  await page.evaluate((html) => (document.querySelector("main").innerHTML = html), heart(1));
  await isPressed(button(page, 1), true);
  await page.evaluate(() => document.querySelector("wishbone-heart").setAttribute("epi", "2"));
  await isPressed(button(page, 2), false);
  await page.evaluate(() => document.querySelector("wishbone-heart").setAttribute("epi", "1"));
  await isPressed(button(page, 1), true);
  shop.proxy.calls.length = 0;
  await page.evaluate(() => document.body.append(document.querySelector("wishbone-heart")));
  await isPressed(button(page, 1), true);
  await page.evaluate(() => {
    window.kept = document.querySelector("wishbone-heart");
    kept.remove();
  });
  await page.evaluate(() => wishbone.items.remove({ epi: 1, empi: 1001 }));
  await page.evaluate(() => document.body.append(kept));
  await isPressed(button(page, 1), false);
  await button(page, 1).click();
  await shop.has(page, [1]);
});

test("a heart that becomes one of another product shows nothing of the last", async () => {
  const shopper = await shop.newShopper([1]);
  const page = await shop.open(heart(1), { shopper });
  await isPressed(button(page, 1), true);
  shop.proxy.fault = ({ name }) => (name === "lists/contains" ? [500, "{}"] : undefined);
  await page.evaluate(() => document.querySelector("wishbone-heart").setAttribute("epi", "2"));
  await button(page, 2).and(page.locator(":not([aria-pressed])")).waitFor();
});

test("a heart in a link is pressed without following it", async () => {
  const page = await shop.open(`<a href="#elsewhere">${heart(1)}</a>`);
  await button(page, 1).click();
  await isPressed(button(page, 1), true);
  assert.equal(await page.evaluate(() => location.hash), "");
});

test("it shows how many shoppers have the product, in one call, without changing its size", async () => {
  for (const _ of [1, 2, 3]) await shop.newShopper([5]);
  const page = await shop.open(heart(5, "count") + heart(6, "count"));
  const first = page.locator('wishbone-heart[epi="5"]');
  const before = await first.boundingBox();
  await first.getByText("3 shoppers saved this").waitFor();
  assert.deepEqual(await first.boundingBox(), before);
  assert.equal(shop.proxy.of("product/wishlist/social-count").length, 1);
  await button(page, 5).click();
  await first.getByText("4 shoppers saved this").waitFor();
});

test("only the keyboard is needed, and the name says what for", async () => {
  const page = await shop.open(heart(1));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add to wishlist: Linen shirt", pressed: true }).waitFor();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Add to wishlist: Linen shirt", pressed: false }).waitFor();
  await shop.has(page, []);
});

test("a heart of one list is about that list alone", async () => {
  const shopper = await shop.newShopper([1]);
  const lid = await shop.fill({ ...shopper, list: "Birthday" }, [2]);
  const page = await shop.open(heart(1, `lid="${lid}"`) + heart(2, `lid="${lid}"`), { shopper });
  await isPressed(button(page, 2), true);
  await isPressed(button(page, 1), false);
  await button(page, 2).click();
  await shop.has(page, [1]);
});

test("attributes that are missing or hostile break nothing, and become no links", async () => {
  const page = await shop.open(
    `<wishbone-heart></wishbone-heart>` +
      `<wishbone-heart epi="9" empi="9" du="javascript:alert(1)" dt="&lt;img src=x onerror=alert(1)&gt;" variant="what"></wishbone-heart>`,
  );
  await page.locator("wishbone-heart").first().locator("button").click();
  await page.getByRole("alert").getByText("Your change was not saved.").waitFor();
  await button(page, 9).click();
  await shop.has(page, [9]);
  const [{ du, dt }] = await page.evaluate(async () => {
    const [list] = await wishbone.lists.fetch({ contents: true });
    return list.listcontents;
  });
  assert.equal(du, `${shop.shop.url}/`, "the page itself");
  assert.equal(dt, "<img src=x onerror=alert(1)>");
  assert.deepEqual(page.uncaught, []);
});
