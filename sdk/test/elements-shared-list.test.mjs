// <wishbone-shared-list> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const shared = (key, more = 'link-hosts="shop.example"') =>
  `<wishbone-shared-list key="${key}" currency="EUR" ${more}></wishbone-shared-list>`;

test("a visitor sees a shared list, adds to an own wishlist and to the cart", async () => {
  const { key } = await shop.newSharer([1, 2]);
  const page = await shop.open(shared(key));
  await page.getByRole("heading", { name: "Ann's <b>birthday</b>" }).waitFor();
  await page.getByText("2 items").waitFor();
  assert.equal(await page.locator('meta[name="robots"][content="noindex"]').count(), 1);
  await page.getByRole("button", { name: "Add to wishlist: Linen shirt" }).click();
  await shop.has(page, [1]);
  const [{ du, dt, pr }] = await page.evaluate(async () => (await wishbone.lists.fetch({ contents: true }))[0].listcontents);
  assert.deepEqual([du, dt, pr], [record(1).du, record(1).dt, record(1).pr]);
  await page.evaluate(() => document.addEventListener("wishbone:add-to-cart", ({ detail }) => detail.respondWith(Promise.resolve())));
  await page.getByRole("button", { name: "Add to cart: Oak stool" }).click();
  await page.getByText("Added to cart: Oak stool").waitFor();
  await page.evaluate(() => document.querySelector("wishbone-shared-list").remove());
  assert.equal(await page.locator('meta[name="robots"]').count(), 0);
});

test("visitors see whose list it is if the owner agrees", async () => {
  const { shopper, lid, key } = await shop.newSharer([1]);
  const { link } = await shop.call(shopper, "lists/share-links/create", { lid, fromname: "<b>Ann</b>" });
  const page = await shop.open(shared(link.key));
  await page.getByText("Shared by <b>Ann</b>").waitFor();
  await shop.call(shopper, "lists/update", { lid, lnote: "For <i>1 May</i>" });
  await page.reload();
  await page.getByText("For <i>1 May</i>").waitFor();
  const anonymous = await shop.open(shared(key));
  await anonymous.getByText("1 item").waitFor();
  assert.equal(await anonymous.getByText("Shared by").count(), 0);
});

test("a long note shows its first lines, and all of them once it is opened", async () => {
  for (const note of ["In blue, please. ".repeat(50), "Blue\n".repeat(100)]) {
    const { key } = await shop.newSharer([1], { note: `${note}The end.` });
    const page = await shop.open(shared(key));
    const text = page.locator(".note bdi");
    const height = () => text.evaluate((one) => one.getBoundingClientRect().height);
    const closed = await height();
    assert.ok(closed < 100, `${closed} pixels`);
    await page.locator(".note summary").press("Enter");
    assert.ok((await height()) > closed + 50);
    assert.ok((await text.innerText()).endsWith("The end."));
  }
});

const FOREIGN = ["https://evil.example/p/1", "https://shop.example@evil.example/", "//evil.example/p", "https://shop.example.evil.example/", "https://shop.example:444/"];

for (const du of FOREIGN) {
  test(`a visitor is not led to ${du}, not by the visitor's own list either`, async () => {
    const { key } = await shop.newSharer([1], { du });
    const page = await shop.open(shared(key));
    const list = page.locator("wishbone-shared-list");
    await list.getByRole("heading", { name: "Linen shirt" }).waitFor();
    assert.equal(await list.locator("a").count(), 0);
    await page.getByRole("button", { name: "Add to cart: Linen shirt" }).click();
    await page.getByRole("alert").getByText("Linen shirt").waitFor();
    assert.equal(new URL(page.url()).origin, shop.shop.url);
    const offered = page.evaluate(() => new Promise((resolve) => document.addEventListener("wishbone:add-to-cart", (event) => {
      event.preventDefault();
      resolve(event.detail.item.du);
    })));
    await page.getByRole("button", { name: "Add to cart: Linen shirt" }).click();
    assert.equal(await offered, "");
    await page.getByRole("button", { name: "Add to wishlist: Linen shirt" }).click();
    await shop.has(page, [1]);
    const [copied] = await page.evaluate(async () => (await wishbone.lists.fetch({ contents: true }))[0].listcontents);
    assert.deepEqual([copied.du, copied.iu], [`${shop.shop.url}/`, record(1).iu]);
  });
}

test("a shared list links to the host of its page, and to those that link-hosts names", async () => {
  const addresses = [`${shop.shop.url}/products/1`, "https://shop.example/products/1", "https://xn--bcher-kva.example:8443/1"];
  const linked = async (du, more) => {
    const { key } = await shop.newSharer([1], { du });
    const page = await shop.open(shared(key, more));
    await page.getByRole("heading", { name: "Linen shirt" }).waitFor();
    return page.getByRole("link", { name: "Linen shirt" }).count();
  };
  const counts = async (more) => {
    const found = [];
    for (const du of addresses) found.push(await linked(du, more));
    return found;
  };
  assert.deepEqual(await counts(""), [1, 0, 0]);
  assert.deepEqual(await counts('link-hosts=" Shop.Example\n bücher.example:8443 "'), [1, 1, 1]);
});

test("the links of a shared list follow link-hosts", async () => {
  const { key } = await shop.newSharer([1]);
  const page = await shop.open(shared(key, ""));
  await page.getByRole("heading", { name: "Linen shirt" }).waitFor();
  assert.equal(await page.getByRole("link").count(), 0);
  await page.evaluate(() => document.querySelector("wishbone-shared-list").setAttribute("link-hosts", "shop.example"));
  await page.getByRole("link", { name: "Linen shirt" }).waitFor();
});

test("the key can come from the page's address; one that is revoked or wrong says so", async () => {
  const { shopper, lid, key } = await shop.newSharer([1]);
  const page = await shop.open("<wishbone-shared-list></wishbone-shared-list>");
  await page.getByText("Ask its owner for a new link.").waitFor();
  await page.evaluate((key) => history.replaceState(null, "", `?wishlist=${key}`), key);
  const attach = () => page.evaluate(() => document.querySelector("main").append(document.createElement("wishbone-shared-list")));
  await page.evaluate(() => document.querySelector("wishbone-shared-list").remove());
  await attach();
  await page.getByText("1 item").waitFor();
  await shop.call(shopper, "lists/share-links/revoke", { lid, all: "true" });
  await page.evaluate(() => document.querySelector("wishbone-shared-list").remove());
  await attach();
  await page.getByText("There is no shared list here").waitFor();
  assert.deepEqual(page.uncaught, []);
});
