// Every call of the script, in a real browser against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { names, openFixture } from "./support/fixture.mjs";

let shop, ann;

before(async () => {
  shop = await openFixture();
  ann = await shop.shopper("ann@example.com");
});

after(() => shop?.close());

const asAnn = (options = {}) => shop.visit({ ...options, attributes: ann });

test("lists: create, update, fetch, details, page, delete", async () => {
  const page = await asAnn();
  const seen = await page.evaluate(async () => {
    const { lists, items } = wishbone;
    const made = await lists.create({ lname: "Birthday", lprops: { colour: "red" } });
    const { lid } = made;
    const renamed = await lists.update({ lid, lname: "Forty", ifversion: made.version });
    await items.add({ lid, items: [1, 2, 3].map((epi) => ({ epi, empi: "7", du: "https://shop.example/p" })) });
    const all = await lists.fetch();
    const withItems = await lists.fetch({ contents: true, lty: "wl" });
    const whole = await lists.details({ lid, limit: 2 });
    const paged = await lists.page({ lid });
    const copy = await lists.create({ lname: "Copy", fromlid: lid });
    const stale = await lists.update({ lid, lname: "Too late", ifversion: made.version }).catch((error) => error.code);
    const gone = await lists.delete({ lid: copy.lid });
    return { made, renamed, all, withItems, whole, paged, copy, stale, gone, after: await lists.fetch() };
  });
  assert.deepEqual([seen.made.lname, seen.made.lprops], ["Birthday", { colour: "red" }]);
  assert.equal(seen.renamed.lname, "Forty");
  assert.deepEqual(seen.all.map(({ lname, cnt, listcontents }) => [lname, cnt, listcontents]), [["Forty", 3, undefined]]);
  assert.deepEqual(seen.withItems[0].listcontents.map(({ epi }) => epi), [3, 2, 1]);
  assert.deepEqual(seen.whole.items.map(({ epi }) => epi), [3, 2]);
  assert.deepEqual([seen.paged.list.lname, seen.paged.items.length, seen.paged.next], ["Forty", 3, null]);
  assert.equal(seen.copy.cnt, 3);
  assert.equal(seen.stale, "version-conflict");
  assert.equal(seen.gone.lid, seen.copy.lid);
  assert.deepEqual(seen.after.map(({ lname }) => lname), ["Forty"]);
  assert.deepEqual(
    await names(page),
    ["list-created", "list-updated", "added", "list-created", "error", "list-deleted"],
  );
});

test("ensure finds a list by name and type, or makes it once, also after it was deleted", async () => {
  const page = await asAnn();
  const lids = await page.evaluate(async () => {
    const { lists } = wishbone;
    const ensure = (lname, lty) => lists.ensure({ lname, lty }).then(({ lid }) => lid);
    const first = await Promise.all([ensure("Garden"), ensure("garden "), ensure("Garden", "_recommends")]);
    await lists.delete({ lid: first[0] });
    return [...first, await ensure("Garden"), (await lists.ensure()).lname];
  });
  assert.equal(lids[0], lids[1]);
  assert.equal(new Set(lids).size, 4, "another type and a deleted list are other lists");
  assert.equal(lids[4], "Forty", "without a name: the oldest wishlist");
  const lists = await shop.lists(ann);
  assert.deepEqual(lists.filter(({ lname }) => lname === "Garden").map(({ lid }) => lid).sort(), [lids[2], lids[3]].sort());
});

test("items: add, update, move, remove, one and many, ids as text", async () => {
  const page = await asAnn();
  const seen = await page.evaluate(async () => {
    const { lists, items } = wishbone;
    const [from, to] = [await lists.create({ lname: "From" }), await lists.create({ lname: "To" })];
    const product = (epi) => ({ epi, empi: "5", du: "https://shop.example/p", iu: "", pr: null });
    const one = await items.add({ ...product("11"), lid: from.lid, note: "blue", dt: "Lamp" });
    const many = await items.add({ lid: from.lid, items: [product(12), product("13"), { epi: 14 }] });
    const updated = await items.update({ ...product("11"), lid: from.lid, note: "red" });
    const missing = await items.update({ ...product(99), lid: from.lid, note: "x" }).catch((error) => [error.code, error.name]);
    const none = await items.add({ lid: from.lid, items: [] }).catch((error) => error.code);
    await items.add({ ...product(13), lid: to.lid });
    const moved = await items.move({ fromlid: from.lid, tolid: to.lid, items: [{ epi: "12" }, { epi: 13 }, { epi: 99 }] });
    const removed = await items.remove(moved.moved[0]);
    const left = async ({ lid }) => (await lists.details({ lid })).items.map(({ epi }) => epi);
    return { one, many, updated, missing, none, moved, removed, left: [await left(from), await left(to)], to: to.lid };
  });
  assert.deepEqual(seen.one.items.map(({ epi, empi, note, dt }) => [epi, empi, note, dt]), [[11, 5, "blue", "Lamp"]]);
  assert.deepEqual(seen.many.items.map(({ epi }) => epi), [12, 13]);
  assert.deepEqual(seen.many.failed.map((failed) => [failed.epi, failed["error-code"]]), [[14, "invalid-item"]]);
  assert.equal(seen.updated.items[0].note, "red");
  assert.deepEqual(seen.missing, ["item-not-found", "WishboneError"], "a single item that fails is a failed call");
  assert.equal(seen.none, "invalid-parameter");
  assert.deepEqual([seen.moved.moved, seen.moved.already, seen.moved.failed].map((all) => all.map(({ epi }) => epi)), [[12], [13], [99]]);
  assert.equal(seen.removed.lid, seen.to, "a record of an item names its list");
  assert.deepEqual(seen.left, [[11], [13]]);
});

test("more items than one call takes are added in several, in order", async () => {
  const page = await asAnn();
  shop.proxy.calls.length = 0;
  const epis = await page.evaluate(async () => {
    const { lid } = await wishbone.lists.create({ lname: "Long" });
    const items = Array.from({ length: 450 }, (_, index) => ({ epi: index + 1, empi: 1, du: "https://shop.example/p" }));
    await wishbone.items.add({ lid, items });
    return (await wishbone.lists.details({ lid })).items.map(({ epi }) => epi);
  });
  assert.deepEqual(epis, Array.from({ length: 450 }, (_, index) => 450 - index));
  const keys = shop.proxy.of("lists/update-ctx").map(({ key }) => key);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 3, "each call has a key of its own");
});

const GUESTS = [
  ["a guest", async () => ({})],
  ["a guest whom the shop's server made", () => shop.guest()],
];

for (const [whose, attributes] of GUESTS) {
  test(`pages of a long list of ${whose}`, async () => {
    const page = await shop.visit({ attributes: await attributes() });
    const paged = await page.evaluate(async () => {
      const items = Array.from({ length: 120 }, (_, index) => ({ epi: index + 1, empi: 1, du: "https://shop.example/p" }));
      const { lid } = await wishbone.items.add({ items });
      const pages = [];
      let next;
      do {
        const page = await wishbone.lists.page({ lid, next });
        pages.push(page.items.map(({ epi }) => epi));
        next = page.next;
      } while (next);
      return pages;
    });
    assert.deepEqual(paged.map((page) => page.length), [50, 50, 20]);
    assert.equal(new Set(paged.flat()).size, 120);
  });
}

test("save for later: init, add, update, movedToCart, remove, fetch", async () => {
  const page = await asAnn();
  const seen = await page.evaluate(async () => {
    const { saveForLater } = wishbone;
    const product = (epi) => ({ epi, empi: 1, du: "https://shop.example/p", qty: 2 });
    // Without init: the list is found, or made.
    const added = await saveForLater.add({ items: [product(1), product("2"), product(3)] });
    const first = await saveForLater.init();
    const updated = await saveForLater.update({ epi: 1, empi: 1, du: "https://shop.example/p", qty: 5 });
    const moved = await saveForLater.movedToCart({ epi: 2 });
    const removed = await saveForLater.remove({ lid: first.list.lid, items: { epi: 3 } });
    return { added, first, updated, moved, removed, last: await saveForLater.fetch({ itemslimit: 50 }) };
  });
  assert.equal(seen.first.list.lty, "_saveForLater");
  assert.deepEqual(seen.first.items.map(({ epi, qty }) => [epi, qty]), [[3, 2], [2, 2], [1, 2]]);
  assert.deepEqual(seen.updated.items.map(({ qty }) => qty), [5]);
  assert.deepEqual([seen.moved, seen.removed].map(({ items }) => items.map(({ epi }) => epi)), [[2], [3]]);
  assert.deepEqual(seen.last.items.map(({ epi, qty }) => [epi, qty]), [[1, 5]]);
  assert.deepEqual(await names(page), ["saved-added", "saved-updated", "saved-moved-to-cart", "saved-removed"]);
});

test("sharing: links, public, mail, social; a visitor reads the list by its link", async () => {
  const page = await asAnn();
  const { link, ...seen } = await page.evaluate(async () => {
    const { sharing, lists, items } = wishbone;
    const { lid } = await lists.create({ lname: "Wedding" });
    items.add({ lid, epi: 1, empi: 1, du: "https://shop.example/p" });
    // Not awaited: a link is made after what was done before.
    const link = await sharing.createLink({ lid, label: "family" });
    const links = await sharing.links({ lid });
    const open = await sharing.markPublic({ lid });
    const closed = await sharing.markPublic({ lid, public: false });
    const mailed = await sharing.mail({ lid, toemail: "bob@example.com", fromname: "", note: "Look" });
    const reported = await sharing.reportSocial({ lid, medium: "Facebook", fromname: "" });
    return { lid, link, links, open: open.anonRead, closed: closed.anonRead, mailed, reported };
  });
  assert.deepEqual(seen.links.map(({ key, label }) => [key, label]), [[link.key, "family"]]);
  assert.deepEqual([seen.open, seen.closed, seen.mailed.list.lid, seen.reported.lid], [true, false, seen.lid, seen.lid]);
  assert.deepEqual(
    (await names(page)).filter((name) => /shared/.test(name)),
    ["shared", "shared", "unshared", "shared", "shared"],
  );

  const visitor = await shop.visit();
  const shown = await visitor.evaluate((lid) => wishbone.lists.page({ lid, shared: true }), link.key);
  assert.deepEqual([shown.list.lname, shown.items.length, shown.list.cby], ["Wedding", 1, undefined]);

  const { lid } = seen;
  const revoked = await page.evaluate((options) => wishbone.sharing.revokeLink(options), { lid, key: link.key });
  assert.equal(revoked.revoked, 1);
  const code = await visitor.evaluate((lid) => wishbone.lists.details({ lid }).catch((error) => error.code), link.key);
  assert.equal(code, "list-not-found");
});

test("subscriptions: add, fetch, remove", async () => {
  const page = await asAnn();
  const seen = await page.evaluate(async () => {
    const { subscriptions } = wishbone;
    const options = { topic: "backinstock", medium: "email", mediumvalue: "ann@example.com", epi: "21", empi: 2 };
    const added = await subscriptions.add({ ...options, du: "https://shop.example/p" });
    const fetched = await subscriptions.fetch({ topic: "backinstock", limit: 5 });
    const removed = await subscriptions.remove({ epi: 21, topic: "backinstock" });
    const wrong = await subscriptions.add({ ...options, topic: "sale", du: "d" }).catch((error) => error.message);
    return { added, fetched, removed, wrong };
  });
  assert.deepEqual(seen.added.map(({ epi, topic }) => [epi, topic]), [[21, "backinstock"]]);
  assert.deepEqual([seen.fetched.total, seen.fetched.limit, seen.fetched.subscriptions.length], [1, 5, 1]);
  assert.equal(seen.removed.length, 1);
  assert.match(seen.wrong, /topic/);
  assert.deepEqual(await names(page), ["subscribed", "unsubscribed", "error"]);
});

test("social counts of one moment are one request", async () => {
  const page = await shop.visit();
  shop.proxy.calls.length = 0;
  const counts = await page.evaluate(async () => {
    await wishbone.items.add({ epi: 500, empi: 77, du: "https://shop.example/p" });
    const { social } = wishbone.counts;
    const bad = social("none").catch((error) => error.code);
    return Promise.all([social(77), social("77"), social(78), social([77, "78"]), bad]);
  });
  assert.deepEqual(counts, [1, 1, 0, { 77: 1, 78: 0 }, "invalid-parameter"]);
  assert.deepEqual(shop.proxy.of("product/wishlist/social-count").map(({ form }) => form.empis), ["[77,78]"]);
});

test("shopper: save", async () => {
  const page = await asAnn();
  const userinfo = await page.evaluate(async () => {
    await wishbone.shopper.save({ fname: "Ann", lname: "Lee", acceptMarketing: true });
    const { lid } = await wishbone.lists.ensure();
    return (await wishbone.lists.details({ lid })).list.userinfo;
  });
  assert.deepEqual([userinfo.fname, userinfo.lname, userinfo.acc_mkt], ["Ann", "Lee", true]);
});

test("an operation without a function of its own can be called", async () => {
  const page = await asAnn();
  const comments = await page.evaluate(async () => {
    const { lid } = await wishbone.items.add({ epi: 1, empi: 1, du: "https://shop.example/p" });
    await wishbone.request({ path: "lists/comments/add", form: { lid, epi: 1, text: "Nice" }, write: true });
    return wishbone.request({ path: "lists/comments/list", form: { lid } });
  });
  assert.deepEqual(comments.comments.map(({ text }) => text), ["Nice"]);
});

test("callbacks: exactly one, absent or empty ones, and one that throws", async () => {
  const page = await asAnn();
  const seen = await page.evaluate(async () => {
    const { lists, items } = wishbone;
    const called = [];
    const product = { epi: 1, empi: 1, du: "https://shop.example/p" };
    const success = await new Promise((resolve) => items.add(product, resolve, ""));
    const error = await new Promise((resolve) => lists.delete({ lid: "none" }, "", resolve));
    const first = await new Promise((resolve) => lists.fetch((all) => resolve(all.length > 0)));
    await items.add(product, "", "");
    await items.add(product, () => {
      called.push("success");
      throw new Error("thrown in a callback");
    }, () => called.push("error"));
    await lists.fetch({}, "", null);
    return [success.items.length, error.code, first, called];
  });
  assert.deepEqual(seen, [1, "list-not-found", true, ["success"]]);
  assert.deepEqual(page.uncaught, ["thrown in a callback"]);
});

test("a failed call with empty callbacks is no uncaught error of the page", async () => {
  const page = await asAnn();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.evaluate(async () => {
    wishbone.items.add({ epi: "x" }, "", "");
    wishbone.lists.delete({ lid: "none" }, "");
    wishbone.lists.delete({ lid: "none" }, null, null);
    await wishbone.lists.delete({ lid: "none" }).catch(() => {});
  });
  assert.deepEqual(page.uncaught, []);
  assert.equal(complaints.filter((text) => /WishboneError/.test(text)).length, 3, "the developer sees them all the same");
});

test("identical reads at the same time are one request, with an answer for each", async () => {
  const page = await asAnn();
  shop.proxy.calls.length = 0;
  const separate = await page.evaluate(async () => {
    const { lists, wishlist } = wishbone;
    const [one, two, { data }] = await Promise.all([lists.fetch(), lists.fetch(), wishlist.fetchUserLists()]);
    one[0].lname = "changed by the page";
    return two[0].lname === data[0].lname && two[0].lname !== one[0].lname;
  });
  assert.ok(separate);
  assert.deepEqual(shop.proxy.calls.map(({ name }) => name), ["lists/fetch-user-lists"]);
});

test("listeners: a throwing one stops no other, and on returns its end", async () => {
  const page = await asAnn();
  const seen = await page.evaluate(async () => {
    const heard = [];
    wishbone.on("list-created", () => {
      throw new Error("thrown in a listener");
    });
    const end = wishbone.on("list-created", ({ list }) => heard.push(list.lname));
    document.addEventListener("wishbone:list-created", ({ detail }) => heard.push(`document: ${detail.list.lname}`));
    await wishbone.lists.create({ lname: "One" });
    end();
    end();
    await wishbone.lists.create({ lname: "Two" });
    return heard;
  });
  assert.deepEqual(seen, ["One", "document: One", "document: Two"]);
  assert.deepEqual([...new Set(page.uncaught)], ["thrown in a listener"]);
});

test("the script leaves one global, and works under a strict content security policy", async () => {
  const { proxy, shop: pages } = shop;
  const csp = `default-src 'none'; script-src ${pages.url}; connect-src ${proxy.url}`;
  const page = await pages.visit({ attributes: { store: shop.store.pid, base: proxy.url }, csp });
  const added = await page.evaluate(() => wishbone.items.add({ epi: 1, empi: 1, du: "https://shop.example/p" }));
  assert.equal(added.items.length, 1);
  assert.deepEqual(page.uncaught, []);
  const extra = await page.evaluate(() => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const plain = Object.getOwnPropertyNames(frame.contentWindow);
    return Object.getOwnPropertyNames(window).filter((name) => !plain.includes(name) && !/^(record|__playwright.*|\d+)$/.test(name));
  });
  assert.deepEqual(extra, ["wishbone"]);
});
