// Accessibility and layout of all pages: axe-core finds nothing and nothing is wider than the screen, on a phone and on a
// desktop, in both colour schemes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faults, SCREENS, tooWide } from "./support/axe.mjs";
import { launch } from "./support/browser.mjs";
import { plainServer, realServer } from "./support/server.mjs";

let demo, plain, browser;

before(async () => {
  demo = realServer();
  plain = await plainServer();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await plain?.stop();
});

/** Opens a page on every screen, brings it into a state, and checks it there. */
async function check(url, { prepare = async () => {}, options = {} } = {}) {
  for (const screen of SCREENS) {
    const context = await browser.newContext(screen);
    const page = await context.newPage();
    const name = `${url} at ${screen.viewport.width} px, ${screen.colorScheme}`;
    await page.goto(url);
    await prepare(page);
    assert.deepEqual(await tooWide(page), [], `${name}: wider than the screen`);
    assert.deepEqual(await faults(page, options), [], `${name}: axe-core`);
    await context.close();
  }
}

const demoIsReady = async (page) => {
  await page.locator("#items .item:not(.ghost)").first().waitFor();
  await page.locator(".stock:visible").first().waitFor();
  await page.locator(".mail").first().waitFor();
};

/** The newest mail of the demo. */
async function mail() {
  const [first] = await (await fetch(`${demo.url}/demo/mails`)).json();
  const [link] = first.text.match(/http\S+\/mail\/unsubscribe\?token=\S+/);
  return { ...first, link };
}

test("the landing page of a server", () => check(`${plain.url}/`));

test("the API reference of a server", () =>
  check(`${plain.url}/docs`, {
    prepare: (page) => page.locator("article details").evaluateAll((all) => all.forEach((it) => (it.open = true))),
  }));

test("the API reference of the demo, searched", () =>
  check(`${demo.url}/docs`, {
    async prepare(page) {
      await page.getByLabel("Search").fill("share link");
      await page.locator("article[hidden]").first().waitFor({ state: "attached" });
      assert.ok((await page.locator("article:visible").count()) > 2);
    },
  }));

test("the demo's page", () => check(`${demo.url}/`, { prepare: demoIsReady }));

test("the demo's page with an open mail", () =>
  check(`${demo.url}/`, {
    async prepare(page) {
      await demoIsReady(page);
      await page.locator(".mail summary").first().click();
      await page.frameLocator(".mail iframe").first().getByRole("heading").waitFor();
    },
  }));

test("the demo's page with an empty list and a failure", () =>
  check(`${demo.url}/`, {
    async prepare(page) {
      await demoIsReady(page);
      await page.locator("#lists a", { hasText: "Kitchen, one day" }).click();
      await page.getByText("This list is empty").waitFor();
      await page.route("**/demo/mails", (route) => route.abort());
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByRole("alert").waitFor();
    },
  }));

test("the unsubscribe page, before and after, and an invalid link", async () => {
  const { link } = await mail();
  await check(link, { prepare: (page) => page.getByRole("button", { name: "Unsubscribe" }).waitFor() });
  const resubscribe = () => fetch(link, { method: "POST", body: new URLSearchParams({ again: "true" }) });
  await check(link, {
    async prepare(page) {
      await page.getByRole("button", { name: "Unsubscribe" }).click();
      await page.getByRole("heading", { name: "You're unsubscribed from" }).waitFor();
      await resubscribe();
    },
  });
  await check(`${demo.url}/mail/unsubscribe?token=x`, { prepare: (page) => page.getByText("Invalid link").waitFor() });
});

test("the HTML of a mail", async () => {
  const { id } = await mail();
  const html = await (await fetch(`${demo.url}/demo/mails/${id}`)).text();
  // A mail is part of the mail program's page: rules about whole pages are not for it.
  const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
  await check("about:blank", { prepare: (page) => page.setContent(html), options: { runOnly } });
});

test("the commands of a server's API reference name its address and variables", async () => {
  const html = await (await fetch(`${plain.url}/docs`)).text();
  const text = html.replaceAll("&#x2f;", "/").replaceAll("&quot;", '"');
  assert.ok(text.includes(`curl -sS "${plain.url}/api/v3/lists/create?pid=$PID"`));
});
