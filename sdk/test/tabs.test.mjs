// Several tabs of one browser.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { openFixture, sees } from "./support/fixture.mjs";
import { outdate } from "./support/pages.mjs";

const DU = "https://shop.example/p";
let shop;

before(async () => {
  shop = await openFixture();
});

after(() => shop?.close());

beforeEach(() => {
  shop.proxy.fault = () => undefined;
});

/** Two tabs of a guest. */
async function tabs(options = {}) {
  const context = await shop.browser.newContext();
  return [await shop.visit({ ...options, context }), await shop.visit({ ...options, context })];
}

const add = (page, epi) => page.evaluate(([epi, du]) => wishbone.items.add({ epi, empi: 1, du }), [epi, DU]);
const identity = (page) => page.evaluate(() => wishbone.shopper.current());

for (const [browsers, prepare] of [["browsers of today", undefined], ["older browsers", outdate]]) {
  test(`a heart pressed in one tab shows in the other (${browsers})`, async () => {
    const [first, second] = await tabs({ prepare });
    assert.deepEqual(await second.evaluate(() => wishbone.items.contains(1)), []);
    const { lid } = await add(first, 1);
    await sees(second, "added");
    const [detail] = await second.evaluate(() => seen.filter(([name]) => name === "added").map(([, detail]) => detail));
    assert.deepEqual([detail.lid, detail.epis, detail.remote], [lid, [1], true]);
    assert.deepEqual(await second.evaluate(() => wishbone.items.contains(1)), [lid]);
    assert.equal(await first.evaluate(() => seen.some(([, detail]) => detail.remote)), false);
  });

  test(`what one tab queued another sends, once, and both know the outcome (${browsers})`, async () => {
    const [first, second] = await tabs({ prepare });
    await add(first, 1);
    shop.proxy.fault = () => "refuse";
    for (const [page, epi] of [[first, 2], [second, 3]]) {
      await page.evaluate(([epi, du]) => void (window.outcome = wishbone.items.add({ epi, empi: 1, du })), [epi, DU]);
      await sees(page, "queued");
    }
    shop.proxy.calls.length = 0;
    shop.proxy.fault = () => undefined;
    await Promise.all([first, second].map((page) => page.evaluate(() => dispatchEvent(new Event("online")))));
    assert.deepEqual(await second.evaluate(async () => (await outcome).items.map(({ epi }) => epi)), [3]);
    assert.deepEqual(await first.evaluate(async () => (await outcome).items.map(({ epi }) => epi)), [2]);
    const keys = shop.proxy.of("lists/update-ctx").map(({ key }) => key);
    assert.equal(keys.length, 2, "one tab sends, and the other waits for it");
    assert.equal(new Set(keys).size, 2);
    assert.deepEqual((await shop.lists(await identity(first))).map(({ epis }) => epis), [[3, 2, 1]]);
  });

  test(`tabs that add at the same moment make one guest and one list (${browsers})`, async () => {
    const [first, second] = await tabs({ prepare });
    await Promise.all([add(first, 1), add(second, 2), add(first, 3), add(second, 4)]);
    assert.equal((await identity(first)).regid, (await identity(second)).regid);
    const lists = await shop.lists(await identity(first));
    assert.deepEqual(lists.map(({ lname, epis }) => [lname, epis.sort()]), [["My Wishlist", [1, 2, 3, 4]]]);
  });
}

test("a rejection reaches the tab that made the call, as an error of its own", async () => {
  const [first, second] = await tabs();
  await add(first, 1);
  shop.proxy.fault = () => "refuse";
  await first.evaluate((du) => {
    const lid = "00000000-0000-4000-8000-000000000000";
    window.outcome = wishbone.items.add({ epi: 2, empi: 1, du, lid }).catch((error) => [error.name, error.code, error.httpStatus]);
  }, DU);
  await sees(first, "queued");
  // Whoever is first to find the server sends it: here the tab that did not make the call.
  await second.evaluate((du) => void wishbone.items.add({ epi: 3, empi: 1, du }), DU);
  await sees(second, "queued");
  shop.proxy.fault = () => undefined;
  await second.evaluate(() => dispatchEvent(new Event("online")));
  assert.deepEqual(await first.evaluate(() => outcome), ["WishboneError", "list-not-found", 404]);
});

test("tabs of another shopper do not hear of it", async () => {
  const context = await shop.browser.newContext();
  const guest = await shop.visit({ context });
  const ann = await shop.visit({ context, attributes: await shop.shopper("ann@example.com") });
  await add(ann, 1);
  await add(guest, 2);
  await sees(guest, "added");
  const seen = await guest.evaluate(() => seen.map(([name, { epis }]) => [name, epis ?? null]));
  assert.deepEqual(seen, [["list-created", null], ["added", [2]]]);
  assert.equal(await ann.evaluate(() => seen.some(([, { remote }]) => remote)), false);
});

/** Holds back the answer to a call until `release` is called. */
function holdBack(pattern) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const asked = new Promise((resolve) => {
    shop.proxy.fault = ({ name }) => {
      if (!pattern.test(name)) return undefined;
      resolve();
      return held;
    };
  });
  return { asked, release };
}

for (const [what, pattern] of [["before its last request", /user-lists/], ["before its answer", /update-ctx/]]) {
  test(`a guest's change that a logout in another tab overtakes ${what} is not made, nor shown, as the next guest's`, async () => {
    const [first, second] = await tabs();
    await first.evaluate(() => wishbone.shopper.identity());
    const { asked, release } = holdBack(pattern);
    await first.evaluate(([du]) => void wishbone.items.add({ epi: 1, empi: 1, du }), [DU]);
    await asked;
    await second.evaluate(() => wishbone.logout());
    await sees(first, "logout");
    shop.proxy.fault = () => undefined;
    release();
    // A later change is sent after the one that was held back has ended.
    await add(first, 2);
    assert.deepEqual((await shop.lists(await identity(first))).flatMap(({ epis }) => epis), [2]);
    const events = await first.evaluate(() => seen.map(([name, { epis }]) => `${name} ${epis || ""}`));
    assert.deepEqual(events.filter((event) => /added 1|error/.test(event)), []);
  });
}
