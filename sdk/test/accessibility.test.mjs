// Accessibility and layout of all pages: axe-core finds nothing and nothing is wider than the screen, on a phone and on a
// desktop, in both colour schemes. The file that takes longest: by its name it is run first.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { faults, SCREENS, tooWide } from "./support/axe.mjs";
import { launch } from "./support/browser.mjs";
import { demoServer, plainServer } from "./support/server.mjs";

let demo, plain, browser;

before(async () => {
  demo = await demoServer();
  plain = await plainServer();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await plain?.stop();
  await demo?.stop();
});

/** Opens a page on every screen, brings it into a state, and checks it there. */
async function check(url, { prepare = async () => {}, options = {} } = {}) {
  for (const screen of SCREENS) {
    // What is still fading in has too little contrast.
    const context = await browser.newContext({ ...screen, reducedMotion: "reduce" });
    const page = await context.newPage();
    const name = `${url} at ${screen.viewport.width} px, ${screen.colorScheme}`;
    await page.goto(url);
    await prepare(page);
    assert.deepEqual(await tooWide(page), [], `${name}: wider than the screen`);
    assert.deepEqual(await faults(page, options), [], `${name}: axe-core`);
    await context.close();
  }
}

const elementsAreReady = (page) => page.locator("wishbone-lists").getByRole("button").first().waitFor();

/** The oldest mail of the demo, which no other test causes. */
async function mail() {
  const first = (await (await fetch(`${demo.url}/demo/mails`)).json()).at(-1);
  const [link] = first.text.match(/http\S+\/mail\/unsubscribe\?token=\S+/);
  return { ...first, link };
}

test("the landing page of a server", () => check(`${plain.url}/`));

test("the API reference of a server", () =>
  check(`${plain.url}/docs`, {
    async prepare(page) {
      await page.locator("article details:not(.try)").evaluateAll((all) => all.forEach((it) => (it.open = true)));
      await page.locator("#upsertProducts .try summary").click();
      await page.locator("#createList .try summary").click();
    },
  }));

test("the API reference of the demo, searched", () =>
  check(`${demo.url}/docs`, {
    async prepare(page) {
      await page.getByLabel("Search").fill("share link");
      await page.locator("article[hidden]").first().waitFor({ state: "attached" });
      assert.ok((await page.locator("article:visible").count()) > 2);
    },
  }));

for (const path of ["", "demo/category/all", "demo/products/alpine-rain-jacket", "demo/wishlist", "demo/cart", "demo/developers"]) {
  test(`the demo shop's /${path}`, () => check(`${demo.url}/${path}`, { prepare: elementsAreReady }));
}

test("the demo shop's style guide", () =>
  check(`${demo.url}/demo/guide`, {
    async prepare(page) {
      await elementsAreReady(page);
      await page.getByText("You are offline").first().waitFor();
    },
    // There are several of each element, whose landmarks have the same name.
    options: { rules: { "landmark-unique": { enabled: false } } },
  }));

test("the demo shop's account menu, logged in and out", () =>
  check(`${demo.url}/demo/wishlist`, {
    async prepare(page) {
      await page.locator("[data-account] summary").click();
      await page.getByRole("button", { name: "Log in as Ann" }).click();
      await page.locator("wishbone-list").getByRole("listitem").first().waitFor();
      await page.locator("[data-account] summary").click();
    },
  }));

test("the demo shop's page of a sold-out product", () =>
  check(`${demo.url}/demo/products/husavik-storm-parka`, {
    async prepare(page) {
      await elementsAreReady(page);
      await page.locator("wishbone-notify").getByRole("textbox").waitFor();
    },
  }));

test("the demo shop's cart with something in it", () =>
  check(`${demo.url}/demo/products/alpine-rain-jacket`, {
    async prepare(page) {
      await page.getByRole("button", { name: "Add to cart" }).click();
      await page.goto(`${demo.url}/demo/cart`);
      await page.locator(".line").waitFor();
      await elementsAreReady(page);
    },
  }));

test("the demo shop's outbox with an open mail", () =>
  check(`${demo.url}/demo/outbox`, {
    async prepare(page) {
      await elementsAreReady(page);
      await page.frameLocator(".mail[open] iframe").first().getByRole("heading").first().waitFor();
    },
  }));

test("the drawer with lists", () =>
  check(`${demo.url}/`, {
    async prepare(page) {
      await page.locator("[data-account] summary").click();
      await page.getByRole("button", { name: "Log in as Ann" }).click();
      await page.locator("[data-account-name]", { hasText: "Ann" }).waitFor();
      await page.locator("wishbone-lists").getByRole("button").first().click();
      await page.locator("wishbone-lists").getByRole("dialog").waitFor();
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

test("the page of a shared list, to its end, and that of a link that is turned off", async () => {
  const { url, pid, regid, sessionid } = demo;
  const call = async (path, fields) => {
    const body = new URLSearchParams({ regid, sessionid, ...fields });
    return (await fetch(`${url}/api/v3/lists/${path}?pid=${encodeURIComponent(pid)}`, { method: "POST", body })).json();
  };
  const { data } = await call("fetch-user-lists", {});
  const { lid, cnt } = data.find((list) => list.lname === "Summer in the Alps");
  const { link } = await call("share-links/create", { lid, fromname: "Ann" });
  await check(link.url, {
    async prepare(page) {
      await page.getByText("Shared by Ann").waitFor();
      assert.equal(await page.getByRole("listitem").count(), cnt);
      const loaded = page.locator("li img").first().evaluate((img) => img.decode().then(() => img.naturalWidth > 0));
      assert.ok(await loaded, "the policy allows the pictures");
    },
  });
  const page = await browser.newPage();
  await page.goto(link.url);
  await page.getByRole("link", { name: "View the full list" }).press("Enter");
  await page.locator("wishbone-shared-list").getByText("Shared by Ann").waitFor();
  await page.close();
  await call("share-links/revoke", { lid, key: link.key });
  await check(link.url, { prepare: (page) => page.getByRole("link", { name: "Back to Fernweh" }).waitFor() });
});

/** The text of the mail that asks to confirm an alert. */
async function confirmation() {
  const { url, pid, regid, sessionid } = demo;
  const address = { medium: "email", mediumvalue: "eve@fernweh.example" };
  const body = { regid, sessionid, topic: "backinstock", ...address, epi: "1", empi: "1", du: `${url}/demo/products/1` };
  await fetch(`${url}/api/v3/subscriptions/add?pid=${encodeURIComponent(pid)}`, { method: "POST", body: new URLSearchParams(body) });
  for (;;) {
    const mails = await (await fetch(`${url}/demo/mails`)).json();
    const found = mails.find(({ text }) => text.includes("/mail/confirm?"));
    if (found) return found.text;
    await setTimeout(100);
  }
}

test("the page of a confirmation, and that of mail preferences, before and after", async () => {
  const text = await confirmation();
  const [confirm] = text.match(/http\S+\/mail\/confirm\?token=\S+/);
  const [link] = text.match(/http\S+\/mail\/preferences\?token=\S+/);
  await check(confirm, { prepare: (page) => page.getByRole("button", { name: "Confirm" }).waitFor() });
  const first = (page) => page.locator("li", { hasText: "alerts" }).first();
  await check(link, {
    async prepare(page) {
      await first(page).getByRole("button", { name: "Turn off" }).click();
      await first(page).getByRole("button", { name: "Turn on" }).click();
      await page.getByText("Saved.").waitFor();
    },
  });
  await check(link, {
    async prepare(page) {
      await page.getByRole("button", { name: "Stop all mail" }).click();
      await page.getByRole("button", { name: "Get mail again" }).waitFor();
      await fetch(link, { method: "POST", body: new URLSearchParams({ on: "all" }) });
    },
  });
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
