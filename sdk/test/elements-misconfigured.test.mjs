// What elements show, and the console says, on a page that cannot use the store.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, product } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const ALL = `<wishbone-list></wishbone-list><wishbone-saved></wishbone-saved><wishbone-alerts></wishbone-alerts>
  <wishbone-notify ${product(1)}></wishbone-notify>`;

const PRESSED = `<wishbone-heart ${product(1)}></wishbone-heart><wishbone-lists></wishbone-lists><wishbone-share></wishbone-share>`;

const open = (options) => shop.open(ALL, { ...options, prepare: listen });
const set = (...args) => shop.server.set(shop.store.pid, ...args);

/** Runs in the page. */
function listen() {
  window.said = {};
  console.error = (text) => {
    const [, name, rest] = /^<wishbone-(\w+)>: (.*)/s.exec(text) || [];
    if (name) window.said[name] = rest;
  };
}

/** The console's message of an element. */
async function said(page, name) {
  await page.waitForFunction((name) => window.said[name], name);
  return page.evaluate((name) => window.said[name], name);
}

test("without its feature an element shows nothing, and the console has the command that switches it on", async () => {
  await set("--disable", "save-for-later", "--disable", "subscriptions");
  const page = await open();
  await page.getByText("Your wishlist is empty").waitFor();
  await page.waitForFunction(() => ["saved", "alerts", "notify"].every((name) => document.querySelector(`wishbone-${name}`).shadowRoot.childElementCount === 0));
  assert.match(await said(page, "saved"), /wishbone store set '.+' --enable save-for-later$/);
  assert.match(await said(page, "alerts"), /--enable subscriptions$/);
  assert.match(await said(page, "notify"), /--enable subscriptions$/);
  await set("--enable", "save-for-later", "--enable", "subscriptions");
  await page.reload();
  await page.getByText("This list is empty").waitFor();
  await page.getByText("You have no alerts").waitFor();
});

test("a wrong pid is an error, not an empty list", async () => {
  const page = await open({ attributes: { store: `${"A".repeat(43)}=` } });
  await page.getByText("This could not be loaded").first().waitFor();
  assert.equal(await page.getByText("is empty").count(), 0);
  assert.match(await said(page, "list"), /Compare data-store with the store's pid/);
});

test("with a wrong pid, a press, the drawer and sharing fail with what to change, and nothing looks empty", async () => {
  const page = await shop.open(PRESSED, { attributes: { store: `${"A".repeat(43)}=` }, prepare: listen });
  await page.getByRole("button", { name: /^Add to wishlist/ }).click();
  await page.getByText("Your change was not saved.").waitFor();
  assert.match(await said(page, "heart"), /Compare data-store with the store's pid/);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog").getByText("This could not be loaded").waitFor();
  assert.match(await said(page, "share"), /Compare data-store/);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^My lists/ }).click();
  await page.getByRole("dialog").getByText("This could not be loaded").waitFor();
  assert.equal(await page.getByText("You have no lists yet").count(), 0);
  assert.match(await said(page, "lists"), /Compare data-store/);
});

test("where the origin is not allowed, a press says that it waits, and the console why", async () => {
  await set("--allow-origin", "https://elsewhere.example");
  const page = await shop.open(PRESSED, { prepare: listen });
  await page.getByRole("button", { name: /^Add to wishlist/ }).click();
  await page.getByText("No connection. Your changes will be saved later.").waitFor();
  assert.match(await said(page, "heart"), /--allow-origin http/);
  await page.close(); // It would send its change once the origin is allowed, in the middle of another test.
  await set("--allow-origin", "*");
});

test("an origin that the store does not allow is an error with the command that allows it", async () => {
  await set("--allow-origin", "https://elsewhere.example");
  const page = await open();
  await page.getByText("This could not be loaded").first().waitFor();
  const origin = await page.evaluate(() => location.origin);
  const text = await said(page, "list");
  assert.ok(text.endsWith(`--allow-origin ${origin}`), text);
  await set("--allow-origin", "*");
});

test("a server that cannot be reached is an error", async () => {
  const page = await open({ attributes: { base: "http://127.0.0.1:9" } });
  await page.getByText("This could not be loaded").first().waitFor();
  assert.match(await said(page, "list"), /could not be reached/);
});

test("what the store has is asked for once in a browser session", async () => {
  const page = await open();
  await page.getByText("Your wishlist is empty").waitFor();
  await page.reload();
  await page.getByText("Your wishlist is empty").waitFor();
  assert.deepEqual(shop.proxy.calls.map(({ name }) => name), ["provider/features"]);
});
