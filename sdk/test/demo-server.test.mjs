// The demo's start page exactly as the real server serves it: nothing stands in between.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { realServer } from "./support/server.mjs";

let server, browser;

before(async () => {
  server = realServer();
  browser = await launch();
});

after(() => browser?.close());

/** Opens the page, and gathers whatever a developer with an open console would frown at. */
async function visit(base, options = {}) {
  const page = await (await browser.newContext(options)).newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("requestfailed", (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (response) => response.status() >= 400 && complaints.push(`${response.status()} ${response.url()}`));
  await page.goto(`${base}/`);
  await page.locator("#items .item:not(.ghost)").first().waitFor();
  return Object.assign(page, { complaints });
}

const cards = (page) => page.locator("#items .item:not(.ghost)");
const open = (page, name) => page.locator("#lists a", { hasText: name }).click();

/** The answer to the next page of items, once it is on show. */
async function afterItems(page, act) {
  const isPage = (response) =>
    response.url().includes("/fetch-user-list?") && !response.request().postData().includes("filterby=outofstock");
  const answer = page.waitForResponse(isPage);
  await act();
  await (await answer).finished();
  await page.locator("#contents:not([aria-busy])").waitFor();
}

test("the console stays clean and every picture arrives, under every name of the server", async () => {
  for (const base of [server.url, server.url.replace("127.0.0.1", "localhost")]) {
    const page = await visit(base);
    for (const card of await cards(page).all()) await card.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => !document.querySelector("#items .picture:not(.has-picture)"));
    assert.equal(await page.locator("#items .has-picture").count(), 50);
    assert.deepEqual(page.complaints, [], base);
  }
});

test("the long list is paged to its end", async () => {
  const page = await visit(server.url);
  await open(page, "Everything I ever liked");
  const more = page.getByRole("button", { name: "Load more" });
  for (let shown = 50; shown < 300; shown += 50) {
    await page.getByText(`${shown} of 300 items shown`).first().waitFor();
    await more.click();
  }
  await page.getByText("300 of 300 items shown").first().waitFor();
  assert.equal(await cards(page).count(), 300);
  assert.equal(await more.count(), 0);
  assert.deepEqual(page.complaints, []);
});

test("prices and titles are in order, and sold-out goods can be hidden", async () => {
  const page = await visit(server.url);
  const prices = async () => (await page.locator("#items .price").allTextContents()).map(Number);
  const sort = page.getByLabel("Sort");

  await afterItems(page, () => sort.selectOption("Price: low to high"));
  const cheap = await prices();
  assert.deepEqual(cheap, cheap.toSorted((a, b) => a - b));
  await afterItems(page, () => sort.selectOption("Price: high to low"));
  const dear = await prices();
  assert.deepEqual(dear, dear.toSorted((a, b) => b - a));
  assert.ok(dear[0] > cheap[0]);

  await afterItems(page, () => sort.selectOption("Title: A to Z"));
  const titles = await page.locator("#items .title").allTextContents();
  const { compare } = new Intl.Collator("und");
  assert.deepEqual(titles, titles.toSorted(compare));

  await open(page, "Everything I ever liked");
  await page.locator(".stock:visible").first().waitFor();
  await afterItems(page, () => page.getByLabel("In stock only").check());
  await page.getByText("258 of 300 items in stock").waitFor();
  await page.getByText("50 of 258 items shown").first().waitFor();
  assert.equal(await page.locator(".stock:visible").count(), 0);

  await open(page, "Birthday wishes");
  await page.getByRole("heading", { name: "Birthday wishes" }).waitFor();
  await afterItems(page, () => page.getByLabel("In stock only").uncheck());
  await afterItems(page, () => page.getByLabel("In stock only").check());
  const inStock = await cards(page).count();
  assert.ok(inStock > 0 && inStock <= 24, `${inStock} of 24`);
  assert.deepEqual(page.complaints, []);
});

test("an empty list looks empty, and a server that is gone is said in words", async () => {
  const page = await visit(server.url);
  await open(page, "Kitchen, one day");
  await page.getByText("This list is empty").waitFor();
  assert.deepEqual(page.complaints, []);

  await page.context().setOffline(true);
  await open(page, "Birthday wishes");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.textContent(), /could not be loaded.*demo is running.*could not be reached.*network/s);
  await page.context().setOffline(false);
  await afterItems(page, () => page.getByRole("button", { name: "Try again" }).click());
  assert.equal(await cards(page).count(), 24);
});

test("on a phone the chosen list is in view", async () => {
  const page = await visit(server.url, { viewport: { width: 390, height: 800 } });
  await page.goto(`${server.url}/#list=${await page.locator("#lists a").nth(3).getAttribute("data-lid")}`);
  await page.reload();
  await page.getByText("This list is empty").waitFor();
  const { left, right } = await page.locator("#lists [aria-current]").evaluate((link) => link.getBoundingClientRect());
  assert.ok(left >= 0 && right <= 390, `from ${left} to ${right}`);
});

test("nothing sticks out sideways, on a phone either", async () => {
  for (const width of [320, 390, 768, 1280]) {
    const page = await visit(server.url, { viewport: { width, height: 800 } });
    const { wide, content } = await page.evaluate(() => ({
      wide: document.documentElement.clientWidth,
      content: document.documentElement.scrollWidth,
    }));
    assert.ok(content <= wide, `at ${width} pixels the page is ${content} wide`);
  }
});
