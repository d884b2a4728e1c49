// Changes while the network fails: nothing is lost, nothing is applied twice, and the order stays.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { names, openFixture, sees } from "./support/fixture.mjs";
import { forbid } from "./support/pages.mjs";

const DU = "https://shop.example/p";
let shop;

before(async () => {
  shop = await openFixture();
});

after(() => shop?.close());

beforeEach(() => {
  shop.proxy.fault = () => undefined;
  shop.proxy.calls.length = 0;
});

let shoppers = 0;
async function visit(options = {}) {
  const shopper = options.shopper || (await shop.shopper(`shopper-${(shoppers += 1)}@example.com`));
  const profile = await shop.browser.newContext();
  const page = await shop.visit({ ...options, context: profile, attributes: shopper });
  return Object.assign(page, { shopper, profile });
}

const add = (page, epi, lid) => page.evaluate(([epi, du, lid]) => wishbone.items.add({ epi, empi: 1, du, lid }), [epi, DU, lid]);
/** Does not wait for the outcome. */
const begin = (page, call, options) =>
  page.evaluate(
    ([call, options]) => {
      const [space, name] = call.split(".");
      (window.outcomes ||= []).push(wishbone[space][name](options));
    },
    [call, options],
  );
const outcomes = (page) =>
  page.evaluate(() => Promise.all((window.outcomes || []).map((one) => one.then(() => "ok", (error) => error.code))));
const queued = (page) => page.evaluate(() => wishbone.queued().map(({ name, args }) => [name, args.epi]));
const product = (epi, more) => ({ epi, empi: 1, du: DU, ...more });
const items = async (page) => (await shop.lists(page.shopper)).flatMap(({ epis }) => epis);

test("a lost answer: the change is repeated with its key, and applied once", async () => {
  const page = await visit();
  let lost = 0;
  shop.proxy.fault = ({ name }) => name === "lists/create" && (lost += 1) < 3 && "lose";
  const { lid } = await page.evaluate(() => wishbone.lists.create({ lname: "Once" }));
  const keys = shop.proxy.of("lists/create").map(({ key }) => key);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual((await shop.lists(page.shopper)).map((list) => list.lid), [lid]);
});

test("an overloaded server is asked again, and the page need not know", async () => {
  const page = await visit();
  const busy = JSON.stringify({ status: "error", "error-code": "overloaded", "error-msg": "wait" });
  let refused = 0;
  shop.proxy.fault = ({ name }) => /update-ctx|user-lists/.test(name) && (refused += 1) % 2 && [503, busy, { "retry-after": "1" }];
  await page.evaluate(async (du) => {
    await wishbone.lists.fetch();
    await wishbone.items.add({ epi: 1, empi: 1, du });
  }, DU);
  assert.equal(shop.proxy.of("lists/update-ctx").length, 2);
  assert.deepEqual(await names(page), ["list-created", "added"]);
});

test("a limit of an hour is an error at once, and holds nothing else up", async () => {
  const page = await visit();
  const limit = JSON.stringify({ status: "error", "error-code": "rate-limited", "error-msg": "five a day" });
  shop.proxy.fault = ({ name }) => name === "subscriptions/add" && [429, limit, { "retry-after": "3600" }];
  await begin(page, "subscriptions.add", product(1, { topic: "backinstock", medium: "email", mediumvalue: "a@example.com" }));
  await begin(page, "items.add", product(2));
  assert.deepEqual(await outcomes(page), ["rate-limited", "ok"]);
  assert.equal(shop.proxy.of("subscriptions/add").length, 1);
});

test("changes made offline are sent in order when the network is back", async () => {
  const page = await visit();
  const { lid } = await add(page, 1);
  await page.profile.setOffline(true);
  await begin(page, "items.add", product(2));
  await begin(page, "items.remove", { epi: 1, lid });
  await begin(page, "items.add", product(3, { lid }));
  await sees(page, "queued");
  assert.deepEqual(await queued(page), [["items.add", 2], ["items.remove", 1], ["items.add", 3]]);
  shop.proxy.calls.length = 0;
  await page.profile.setOffline(false);
  assert.deepEqual(await outcomes(page), ["ok", "ok", "ok"]);
  await sees(page, "synced");
  assert.deepEqual(shop.proxy.of("lists/update-ctx").map(({ form }) => (form.a || form.d).match(/\d+/)[0]), ["2", "1", "3"]);
  assert.deepEqual(await items(page), [3, 2]);
  assert.equal(await page.evaluate(() => localStorage.length), 0, "nothing stays behind");
});

test("they survive a reload, and each is applied once with its first key", async () => {
  const page = await visit();
  const { lid } = await add(page, 1);
  // The server gets the first and its answer is lost; the network is gone for the rest.
  shop.proxy.fault = ({ form }) => (form.a?.includes('"epi":2') ? "lose" : "refuse");
  await begin(page, "items.add", product(2, { lid, note: "first" }));
  await begin(page, "lists.create", { lname: "Offline" });
  await begin(page, "items.remove", { epi: 1, lid });
  await sees(page, "queued");
  const [{ key }] = await page.evaluate(() => wishbone.queued());
  await page.reload();
  assert.deepEqual((await queued(page)).map(([name]) => name), ["items.add", "lists.create", "items.remove"]);
  // Meanwhile another device has removed it: a second application would bring it back.
  const other = await visit({ shopper: page.shopper });
  shop.proxy.fault = () => undefined;
  await other.evaluate((lid) => wishbone.items.remove({ epi: 2, lid }), lid);
  await page.reload();
  await page.waitForFunction(() => wishbone.queued().length === 0);
  const lists = await shop.lists(page.shopper);
  assert.deepEqual(lists.map(({ lname, epis }) => [lname, epis]), [["My Wishlist", []], ["Offline", []]]);
  const sent = shop.proxy.calls.filter(({ form }) => form.a?.includes('"epi":2')).map((call) => call.key);
  assert.ok(sent.length > 1, "the first lost its answer");
  assert.deepEqual([...new Set(sent)], [`${key}-0`]);
});

test("a page that is left in the middle of a change loses nothing", async () => {
  const page = await visit();
  let release;
  shop.proxy.fault = ({ name }) => name === "lists/update-ctx" && new Promise((resolve) => (release = resolve));
  await begin(page, "items.add", product(8));
  await page.waitForFunction(() => wishbone.queued().length === 1);
  while (!release) await page.evaluate(() => new Promise(requestAnimationFrame));
  shop.proxy.fault = () => undefined;
  await page.reload();
  release("refuse");
  await page.waitForFunction(() => wishbone.queued().length === 0);
  assert.deepEqual(await items(page), [8]);
});

test("a change that the server rejects later is dropped and reported, and the next ones go on", async () => {
  const page = await visit();
  shop.proxy.fault = () => "refuse";
  await begin(page, "items.add", product(1, { lid: "00000000-0000-4000-8000-000000000000" }));
  await begin(page, "items.add", product(2));
  await sees(page, "queued");
  await page.reload();
  shop.proxy.fault = () => undefined;
  await page.waitForFunction(() => wishbone.queued().length === 0);
  const errors = await page.evaluate(() => seen.filter(([name]) => name === "error").map(([, detail]) => [detail.error.code, detail.name, detail.args.epi, detail.replayed]));
  assert.deepEqual(errors, [["list-not-found", "items.add", 1, true]]);
  assert.deepEqual(await items(page), [2]);
});

test("a first visitor who is offline becomes a guest later", async () => {
  const page = await shop.visit({ context: await shop.browser.newContext() });
  await page.context().setOffline(true);
  await begin(page, "items.add", product(4));
  await sees(page, "queued");
  await page.context().setOffline(false);
  await page.reload();
  await page.waitForFunction(() => wishbone.queued().length === 0 && wishbone.shopper.current());
  const guest = await page.evaluate(() => wishbone.shopper.current());
  assert.deepEqual((await shop.lists(guest)).map(({ epis }) => epis), [[4]]);
});

test("a server that is restarted in the middle gets everything", async () => {
  const page = await visit();
  await add(page, 1);
  await page.evaluate(() => wishbone.items.contains({ epis: 1, lty: "wl" }));
  await shop.server.halt();
  await begin(page, "items.add", product(2));
  await begin(page, "items.toggle", product(1));
  await sees(page, "queued");
  await shop.server.resume();
  // No event tells a browser that a server is back: the script looks by itself.
  assert.deepEqual(await outcomes(page), ["ok", "ok"]);
  assert.deepEqual(await items(page), [2]);
});

test("the queue has an end", async () => {
  const page = await visit();
  await page.profile.setOffline(true);
  const codes = await page.evaluate(async (du) => {
    const codes = [];
    for (let epi = 1; epi <= 202; epi++) wishbone.items.add({ epi, empi: 1, du }, "", (error) => codes.push(error.code));
    await new Promise((resolve) => wishbone.on("queued", resolve));
    return codes;
  }, DU);
  assert.deepEqual(codes, ["queue-full", "queue-full"]);
});

test("another shopper's changes wait for that shopper", async () => {
  const page = await visit();
  shop.proxy.fault = () => "refuse";
  await begin(page, "items.add", product(6));
  await sees(page, "queued");
  await page.reload();
  const bob = await shop.shopper("bob@example.com");
  await page.evaluate((bob) => wishbone.init(bob), bob);
  assert.deepEqual(await queued(page), []);
  shop.proxy.fault = () => undefined;
  await page.evaluate((du) => wishbone.items.add({ epi: 5, empi: 1, du }), DU);
  assert.deepEqual((await shop.lists(bob)).map(({ epis }) => epis), [[5]]);
  await page.evaluate((shopper) => wishbone.init(shopper), page.shopper);
  await page.waitForFunction(() => wishbone.queued().length === 0);
  assert.deepEqual(await items(page), [6]);
});

test("a change that a change of shopper overtakes fails, and is not made later", async () => {
  const page = await visit();
  await page.profile.setOffline(true);
  await begin(page, "items.add", product(6));
  await sees(page, "queued");
  await page.evaluate(() => wishbone.init({ regid: "", sessionid: "" }));
  assert.deepEqual(await outcomes(page), ["identity-changed"]);
  await page.evaluate((shopper) => wishbone.init(shopper), page.shopper);
  assert.deepEqual(await queued(page), []);
});

test("logout leaves nothing of the queue", async () => {
  const page = await visit();
  shop.proxy.fault = () => "refuse";
  await begin(page, "items.add", product(6));
  await sees(page, "queued");
  await page.reload();
  await page.evaluate(() => wishbone.logout());
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage)), "{}");
});

test("where storage is forbidden changes wait as long as the page", async () => {
  const page = await visit({ prepare: forbid });
  await page.profile.setOffline(true);
  await begin(page, "items.add", product(1));
  await begin(page, "items.add", product(2));
  await sees(page, "queued");
  await page.profile.setOffline(false);
  assert.deepEqual(await outcomes(page), ["ok", "ok"]);
  assert.deepEqual(await items(page), [2, 1]);
  assert.deepEqual(page.uncaught, []);
});

test("in a frame without storage, locks and an origin everything else works", async () => {
  const page = await visit();
  const { shop: pages, proxy, store } = shop;
  const attributes = `src="${pages.url}/wishbone.js" data-store="${store.pid}" data-base="${proxy.url}"`;
  await page.evaluate((attributes) => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.srcdoc = `<script ${attributes}></script>`;
    document.body.append(frame);
    return new Promise((resolve) => (frame.onload = resolve));
  }, attributes);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  const seen = await frame.evaluate(async (du) => {
    const denied = await navigator.locks.request("x", () => {}).catch((error) => error.name);
    await Promise.all([1, 2].map((epi) => wishbone.items.add({ epi, empi: 1, du })));
    const [{ lid }] = await wishbone.lists.fetch();
    return [denied, (await wishbone.lists.details({ lid })).items.map(({ epi }) => epi)];
  }, DU);
  assert.deepEqual(seen, ["SecurityError", [2, 1]]);
  assert.deepEqual(page.uncaught, []);
});
