// Live lists: what one device changes shows on the other, whatever happens to the stream between.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { openFixture, sees } from "./support/fixture.mjs";
import { outdate } from "./support/pages.mjs";
import { until } from "./support/patience.mjs";

let shop;
const contexts = new Set();

before(async () => {
  shop = await openFixture();
});

afterEach(async () => {
  shop.proxy.fault = () => undefined;
  for (const context of contexts) await context.close();
  contexts.clear();
});

after(() => shop?.close());

const DU = "https://shop.example/p";
let shoppers = 0;

const somebody = () => shop.shopper(`live-${(shoppers += 1)}@example.com`);

/** A page of the shopper in a browser of its own, or in another tab of `context`. */
async function device(shopper, { context, load = "live", ...options } = {}) {
  const place = context || (await shop.browser.newContext());
  contexts.add(place);
  return shop.visit({ ...options, context: place, attributes: { ...shopper, ...(load && { load }) } });
}

const streams = () => shop.proxy.of("lists/live");
const follows = (count = 1) => until(() => shop.proxy.open.size === count);

/** A heart as a page shows it: asks the script, which asks the server only if it must. */
async function heart(page, epi, full = true) {
  const lids = () => page.evaluate((epi) => wishbone.items.contains({ epis: epi, lty: "wl" }), epi);
  await until(async () => (await lids()).length > 0 === full);
}

const press = (page, epi) => page.evaluate(([epi, du]) => wishbone.items.toggle({ epi, empi: 1, du }), [epi, DU]);

/** The shopper's phone, which has no page here. */
async function add(shopper, epi) {
  const [list] = await shop.lists(shopper);
  const { lid } = list || (await shop.call(shopper, "lists/create", { lname: "Phone" }));
  await shop.call(shopper, "lists/update-ctx", { lid, a: [{ epi, empi: 1, du: DU }] });
}

test("a heart that is pressed on one device shows on the other, and off again", async () => {
  const shopper = await somebody();
  const [phone, laptop] = [await device(shopper), await device(shopper)];
  await follows(2);
  await heart(laptop, 5, false);
  await press(phone, 5);
  await heart(laptop, 5);
  await press(phone, 5);
  await heart(laptop, 5, false);
  const seen = await laptop.evaluate(() => seen.map(([name, { list, remote }]) => [name, list.lname, remote]));
  assert.deepEqual(seen[0], ["list-created", "My Wishlist", true]);
  assert.deepEqual([...new Set(seen.slice(1).map(String))], ["list-updated,My Wishlist,true"]);
});

test("the heart of a page changes by itself", async () => {
  const shopper = await somebody();
  const before = `<wishbone-heart epi="5" empi="1" du="${DU}"></wishbone-heart>`;
  const page = await device(shopper, { load: "live elements", before });
  const shows = (isPressed) => page.locator(`wishbone-heart button[aria-pressed="${isPressed}"]`).waitFor();
  await shows(false);
  await follows();
  await add(shopper, 5);
  await shows(true);
});

test("a list that another device deletes is told", async () => {
  const shopper = await somebody();
  await add(shopper, 1);
  const page = await device(shopper);
  await heart(page, 1);
  await follows();
  const [{ lid }] = await shop.lists(shopper);
  await shop.call(shopper, "lists/delete-list", { lid });
  await heart(page, 1, false);
  assert.deepEqual(await page.evaluate(() => seen.map(([name, { list }]) => [name, list.lid])), [["list-deleted", lid]]);
});

test("two tabs hold one stream, both are told, and one goes on where the other ended", async () => {
  const shopper = await somebody();
  const first = await device(shopper);
  await follows();
  const second = await device(shopper, { context: first.context() });
  await Promise.all([heart(first, 7, false), heart(second, 7, false)]);
  await add(shopper, 7);
  await Promise.all([heart(first, 7), heart(second, 7)]);
  assert.equal(shop.proxy.open.size, 1);
  const told = (page) => page.evaluate(() => seen.map(([name]) => name));
  assert.deepEqual(await told(second), await told(first), "each is told once");

  const before = streams().length;
  await first.close();
  await until(() => streams().length > before);
  assert.match(streams().at(-1).form["last-event-id"], /./);
  await follows();
  await add(shopper, 8);
  await heart(second, 8);
});

test("a stream that is cut off goes on, and what was missed meanwhile is told", async () => {
  const shopper = await somebody();
  const page = await device(shopper);
  await heart(page, 3, false);
  await follows();
  // From the first event on, the page has an id to go on from.
  await add(shopper, 1);
  await sees(page, "list-created");
  shop.proxy.fault = ({ name }) => name === "lists/live" && "refuse";
  shop.proxy.cut();
  await add(shopper, 3);
  shop.proxy.fault = () => undefined;
  await sees(page, "lists-changed");
  await heart(page, 3);
  assert.match(streams().at(-1).form["last-event-id"], /./);
});

test("a server that is restarted in the middle is found again", async () => {
  const shopper = await somebody();
  const page = await device(shopper);
  await heart(page, 4, false);
  await follows();
  await shop.server.halt();
  await shop.server.resume();
  await add(shopper, 4);
  await heart(page, 4);
});

test("where streams do not pass, the script polls", async () => {
  const shopper = await somebody();
  // A proxy that collects responses: nothing arrives before the end of the stream.
  shop.proxy.fault = ({ name, form }) => name === "lists/live" && form.timeout !== "0" && new Promise(() => {});
  const page = await device(shopper);
  await heart(page, 6, false);
  await add(shopper, 6);
  await heart(page, 6);
  assert.equal(streams().at(-1).form.timeout, "0");
});

test("a server that has no room for streams is polled after the time that it asks for", async () => {
  const shopper = await somebody();
  const busy = [503, '{"status":"error","error-code":"overloaded","error-msg":"busy"}', { "retry-after": "1" }];
  shop.proxy.calls.length = 0;
  shop.proxy.fault = ({ name, form }) => name === "lists/live" && form.timeout !== "0" && busy;
  await device(shopper);
  await until(() => streams().length === 2);
  assert.deepEqual(streams().map(({ form }) => form.timeout), ["300", "0"]);
});

test("tabs that cannot agree on one stream poll each", async () => {
  const shopper = await somebody();
  shop.proxy.calls.length = 0;
  const page = await device(shopper, { prepare: outdate });
  await until(() => streams().length === 1);
  await heart(page, 2, false);
  await add(shopper, 2);
  await heart(page, 2);
  assert.deepEqual([...new Set(streams().map(({ form }) => form.timeout))], ["0"]);
});

test("a page that is hidden for long lets go of the stream, and catches up when it is looked at", async () => {
  const shopper = await somebody();
  const page = await device(shopper, { load: "" });
  await page.evaluate(() => wishbone.load("live", { pause: 100 }));
  await heart(page, 9, false);
  await follows();
  const hide = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  await follows(0);
  await add(shopper, 9);
  await hide(false);
  await sees(page, "lists-changed");
  await heart(page, 9);
});

test("a guest has no stream, a login begins one, and a logout ends it", async () => {
  shop.proxy.calls.length = 0;
  const page = await device({});
  await page.exposeFunction("sign", (regid) => shop.token(regid, `live-login-${(shoppers += 1)}@example.com`));
  await press(page, 1);
  assert.equal(streams().length, 0);
  await page.evaluate(() => wishbone.shopper.login(({ regid }) => sign(regid)));
  await follows();
  const { regid } = await page.evaluate(() => wishbone.shopper.current());
  assert.deepEqual(streams().map(({ form }) => form.regid), [regid]);
  await page.evaluate(() => wishbone.logout());
  await follows(0);
});

test("a shopper whom the server does not accept is not asked about again", async () => {
  const shopper = await somebody();
  const email = `live-${shoppers}@example.com`;
  await shop.revoke(email);
  shop.proxy.calls.length = 0;
  const page = await device(shopper);
  await until(() => streams().length === 1);
  const code = await page.evaluate(() => wishbone.lists.fetch().catch((error) => error.code));
  assert.equal(code, "bad-regid");
  assert.equal(streams().length, 1);
});
