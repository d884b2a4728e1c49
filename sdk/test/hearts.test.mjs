// The hearts of a page: one request for all of them, and answers that stay true.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openFixture } from "./support/fixture.mjs";

let shop;

before(async () => {
  shop = await openFixture();
});

after(() => shop?.close());

let shoppers = 0;
/** A page of a shopper who has nothing yet. */
async function visit(options = {}) {
  const shopper = await shop.shopper(`shopper-${(shoppers += 1)}@example.com`);
  const page = await shop.visit({ ...options, attributes: shopper });
  shop.proxy.calls.length = 0;
  return Object.assign(page, { shopper });
}

const DU = "https://shop.example/p";

test("sixty hearts are one request, and asking again is none", async () => {
  const page = await visit();
  const lid = await page.evaluate(async (du) => (await wishbone.items.add({ epi: 7, empi: 1, du })).lid, DU);
  shop.proxy.calls.length = 0;
  const answers = await page.evaluate(() =>
    Promise.all(Array.from({ length: 60 }, (_, index) => wishbone.items.contains(index % 2 ? index + 1 : String(index + 1)))),
  );
  assert.deepEqual(answers.map((lids, index) => (index === 6 ? lids : lids.length)), [...Array(6).fill(0), [lid], ...Array(53).fill(0)]);
  assert.deepEqual(await page.evaluate(() => wishbone.items.contains([7, "8"])), { 7: [lid], 8: [] });
  assert.deepEqual(shop.proxy.calls.map(({ name }) => name), ["lists/contains"]);
  assert.equal(shop.proxy.calls[0].key, undefined, "a read needs no key, and so no preflight");
});

test("three hundred are two requests, the limit of the server being 250", async () => {
  const page = await visit();
  await page.evaluate(() => wishbone.items.contains(Array.from({ length: 300 }, (_, index) => index + 1)));
  assert.deepEqual(shop.proxy.of("lists/contains").map(({ form }) => JSON.parse(form.epis).length), [250, 50]);
});

test("who listens for a change and asks again gets the new answer", async () => {
  const page = await visit();
  const answers = await page.evaluate(async (du) => {
    const answers = [];
    const ask = () => Promise.all([wishbone.items.contains(1), wishbone.items.contains({ epis: 1, lty: "wl" })]);
    for (const name of ["added", "removed"]) wishbone.on(name, () => answers.push(ask()));
    await ask();
    await wishbone.items.add({ epi: 1, empi: 1, du });
    await ask();
    await wishbone.items.remove({ epi: 1 });
    return (await Promise.all(answers)).map((both) => both.map((lids) => lids.length));
  }, DU);
  assert.deepEqual(answers, [[1, 1], [0, 0]]);
});

test("a heart with a wrong id fails alone", async () => {
  const page = await visit();
  const answers = await page.evaluate(() => {
    const ask = (epi) => wishbone.items.contains(epi).catch((error) => [error.code, error.message]);
    return Promise.all([ask(1), ask("shirt-42"), ask(-1), ask({})]);
  });
  assert.deepEqual(answers.map(([code]) => code), [undefined, ...Array(3).fill("invalid-parameter")]);
  assert.match(answers[1][1], /epi must be an integer/);
});

test("a visitor who has never done anything costs no request", async () => {
  const page = await shop.visit();
  shop.proxy.calls.length = 0;
  assert.deepEqual(await page.evaluate(() => wishbone.items.contains(1)), []);
  assert.deepEqual(shop.proxy.calls, []);
  assert.equal(await page.evaluate(() => wishbone.shopper.current()), null);
});

test("own changes keep the answers true without asking again", async () => {
  const page = await visit();
  const seen = await page.evaluate(async (du) => {
    const { items, lists, saveForLater } = wishbone;
    const here = async () => (await items.contains([1, 2])) && [await items.contains(1), await items.contains(2)];
    const before = await here();
    const { lid } = await items.add({ epi: 1, empi: 1, du });
    const added = await here();
    const other = await lists.ensure({ lname: "Other", lty: "_recommends" });
    const both = await here();
    await items.move({ fromlid: lid, tolid: other.lid, items: { epi: 1 } });
    const moved = await here();
    const saved = await saveForLater.add({ epi: 2, empi: 1, du });
    const kept = await here();
    await saveForLater.movedToCart({ epi: 2 });
    await lists.delete({ lid: other.lid });
    return { before, added, both, moved, kept, last: await here(), lid, other: other.lid, saved: saved.lid };
  }, DU);
  const { lid, other, saved, ...states } = seen;
  assert.deepEqual(states, {
    before: [[], []],
    added: [[lid], []],
    both: [[lid], []],
    moved: [[other], []],
    kept: [[other], [saved]],
    last: [[], []],
  });
  // A list that was made may have been a copy: one more request then, and no other.
  assert.ok(shop.proxy.of("lists/contains").length <= 3);
});

test("an answer from before a change does not undo it", async () => {
  const page = await visit();
  let release;
  shop.proxy.fault = ({ name }) => name === "lists/contains" && new Promise((resolve) => (release = resolve));
  await page.evaluate((du) => {
    window.answer = wishbone.items.contains(5);
    return wishbone.lists.ensure();
  }, DU);
  await page.evaluate((du) => wishbone.items.add({ epi: 5, empi: 1, du }), DU);
  shop.proxy.fault = () => undefined;
  release([200, JSON.stringify({ status: "success", data: {} })]);
  assert.deepEqual(await page.evaluate(async () => (await answer, (await wishbone.items.contains(5)).length)), 1);
});

test("toggle adds to the default wishlist, and removes from every wishlist but not from save for later", async () => {
  const page = await visit();
  const seen = await page.evaluate(async (du) => {
    const { items, lists, saveForLater } = wishbone;
    const product = { epi: "3", empi: 1, du };
    const first = await items.toggle(product);
    const other = await lists.create({ lname: "Other" });
    await items.add({ ...product, lid: other.lid });
    const saved = await saveForLater.add(product);
    const off = await items.toggle(product);
    const left = await items.contains(3);
    const again = await items.toggle({ ...product, lid: other.lid });
    return [first.added, off.added, left.length === 1 && left[0] === saved.lid, again.added, (await items.contains(3)).includes(other.lid)];
  }, DU);
  assert.deepEqual(seen, [true, false, true, true, true]);
});

test("a product that is only saved for later has an empty heart, and pressing it adds it", async () => {
  const page = await visit();
  const seen = await page.evaluate(async (du) => {
    const { items, lists, saveForLater } = wishbone;
    const product = { epi: 3, empi: 1, du };
    const heart = () => items.contains({ epis: 3, lty: "wl" });
    const saved = await saveForLater.add(product);
    const empty = await heart();
    const pressed = await items.toggle(product);
    const full = await heart();
    const registry = await lists.create({ lname: "Registry", lty: "registry" });
    await items.move({ fromlid: full[0], tolid: registry.lid, items: product });
    const moved = await heart();
    const all = await items.contains({ epis: [3] });
    return { empty, pressed, full: full.length, moved, everywhere: all[3].sort(), lids: [saved.lid, registry.lid].sort() };
  }, DU);
  const { everywhere, lids, ...hearts } = seen;
  assert.deepEqual(hearts, { empty: [], pressed: { added: true }, full: 1, moved: [] });
  assert.deepEqual(everywhere, lids);
});

test("sixty hearts and a press of one of them are one question", async () => {
  const page = await visit();
  await page.evaluate(async (du) => {
    const { items } = wishbone;
    await Promise.all(Array.from({ length: 60 }, (_, index) => items.contains({ epis: index + 1, lty: "wl" })));
    await items.toggle({ epi: 7, empi: 1, du });
  }, DU);
  assert.deepEqual(shop.proxy.of("lists/contains").map(({ form }) => form.lty), ["wl"]);
});

test("toggling faster than the server answers ends in what the shopper pressed last", async () => {
  const page = await visit();
  const pressed = await page.evaluate(async (du) => {
    const toggles = [1, 2, 3].map(() => wishbone.items.toggle({ epi: 9, empi: 1, du }));
    return (await Promise.all(toggles)).map(({ added }) => added);
  }, DU);
  const [{ epis }] = await shop.lists(page.shopper);
  assert.deepEqual(epis.includes(9), pressed[2]);
  assert.deepEqual(pressed, [true, false, true]);
});

test("several hearts of a new guest make one list", async () => {
  const page = await shop.visit();
  await page.evaluate(
    (du) => Promise.all([1, 2, 3].map((epi) => wishbone.items.add({ epi, empi: 1, du }))),
    DU,
  );
  const lists = await shop.lists(await page.evaluate(() => wishbone.shopper.current()));
  assert.deepEqual(lists.map(({ lname, epis }) => [lname, epis]), [["My Wishlist", [3, 2, 1]]]);
});

test("a default wishlist that another device deleted is made again", async () => {
  const page = await visit({});
  const elsewhere = await shop.visit({ attributes: page.shopper });
  const first = await page.evaluate((du) => wishbone.items.add({ epi: 1, empi: 1, du }), DU);
  await elsewhere.evaluate((lid) => wishbone.lists.delete({ lid }), first.lid);
  const second = await page.evaluate((du) => wishbone.items.add({ epi: 2, empi: 1, du }), DU);
  assert.notEqual(second.lid, first.lid);
  assert.deepEqual((await shop.lists(page.shopper)).map(({ epis }) => epis), [[2]]);
});

test("lists of a guest whom the server no longer knows are not looked for again", async () => {
  const page = await shop.visit();
  const lids = await page.evaluate(async (du) => {
    const { items, saveForLater } = wishbone;
    const add = async () => [await items.add({ epi: 1, empi: 1, du }), await saveForLater.add({ epi: 1, empi: 1, du })];
    const before = await add();
    const [key] = Object.keys(localStorage);
    localStorage.setItem(key, JSON.stringify({ regid: "z".repeat(64), sessionid: "spoiled-session" }));
    return [...before, ...(await add())].map(({ lid }) => lid);
  }, DU);
  assert.equal(new Set(lids).size, 4);
  const lists = await shop.lists(await page.evaluate(() => wishbone.shopper.current()));
  assert.deepEqual(lists.map(({ lid, epis }) => [lid, epis]), [[lids[2], [1]], [lids[3], [1]]]);
});

test("a product that waits to be added to another list is taken from there", async () => {
  const page = await visit();
  const seen = await page.evaluate(async (du) => {
    const { items, lists } = wishbone;
    await lists.ensure();
    const { lid } = await lists.create({ lname: "Birthday" });
    const product = { epi: 4, empi: 1, du };
    const [, { added }] = await Promise.all([items.add({ ...product, lid }), items.toggle(product)]);
    return [added, (await lists.details({ lid })).items.length];
  }, DU);
  assert.deepEqual(seen, [false, 0]);
});
