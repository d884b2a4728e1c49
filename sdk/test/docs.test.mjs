// The API reference as its readers use it: search, and requests with their own keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { plainServer } from "./support/server.mjs";

const HOSTILE = "<img src=x onerror=\"document.title = 'hacked'\">";

let server, store, browser;

before(async () => {
  server = await plainServer();
  store = await server.store();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(hash = "") {
  const page = await browser.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => /policy/i.test(message.text()) && complaints.push(message.text()));
  await page.goto(`${server.url}/docs${hash}`);
  return Object.assign(page, { complaints });
}

async function enterKeys(page, { pid = store.pid, apikey = store.apikey } = {}) {
  await page.getByLabel("Store (pid)").fill(pid);
  await page.getByLabel("API key", { exact: true }).fill(apikey);
}

/** Opens the form of an operation, fills some of its fields and sends it. Returns what the page shows of the answer. */
async function send(page, operation, fields = {}) {
  const form = page.locator(`#${operation} .try`);
  if (!(await form.locator("form").count())) await form.locator("summary").click();
  for (const [name, value] of Object.entries(fields)) await form.locator(`[name="${name}"]`).fill(value);
  await form.getByRole("button", { name: "Send request" }).click();
  await form.getByRole("button", { name: "Send request", disabled: false }).waitFor();
  const answer = form.locator("output");
  await answer.locator("pre").waitFor();
  return { title: await answer.locator("h4").innerText(), text: await answer.locator("pre").innerText() };
}

test("a search starts at the top, and shows no empty group", async () => {
  const page = await open();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.getByLabel("Search").fill("unsubscribe");
  await page.locator("article[hidden]").first().waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => scrollY), 0);
  const groups = await page.locator("nav details:visible").evaluateAll((all) => all.map((group) => [...group.querySelectorAll("a")].filter((link) => !link.hidden).length));
  assert.ok(groups.length > 0 && groups.every((links) => links > 0), JSON.stringify(groups));
  assert.ok(groups.length < (await page.locator("nav details").count()));
  await page.getByLabel("Search").fill("");
  await page.getByRole("link", { name: "Authentication" }).first().waitFor();
});

test("a reader sends requests with their own keys, which are stored nowhere", async () => {
  const page = await open();
  const elsewhere = [];
  page.on("request", (request) => request.url().startsWith(server.url) || elsewhere.push(request.url()));
  await enterKeys(page);
  const me = await send(page, "me");
  assert.match(me.title, /^200/);
  assert.equal(JSON.parse(me.text).pid, store.pid);

  const { title, text } = await send(page, "generateRegid", { useremail: "ann@example.com" });
  assert.match(title, /^200/);
  const { regid, sessionid } = JSON.parse(text);
  await page.getByLabel("Shopper (regid)").fill(regid);
  await page.getByLabel("Session (sessionid)").fill(sessionid);
  // What comes back is text, whoever wrote it.
  const made = await send(page, "createList", { lname: HOSTILE, lnote: "", lprops: "" });
  assert.match(made.title, /^200/);
  assert.equal(JSON.parse(made.text).lname, HOSTILE);
  assert.equal(await page.locator("output :not(h4, pre)").count(), 0);

  const upsert = await send(page, "upsertProducts", { body: '{"products":[{"epi":1,"empi":1,"dt":"Lamp"}]}' });
  assert.equal(JSON.parse(upsert.text).updated, 1);
  assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
  assert.deepEqual([elsewhere, page.complaints], [[], []]);
  await page.reload();
  assert.equal(await page.getByLabel("API key", { exact: true }).inputValue(), "");
});

test("a wrong key and a server that is gone are told", async () => {
  const page = await open();
  await enterKeys(page, { apikey: "wrong" });
  assert.match((await send(page, "me")).title, /^401/);
  await server.halt();
  assert.equal((await send(page, "me")).title, "No response");
  await server.resume();
  await enterKeys(page);
  assert.match((await send(page, "me")).title, /^200/);
  assert.deepEqual(page.complaints, []);
});

test("every operation in JSON has a sample response", async () => {
  const page = await open();
  const without = await page.locator("article:has(.try)").evaluateAll((all) =>
    all.filter((one) => /Response application\/json/.test(one.textContent) && !one.querySelector(".sample")).map(({ id }) => id),
  );
  assert.deepEqual(without, ["openapi"]);
});
