// <wishbone-share> in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { focused, openElements, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const PAGE = "https://shop.example/shared#{key}";

async function openShare(html, options) {
  const page = await shop.open(html, options);
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share list" });
  await dialog.waitFor();
  return { page, dialog };
}

test("a link is made, copied, given to the device, and turned off", async () => {
  const shopper = await shop.newShopper([1]);
  const context = await shop.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const prepare = () => {
    navigator.share = async (data) => void (window.shared = data);
  };
  const { page, dialog } = await openShare(`<wishbone-share page="${PAGE}"></wishbone-share>`, { shopper, context, prepare });
  await dialog.getByLabel("Your name").fill(" Ann ");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await dialog.getByLabel("Link", { exact: true }).inputValue();
  await dialog.getByText("Shared by Ann").waitFor();
  assert.match(address, /^https:\/\/shop\.example\/shared#[\w-]{43}$/);
  await dialog.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Link copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address);
  await dialog.getByRole("button", { name: "More ways to share" }).click();
  await page.waitForFunction(() => window.shared);
  assert.equal(await page.evaluate(() => shared.url), address);
  const [{ lid }] = await shop.lists(shopper);
  const links = async () => (await shop.call(shopper, "lists/share-links/list", { lid })).links.length;
  assert.equal(await links(), 1);
  await dialog.getByRole("button", { name: "Turn off link" }).click();
  await dialog.getByRole("button", { name: "Create link" }).waitFor();
  assert.equal(await links(), 0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await focused(page), "Share");
});

test("a link that exists is shown again; without {key} the page gets a parameter", async () => {
  const { shopper, lid, key } = await shop.newSharer([1]);
  const { dialog } = await openShare(`<wishbone-share lid="${lid}" page="/pages/list?a=1"></wishbone-share>`, { shopper });
  assert.equal(await dialog.getByLabel("Link", { exact: true }).inputValue(), `${shop.shop.url}/pages/list?a=1&wishlist=${key}`);
  assert.equal(shop.proxy.of("lists/share-links/create").length, 0);
});

test("without a page of the shop, the link leads to the server's, which leads nowhere once it is turned off", async () => {
  const shopper = await shop.newShopper([1]);
  const { page, dialog } = await openShare("<wishbone-share></wishbone-share>", { shopper });
  await dialog.getByLabel("Your name").fill("<i>Ann</i>");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await dialog.getByLabel("Link", { exact: true }).inputValue();
  const { origin, pathname, search } = new URL(address);
  assert.deepEqual([origin, pathname], [shop.proxy.url, "/shared"]);
  const visitor = await shop.browser.newPage();
  await visitor.goto(`${shop.server.url}${pathname}${search}`);
  await visitor.getByRole("heading", { name: "My Wishlist" }).waitFor();
  await visitor.getByText("Shared by <i>Ann</i>").waitFor();
  assert.equal(await visitor.locator('meta[property="og:title"]').getAttribute("content"), "My Wishlist");
  await dialog.getByRole("button", { name: "Turn off link" }).click();
  await page.getByText("The link no longer works").waitFor();
  assert.equal((await visitor.reload()).status(), 404);
  await visitor.getByText("This list is not shared any more").waitFor();
  await visitor.close();
});

test("a list is mailed, and errors are next to the field", async () => {
  const { shopper, lid } = await shop.newSharer([1]);
  const { page, dialog } = await openShare(`<wishbone-share lid="${lid}"></wishbone-share>`, { shopper });
  const email = dialog.getByLabel("E-mail address");
  await email.fill("nobody");
  await dialog.getByRole("button", { name: "Send" }).click();
  await dialog.getByText("Enter an e-mail address").waitFor();
  await email.fill("bob@example.com");
  await dialog.getByLabel("Your name").fill("Ann");
  await dialog.getByLabel("Message").fill("Look!");
  await dialog.getByRole("button", { name: "Send" }).click();
  await page.getByText("Sent to bob@example.com").waitFor();
  const [{ form }] = shop.proxy.of("lists/emailList");
  assert.deepEqual([form.lid, form.toemail, form.fromname, form.note], [lid, "bob@example.com", "Ann", "Look!"]);
  assert.equal(await email.inputValue(), "");
  assert.equal(await dialog.getByLabel("Message").inputValue(), "");
  assert.equal(await dialog.getByLabel("Your name").inputValue(), "Ann", "also for the next mail");
});

test("the link of a mail is listed, and turned off without the others", async () => {
  const { shopper, lid } = await shop.newSharer([1]);
  const { page, dialog } = await openShare(`<wishbone-share lid="${lid}"></wishbone-share>`, { shopper });
  const own = await dialog.getByLabel("Link", { exact: true }).inputValue();
  await dialog.getByLabel("E-mail address").fill("bob@example.com");
  await dialog.getByRole("button", { name: "Send" }).click();
  await dialog.getByText("b…@example.com").waitFor();
  await dialog.getByRole("button", { name: "Turn off link: b…@example.com" }).press("Enter");
  await page.getByText("The link no longer works").waitFor();
  await dialog.getByText("b…@example.com").waitFor({ state: "detached" });
  assert.equal(await focused(page), "Share list");
  const { links } = await shop.call(shopper, "lists/share-links/list", { lid });
  assert.equal(links.length, 1);
  assert.equal(await dialog.getByLabel("Link", { exact: true }).inputValue(), own);
});

test("several are mailed in one act; whoever is not reached stays in the field, with the reason", async () => {
  const { shopper, lid } = await shop.newSharer([1]);
  for (let n = 0; n < 5; n += 1) await shop.call(shopper, "lists/emailList", { lid, toemail: "often@example.com" });
  const { page, dialog } = await openShare(`<wishbone-share lid="${lid}"></wishbone-share>`, { shopper });
  const email = dialog.getByLabel("E-mail address");
  const send = dialog.getByRole("button", { name: "Send" });
  await email.fill("bob@example.com, nobody");
  await send.click();
  const [which, what] = (await dialog.getByText("Enter an e-mail address").innerText()).split("\n");
  assert.deepEqual([which, what.split(",")[0]], ["nobody", "Enter an e-mail address"]);
  assert.equal(shop.proxy.of("lists/emailList").length, 0);
  await dialog.getByLabel("Message").fill("Look!");
  await email.fill("bob@example.com; cleo@example.com often@example.com,bob@example.com");
  await send.click();
  await page.getByText("Sent to bob@example.com, cleo@example.com").waitFor();
  await dialog.getByText("often@example.com: Too many requests.").waitFor();
  assert.equal(await email.inputValue(), "often@example.com");
  assert.equal(await dialog.getByLabel("Message").inputValue(), "Look!");
  const to = shop.proxy.of("lists/emailList").map(({ form }) => form.toemail);
  assert.deepEqual(to.sort(), ["bob@example.com", "cleo@example.com", "often@example.com"]);
  const many = Array.from({ length: 12 }, (_, n) => `friend${n}@example.com`);
  await email.fill(many.join(","));
  await send.click();
  await dialog.getByText("There is no room for more.").waitFor();
  // The shopper had five of ten left in this hour, and two of them have been used.
  const left = (await email.inputValue()).split(",");
  assert.deepEqual([left.length, left.every((one) => many.includes(one)), left.includes(many[11])], [9, true, true]);
});

test("a link and a mail do not wait for each other, and each is sent once", async () => {
  const shopper = await shop.newShopper([1]);
  const { page, dialog } = await openShare(`<wishbone-share page="${PAGE}"></wishbone-share>`, { shopper });
  const create = dialog.getByRole("button", { name: "Create link" });
  const send = dialog.getByRole("button", { name: "Send" });
  const isBusy = (button) => button.getAttribute("aria-disabled").then((value) => value === "true");
  const sent = () => ["lists/share-links/create", "lists/emailList"].map((name) => shop.proxy.of(name).length);
  await create.waitFor();
  const releases = [];
  shop.proxy.fault = () => new Promise((resolve) => releases.push(resolve));
  await dialog.getByLabel("E-mail address").fill("bob@example.com");
  await send.click();
  await dialog.locator('button[type=submit][aria-disabled="true"]').waitFor();
  assert.equal(await isBusy(create), false);
  await create.click();
  await dialog.locator('button.create[aria-disabled="true"]').waitFor();
  // Playwright waits for buttons to be enabled; a shopper may press them all the same.
  await create.dispatchEvent("click");
  await send.dispatchEvent("click");
  while (releases.length < 2) await page.evaluate(() => 0);
  assert.deepEqual(sent(), [1, 1]);
  releases.forEach((release) => release());
  await dialog.getByRole("button", { name: "Copy link" }).waitFor();
  await page.getByText("Sent to bob@example.com").waitFor();
  assert.equal(await isBusy(send), false);
  assert.deepEqual(sent(), [1, 1]);
});

test("in a list, it is the list that is shown", async () => {
  const shopper = await shop.newShopper([1]);
  const { lid } = await shop.call(shopper, "lists/create", { lname: "Second" });
  await shop.call(shopper, "lists/update-ctx", { lid, a: JSON.stringify([record(2)]) });
  const html = `<wishbone-list><wishbone-share slot="actions" page="${PAGE}"></wishbone-share></wishbone-list>`;
  const page = await shop.open(html, { shopper });
  await page.locator("wishbone-list .switcher select").selectOption("Second");
  await page.locator('li[data-epi="2"]').waitFor();
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByRole("button", { name: "Copy link" }).waitFor();
  assert.deepEqual(shop.proxy.of("lists/share-links/create").map(({ form }) => form.lid), [lid]);
});

test("a guest is led to the login", async () => {
  const { page, dialog } = await openShare('<wishbone-share login-url="/login?to={return}"></wishbone-share>');
  await dialog.getByText("Log in to share your list").waitFor();
  const link = dialog.getByRole("link", { name: "Log in" });
  assert.equal(await link.getAttribute("href"), `${shop.shop.url}/login?to=${encodeURIComponent(`${shop.shop.url}/`)}`);
  assert.deepEqual(shop.proxy.calls.map(({ name }) => name), ["provider/features"], "whether the page can use the store");
  await Promise.all([page.waitForRequest(/\/login\?to=/), link.click()]);
});

test("a page can show a login of its own; after that the dialog goes on", async () => {
  const { page, dialog } = await openShare('<wishbone-share login-url="/login"></wishbone-share>');
  const { regid, sessionid } = await shop.newShopper([1]);
  await page.evaluate((credentials) => document.addEventListener("wishbone:login-request", (event) => {
    event.preventDefault();
    wishbone.init(credentials);
  }), { regid, sessionid });
  await dialog.getByRole("link", { name: "Log in" }).click();
  await dialog.getByRole("button", { name: "Create link" }).waitFor();
  assert.equal(page.url(), `${shop.shop.url}/`);
});

test("a failed load can be repeated", async () => {
  const { shopper, lid } = await shop.newSharer([1]);
  const page = await shop.open(`<wishbone-share lid="${lid}"></wishbone-share>`, { shopper });
  shop.proxy.fault = () => [500, JSON.stringify({ status: "error", "error-code": "internal", "error-msg": "no" })];
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog").getByText("Something went wrong").waitFor();
  shop.proxy.fault = () => undefined;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Copy link" }).waitFor();
});
