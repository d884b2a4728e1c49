// The demo's start page in a real browser.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { itemRecord, listRecord, openDemo, refusal, userList, userLists } from "./support/demo.mjs";
import { realServer } from "./support/server.mjs";

let browser, demo, page, complaints;

before(async () => {
  demo = await openDemo(realServer());
  browser = await launch();
});

beforeEach(async () => {
  demo.instead = null;
  demo.calls.length = 0;
  page = await (await browser.newContext()).newPage();
  complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && complaints.push(message.text()));
});

after(async () => {
  await browser?.close();
  await demo?.close();
});

const cards = () => page.locator("#items .item:not(.ghost)");
const links = () => page.locator("#lists a");
const failure = () => page.getByRole("alert");
const emptiness = () => page.locator(".empty");
const settled = () => page.locator("#contents:not([aria-busy])").waitFor();
const visit = (hash = "") => page.goto(`${demo.url}/${hash}`);
const ask = (work, ...args) => page.evaluate(work, ...args);

/** One scripted list with these items, all on one page and in stock. */
function oneList(items, more = {}) {
  const list = listRecord("l", { cnt: items.length, ...more });
  return (operation, form) =>
    operation === "fetch-user-lists" ? userLists(list) : userList(list, form?.filterby === "outofstock" ? [] : items);
}

test("the shopper's lists and all items of the longest are shown", async () => {
  await visit();
  await links().first().waitFor();
  const lists = await ask(async () => {
    const { data } = await wishbone.wishlist.fetchUserLists();
    const contents = data.map(({ lid }) => wishbone.wishlist.fetchListWithContents({ lid }));
    const titles = (items) => items.map((item) => item.dt || `Product ${item.empi}`);
    return (await Promise.all(contents)).map(({ list, items }) => ({ ...list, titles: titles(items) }));
  });
  assert.deepEqual(await links().locator(".list-name").allTextContents(), lists.map((list) => list.lname));

  const longest = lists.reduce((a, b) => (b.titles.length > a.titles.length ? b : a));
  await page.locator(`#lists a[href="#list=${longest.lid}"]`).click();
  for (let shown = Math.min(50, longest.titles.length); ; shown = Math.min(shown + 50, longest.titles.length)) {
    await cards().nth(shown - 1).waitFor();
    assert.equal(await cards().count(), shown);
    if (shown === longest.titles.length) break;
    await page.getByRole("button", { name: "Load more" }).click();
  }
  assert.equal(await page.getByRole("button", { name: "Load more" }).count(), 0);
  const titles = await cards().locator(".title").allTextContents();
  assert.deepEqual(titles, longest.titles);
  assert.deepEqual(complaints, []);
});

test("the list in the address is opened, and stays after a reload", async () => {
  const [a, b] = [listRecord("a"), listRecord("b", { cnt: 1 })];
  demo.instead = (operation, { lid }) =>
    operation === "fetch-user-lists" ? userLists(a, b) : lid === "b" ? userList(b, [itemRecord(1)]) : userList(a, []);
  await visit("#list=b");
  await cards().first().waitFor();
  assert.equal(await page.locator("#list-name").textContent(), "List b");
  await links().first().click();
  await emptiness().waitFor();
  assert.match(page.url(), /#list=a$/);
  await page.reload();
  await emptiness().waitFor();
  assert.equal(await page.locator("[aria-current]").getAttribute("href"), "#list=a");
});

test("lists that cannot be loaded are a failure, never an empty page; trying again brings them", async () => {
  demo.instead = () => refusal;
  await visit();
  await failure().waitFor();
  assert.match(await failure().textContent(), /could not be loaded.*too much to do; try again.*overloaded/s);
  assert.equal(await emptiness().count(), 0);

  demo.instead = oneList([itemRecord(1)]);
  await page.getByRole("button", { name: "Try again" }).click();
  await cards().first().waitFor();
  assert.equal(await failure().count(), 0);
});

test("items that cannot be loaded are a failure, never an empty list; trying again brings them", async () => {
  const healthy = oneList([itemRecord(1)]);
  demo.instead = (operation) => (operation === "fetch-user-lists" ? healthy(operation) : refusal);
  await visit();
  await failure().waitFor();
  assert.equal(await emptiness().count(), 0);
  assert.equal(await cards().count(), 0);

  demo.instead = healthy;
  await page.getByRole("button", { name: "Try again" }).click();
  await cards().first().waitFor();
});

test("a page that cannot be loaded leaves the ones before it, and can be tried again", async () => {
  const list = listRecord("l", { cnt: 2 });
  let healthy = false;
  demo.instead = (operation, { next }) => {
    if (operation === "fetch-user-lists") return userLists(list);
    if (!next) return userList(list, [itemRecord(1)], "second");
    return healthy ? userList(list, [itemRecord(2)]) : refusal;
  };
  await visit();
  await page.getByRole("button", { name: "Load more" }).click();
  await failure().waitFor();
  assert.equal(await cards().count(), 1);

  healthy = true;
  await page.getByRole("button", { name: "Try again" }).click();
  await cards().nth(1).waitFor();
  assert.equal(await failure().count(), 0);
});

test("no lists, and a list without items, are empty and no failure", async () => {
  demo.instead = () => userLists();
  await visit();
  await emptiness().waitFor();
  assert.match(await emptiness().textContent(), /No lists yet/);

  demo.instead = oneList([]);
  await page.reload();
  await page.getByText("This list is empty").waitFor();
  assert.equal(await failure().count(), 0);
});

test("the order and the filter are asked of the server", async () => {
  demo.instead = oneList([itemRecord(1)]);
  await visit();
  await cards().first().waitFor();
  const asked = () => {
    // The badges need a call of their own.
    const { sortby, sortorder, filterby } = demo.calls.findLast(({ form }) => form.filterby !== "outofstock").form;
    return [sortby, sortorder, filterby];
  };
  assert.deepEqual(asked(), [undefined, undefined, undefined]);
  await page.getByLabel("Sort").selectOption("Price: low to high");
  await settled();
  assert.deepEqual(asked(), ["price", "asc", undefined]);
  await page.getByLabel("In stock only").check();
  await settled();
  assert.deepEqual(asked(), ["price", "asc", "instock"]);
});

test("where sorting is switched off for the store, the way back is one click", async () => {
  const healthy = oneList([itemRecord(1)]);
  demo.instead = (operation, form) =>
    form.sortby
      ? [400, { status: "error", "error-code": "sort-filter-disabled", "error-msg": "sorting is off for this store" }]
      : healthy(operation);
  await visit();
  await cards().first().waitFor();
  await page.getByLabel("Sort").selectOption("Title: A to Z");
  await page.getByRole("button", { name: "Show newest first" }).click();
  await cards().first().waitFor();
  assert.equal(await page.getByLabel("Sort").inputValue(), "");
});

test("an answer that comes too late is not shown", async () => {
  const [slow, quick] = [listRecord("slow", { cnt: 1 }), listRecord("quick", { cnt: 1 })];
  let release;
  const held = new Promise((resolve) => (release = resolve));
  demo.instead = async (operation, { lid }) => {
    if (operation === "fetch-user-lists") return userLists(slow, quick);
    if (lid === "quick") return userList(quick, [itemRecord(2)]);
    await held;
    return userList(slow, [itemRecord(1)]);
  };
  await visit();
  await links().nth(1).click();
  await page.getByText("Item 2").waitFor();
  const late = page.waitForResponse((response) => response.request().postData().includes("lid=slow"));
  release();
  await (await late).finished();
  await ask(() => new Promise((resolve) => setTimeout(resolve, 50)));
  assert.deepEqual(await cards().locator(".title").allTextContents(), ["Item 2"]);
});

test("what shoppers and catalogues write is text, and only web addresses are followed", async () => {
  const html = '<img src=x onerror="window.attacked = 1"><script>window.attacked = 2</script>';
  const hostile = { dt: html, vi: html, ct: html, note: html, clbls: [html], du: "javascript:window.attacked=3" };
  const items = [
    itemRecord(1, { ...hostile, iu: "javascript:window.attacked=4" }),
    itemRecord(2, { du: "data:text/html,x", iu: "data:image/svg+xml,<svg/>" }),
    itemRecord(3, { du: "https://shop.example/p", iu: "/picture.svg" }),
  ];
  demo.instead = oneList(items, { lname: html, lty: html });
  await visit();
  await cards().nth(2).waitFor();
  for (const part of [".title", ".variant", ".category", ".note", ".label"]) {
    assert.equal(await cards().first().locator(part).textContent(), html);
  }
  assert.equal(await page.locator("#list-name").textContent(), html);
  const found = await ask(() => ({
    attacked: window.attacked ?? null,
    links: [...document.querySelectorAll("#items a")].map((link) => link.getAttribute("href")),
    scripts: document.querySelectorAll("#items script, #lists script, #items [onerror], #lists img").length,
    pictures: [...document.querySelectorAll("#items img")].filter(({ src }) => !/^https?:/.test(src)).length,
  }));
  const links = [null, null, "https://shop.example/p"];
  assert.deepEqual(found, { attacked: null, links, scripts: 0, pictures: 0 });
  assert.deepEqual(complaints, []);
});

test("prices have two decimals, an unknown one is a dash, a quantity is shown where there is one", async () => {
  demo.instead = oneList([itemRecord(1, { pr: 19.9 }), itemRecord(2, { pr: null }), itemRecord(3, { pr: 0, qty: 4 })]);
  await visit();
  await cards().nth(2).waitFor();
  assert.deepEqual(await cards().locator(".price").allTextContents(), ["19.90", "–", "0.00"]);
  assert.deepEqual(await cards().locator(".quantity").allTextContents(), ["Quantity: 4"]);
});

test("items out of stock have a badge, and the number in stock is shown with the filter", async () => {
  const items = [itemRecord(1), itemRecord(2), itemRecord(3)];
  const list = listRecord("l", { cnt: 3 });
  demo.instead = (operation, { filterby, next }) => {
    if (operation === "fetch-user-lists") return userLists(list);
    if (filterby === "instock") return userList(list, [items[1]]);
    if (filterby === "outofstock") return next ? userList(list, [items[2]]) : userList(list, [items[0]], "more");
    return userList(list, items);
  };
  await visit();
  await page.locator(".stock:visible").nth(1).waitFor();
  const badged = cards().filter({ has: page.locator(".stock:visible") });
  assert.deepEqual(await badged.locator(".title").allTextContents(), ["Item 1", "Item 3"]);
  assert.match(await page.locator("#list-about").textContent(), /· 3 items ·/);

  await page.getByLabel("In stock only").check();
  await page.getByText("1 of 3 items in stock").waitFor();
  assert.equal(await page.locator(".stock:visible").count(), 0);
  await page.getByLabel("In stock only").uncheck();
  await page.locator(".stock:visible").nth(1).waitFor();
  assert.match(await page.locator("#list-about").textContent(), /· 3 items ·/);
});

test("without stock levels the list is shown without badges", async () => {
  const healthy = oneList([itemRecord(1)]);
  demo.instead = (operation, form) => (form.filterby ? refusal : healthy(operation, form));
  await visit();
  await cards().first().waitFor();
  await settled();
  assert.equal(await failure().count(), 0);
  assert.equal(await page.locator(".stock:visible").count(), 0);
});

test("each command can be copied by itself", async () => {
  demo.instead = oneList([]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit();
  await page.getByRole("button", { name: "Copy: Two" }).click();
  await page.getByText("Copied").first().waitFor();
  assert.equal(await ask(() => navigator.clipboard.readText()), "curl 2");
});

test("mails are listed, and each can be read as HTML and as text", async () => {
  await visit();
  const mail = page.locator(".mail").last();
  await mail.locator("summary").click();
  assert.match(await mail.locator(".subject").textContent(), /^A list from Fernweh & Co\. was shared with you$/);
  assert.equal(await mail.locator(".to").textContent(), "to ben@fernweh.example");
  await mail.frameLocator("iframe").getByText("Ann shared the list").waitFor();
  assert.ok((await mail.frameLocator("iframe").locator("img").count()) > 0);
  assert.match(await mail.locator("pre").textContent(), /You asked what I would like\.[^]*\/mail\/unsubscribe\?token=/);
  assert.deepEqual(complaints, []);
});

test("a hostile mail is text, and its HTML runs nothing and reaches nothing", async () => {
  const html =
    "<img src=x onerror='parent.attacked = 1'><script>parent.attacked = 2; top.location = 'https://evil.example/'</script>" +
    "<p>Here I am</p>";
  const mails = [{ id: "a/../b", to: html, subject: html, text: html, at: Date.now() }];
  // Without the policy that the server sends along: the frame itself must hold.
  demo.mails = (url) =>
    url === "/demo/mails"
      ? { headers: { "content-type": "application/json" }, body: JSON.stringify(mails) }
      : { headers: { "content-type": "text/html" }, body: url === "/demo/mails/a%2F..%2Fb" ? html : "" };
  try {
    await visit();
    await page.locator(".mail summary").click();
    await page.frameLocator(".mail iframe").getByText("Here I am").waitFor();
    for (const part of [".subject", "pre"]) assert.equal(await page.locator(`.mail ${part}`).textContent(), html);
    assert.equal(await ask(() => window.attacked ?? null), null);
    assert.equal(new URL(page.url()).origin, demo.url);
  } finally {
    demo.mails = null;
  }
});
