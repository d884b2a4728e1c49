// What holds for all custom elements: accessibility in both colour schemes, on phones and in right-to-left pages, a strict
// Content-Security-Policy, languages, and pages that do unusual things.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { animations, faults, SCREENS, tooWide } from "./support/axe.mjs";
import { chooseOption, openElements, product, record, strict } from "./support/elements.mjs";

let shop, shopper, lid, stocked, key;

before(async () => {
  shop = await openElements("--plan", "enterprise", "--enable", "sort-filter");
  shopper = await shop.newShopper([1, 2, 3]);
  lid = await shop.fill({ ...shopper, list: "Birthday" }, [4, 5], { note: "In blue, please" });
  ({ key } = (await shop.call(shopper, "lists/share-links/create", { lid })).link);
  const { list } = await shop.call(shopper, "lists/sfl/fetch");
  await shop.call(shopper, "lists/sfl/add", { lid: list.lid, items: [record(6), record(7)] });
  const feed = (more) => shop.upsert([81, 82, 83].map((epi) => ({ ...record(epi), stock: [9, 0, 2][epi - 81], ...more })));
  await feed();
  stocked = await shop.fill({ ...shopper, list: "Kitchen" }, [81, 82, 83]);
  await feed({ pr: 5 });
  await shop.call(shopper, "subscriptions/add", { ...record(82), topic: "backinstock", medium: "email", mediumvalue: shopper.email });
});

after(() => shop?.close());

const STYLE = `<style>
  :root { color-scheme: light dark; }
  body { margin: 16px; background: light-dark(#fff, #14171a); color: light-dark(#1d2125, #eceef0); font-family: sans-serif; }
</style>`;
const page = (html) => `<h1>Shop</h1>${html}`;
const heart = (epi, more = "") => `<wishbone-heart ${product(epi)} ${more}></wishbone-heart>`;

const SCENES = {
  hearts: {
    html: () => heart(1) + heart(9, "count") + heart(1, "variant=button") + heart(9, "variant=button"),
    ready: (at) => at.locator('wishbone-heart button[aria-pressed="true"]').first().waitFor(),
  },
  "a list": { html: () => '<wishbone-list currency="EUR" quantity></wishbone-list>', ready: (at) => at.getByText("3 items").waitFor() },
  "an item that is edited": {
    html: () => `<wishbone-list lid="${lid}" currency="EUR"></wishbone-list>`,
    async ready(at) {
      await at.getByRole("button", { name: "Edit" }).first().click();
      await at.getByRole("dialog").locator("select").selectOption("new");
    },
  },
  "a list that is gone": { html: () => '<wishbone-list lid="none"></wishbone-list>', ready: (at) => at.getByText("no longer exists").waitFor() },
  "an undo toast": {
    html: () => `<wishbone-list lid="${lid}"></wishbone-list>`,
    async ready(at) {
      shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? new Promise(() => {}) : undefined);
      await at.getByRole("button", { name: "Remove" }).first().click();
      await at.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  "a failure": {
    html: () => heart(1),
    async ready(at) {
      shop.proxy.fault = () => [500, '{"status":"error","error-code":"internal","error-msg":"no"}'];
      await at.locator("wishbone-heart button").click();
      await at.getByRole("alert").getByText("not saved").waitFor();
      await at.evaluate(() => document.querySelector("main").append(document.createElement("wishbone-list")));
      await at.getByRole("button", { name: "Try again" }).waitFor();
    },
  },
  "an empty list": { guest: true, html: () => "<wishbone-list></wishbone-list>", ready: (at) => at.getByText("is empty").waitFor() },
  "a list that loads": {
    html: () => "",
    async ready(at) {
      shop.proxy.fault = () => new Promise(() => {});
      await at.evaluate(() => document.querySelector("main").append(document.createElement("wishbone-list")));
      await at.getByText("Loading").waitFor({ state: "attached" });
    },
  },
  "save for later": { html: () => '<wishbone-saved currency="EUR"></wishbone-saved>', ready: (at) => at.getByText("2 items").waitFor() },
  "a wrong address": {
    html: () => `<wishbone-notify ${product(1)}></wishbone-notify>`,
    async ready(at) {
      await at.getByLabel("E-mail address").fill("ann@");
      await at.keyboard.press("Enter");
      await at.getByText("Enter an e-mail address").waitFor();
    },
  },
  "sold out, cheaper and nearly sold out": {
    html: () => `<wishbone-list lid="${stocked}" currency="EUR"></wishbone-list>`,
    async ready(at) {
      await at.getByText("Only a few left").waitFor();
      await at.getByText("now €5.00").first().waitFor();
      await at.getByRole("button", { name: "Notify me" }).click();
      await at.getByRole("dialog").getByText("We will e-mail you").waitFor();
    },
  },
  "my alerts": {
    html: () => '<wishbone-alerts currency="EUR"></wishbone-alerts>',
    ready: (at) => at.getByText("When it is back in stock").waitFor(),
  },
  "an alert to confirm": {
    guest: true,
    html: () => `<wishbone-notify ${product(1)}></wishbone-notify>`,
    async ready(at) {
      await at.getByLabel("E-mail address").fill("somebody@example.com");
      await at.keyboard.press("Enter");
      await at.getByText("Check your inbox").waitFor();
    },
  },
  sharing: {
    html: () => `<wishbone-share lid="${lid}"></wishbone-share>`,
    async ready(at) {
      await at.getByRole("button", { name: "Share" }).click();
      await at.getByRole("button", { name: "Copy link" }).click();
      await at.getByRole("button", { name: "Send" }).click();
      await at.getByText("Enter an e-mail address").waitFor();
    },
  },
  "sharing as a guest": {
    guest: true,
    html: () => '<wishbone-share login-url="/login"></wishbone-share>',
    async ready(at) {
      await at.getByRole("button", { name: "Share" }).click();
      await at.getByRole("link", { name: "Log in" }).waitFor();
    },
  },
  "a shared list": { guest: true, html: () => `<wishbone-shared-list key="${key}"></wishbone-shared-list>`, ready: (at) => at.getByText("2 items").waitFor() },
  "a list that is not shared": { guest: true, html: () => '<wishbone-shared-list key="x"></wishbone-shared-list>', ready: (at) => at.getByText("There is no shared list here").waitFor() },
  "the drawer": {
    html: () => '<wishbone-lists page="/shared"></wishbone-lists>',
    async ready(at) {
      await at.getByRole("button", { name: /^My lists/ }).click();
      await chooseOption(at, "Rename", "Birthday");
      await at.locator("form.rename").waitFor();
    },
  },
  "the drawer, about to delete": {
    html: () => "<wishbone-lists></wishbone-lists>",
    async ready(at) {
      await at.getByRole("button", { name: /^My lists/ }).click();
      await chooseOption(at, "Delete", "Birthday");
      await at.getByText("with all its items?").waitFor();
    },
  },
  "a list in the drawer": {
    html: () => '<wishbone-lists page="/shared"></wishbone-lists>',
    async ready(at) {
      await at.getByRole("button", { name: /^My lists/ }).click();
      await at.getByRole("button", { name: /^Birthday/ }).click();
      await at.getByText("In blue").first().waitFor();
    },
  },
};

for (const [name, { html, ready, guest }] of Object.entries(SCENES)) {
  test(`${name}: axe-core finds nothing, and nothing is too wide`, async () => {
    for (const [index, screen] of SCREENS.entries()) {
      const context = await shop.browser.newContext(screen);
      // Half of the screens read from right to left.
      const head = `${STYLE}<meta name="viewport" content="width=device-width">`;
      const options = { context, head, shopper: guest ? undefined : shopper };
      const at = await shop.open(page(html()), options);
      await at.evaluate((index) => {
        document.documentElement.lang = "en";
        document.documentElement.dir = index % 3 ? "rtl" : "ltr";
      }, index);
      await ready(at);
      const where = `${screen.viewport.width} px, ${screen.colorScheme}`;
      assert.deepEqual(await tooWide(at), [], where);
      assert.deepEqual(await faults(at), [], where);
      assert.deepEqual(at.uncaught, []);
      await context.close();
    }
  });
}

test("all elements work under a strict Content-Security-Policy with Trusted Types", async () => {
  const html =
    heart(1) +
    '<wishbone-list></wishbone-list><wishbone-saved></wishbone-saved><wishbone-lists></wishbone-lists>' +
    `<wishbone-notify ${product(1)}></wishbone-notify><wishbone-share lid="${lid}"></wishbone-share><wishbone-shared-list key="${key}"></wishbone-shared-list>`;
  const { regid, sessionid } = shopper;
  const at = await shop.shop.visit({
    csp: strict(shop.proxy.url, shop.shop.url),
    attributes: { store: shop.store.pid, base: shop.proxy.url, load: "elements", regid, sessionid },
    before: html,
    prepare: () => {
      window.violations = [];
      addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.blockedURI}`), true);
    },
  });
  await at.getByText("3 items").first().waitFor();
  await at.getByRole("button", { name: /^My lists/ }).click();
  await at.getByRole("dialog", { name: "My lists" }).waitFor();
  await at.keyboard.press("Escape");
  await at.getByRole("button", { name: "Edit" }).first().click();
  await at.getByRole("dialog").waitFor();
  const size = await at.locator("wishbone-heart").first().boundingBox();
  assert.equal(size.height, 44, "it has its styles");
  assert.deepEqual(await at.evaluate(() => violations), []);
  assert.deepEqual(at.uncaught, []);
});

test("layout follows the direction of the page", async () => {
  const html = '<div dir="ltr"><wishbone-list id="a"></wishbone-list></div><div dir="rtl"><wishbone-list id="b"></wishbone-list></div>';
  const at = await shop.open(html, { shopper });
  const side = async (id) => {
    const item = at.locator(`#${id} li`).first();
    const [{ x: remove }, { x, width }] = await Promise.all([item.locator(".remove").boundingBox(), item.boundingBox()]);
    return remove > x + width / 2 ? "right" : "left";
  };
  await at.getByText("3 items").last().waitFor();
  assert.deepEqual([await side("a"), await side("b")], ["right", "left"]);
  const [first, last] = await at.locator("#b li").evaluateAll((all) => all.map((item) => item.getBoundingClientRect().x));
  assert.ok(first > last);
});

test("an element has the language of its surroundings, else of the page, else of the browser", async () => {
  const context = await shop.browser.newContext({ locale: "nl-NL" });
  const at = await shop.open(
    `<p id="none">${heart(1, "variant=button")}</p><p id="de" lang="de-AT">${heart(1, "variant=button")}</p>` +
      `<p id="own" lang="de">${heart(1, "variant=button lang=fr")}</p><p id="other" lang="fi">${heart(1, "variant=button")}</p>`,
    { context },
  );
  const texts = () => at.locator("wishbone-heart").evaluateAll((all) => all.map((one) => one.shadowRoot.querySelector("button").innerText));
  assert.deepEqual(await texts(), ["Op verlanglijst zetten", "Auf die Wunschliste", "Ajouter à la liste d’envies", "Add to wishlist"]);
  await at.evaluate(() => (document.documentElement.lang = "ja"));
  await at.locator("#none").getByText("ほしい物リストに追加", { exact: true }).waitFor();
  await at.evaluate(async () => {
    const elements = await wishbone.load("elements");
    elements.setTexts("fi_FI", { "heart.add": "Lisää toivelistalle" });
    document.querySelector("#other wishbone-heart").setAttribute("lang", "fi-FI");
  });
  await at.locator("#other").getByText("Lisää toivelistalle").waitFor();
  await context.close();
});

test("English texts on a page of another language are marked as such; those of shop and shopper have the page's", async () => {
  const at = await shop.open(`<div lang="fi"><wishbone-list lid="${lid}" currency="EUR"></wishbone-list></div>`, { shopper });
  await at.getByText("2 items").waitFor();
  const languageOf = (locator) => locator.first().evaluate((element) => element.closest("[lang]").lang);
  assert.equal(await languageOf(at.getByRole("button", { name: "Add to cart" })), "en");
  assert.equal(await languageOf(at.getByText("2 items")), "en");
  assert.equal(await languageOf(at.getByText("Birthday")), "fi");
  assert.equal(await languageOf(at.getByText("Stoneware mug")), "fi");
  await at.getByText("23,50 €").waitFor();
  shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? new Promise(() => {}) : undefined);
  await at.getByRole("button", { name: "Remove" }).first().click();
  assert.equal(await languageOf(at.getByRole("button", { name: "Undo" })), "en");
  await at.evaluate(() => document.querySelector("wishbone-list").setAttribute("lang", "de"));
  assert.equal(await languageOf(at.getByRole("button", { name: "In den Warenkorb" })), "de");
});

test("prices, counts and plurals are written as the language does", async () => {
  const at = await shop.open(`<div lang="de"><wishbone-list lid="${lid}" currency="EUR"></wishbone-list></div>`, { shopper });
  await at.getByText("2 Artikel").waitFor();
  await at.getByText("23,50 €").waitFor();
  await at.evaluate(() => document.querySelector("wishbone-list").setAttribute("lang", "fr_FR"));
  await at.getByText("2 articles").waitFor();
  await at.getByText("23,50 €").waitFor();
  await at.evaluate(() => document.querySelector("wishbone-list").setAttribute("currency", "nonsense"));
  await at.getByText("23.5", { exact: true }).waitFor();
});

test("every language has every text, with the same placeholders", async () => {
  const folder = new URL("../src/elements/languages/", import.meta.url);
  const mails = await readdir(new URL("../../crates/server/languages/", import.meta.url));
  assert.deepEqual((await readdir(folder)).sort(), mails.filter((name) => name.endsWith(".json")).sort());
  const read = async (name) => JSON.parse(await readFile(new URL(name, folder), "utf8"));
  const english = await read("en.json");
  const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();
  for (const name of await readdir(folder)) {
    const texts = await read(name);
    assert.deepEqual(Object.keys(texts), Object.keys(english), name);
    for (const key in texts) {
      assert.notEqual(texts[key].trim(), "", `${name}: ${key}`);
      assert.deepEqual(placeholders(texts[key]), placeholders(english[key]), `${name}: ${key}`);
    }
  }
});

test("with reduced motion nothing moves", async () => {
  const context = await shop.browser.newContext({ reducedMotion: "reduce" });
  const at = await shop.open("<wishbone-lists></wishbone-lists>" + heart(9), { context, shopper });
  await at.locator("wishbone-heart button").click();
  await at.locator("wishbone-lists").getByRole("button").click();
  assert.equal(await animations(at), 0);
  await shop.has(at, [1, 2, 3, 4, 5, 9, 81, 82, 83]);
  await at.evaluate(() => wishbone.items.remove({ epi: 9, empi: 1009 }));
  await context.close();
});

test("the page styles elements with variables and parts", async () => {
  const head = "<style>wishbone-list { --wishbone-accent: rgb(1, 2, 3); } wishbone-list::part(primary) { border-radius: 3px; }</style>";
  const at = await shop.open('<wishbone-list currency="EUR"></wishbone-list>', { shopper, head });
  const style = await at.getByRole("button", { name: "Add to cart" }).first().evaluate((button) => {
    const { backgroundColor, borderTopLeftRadius } = getComputedStyle(button);
    return [backgroundColor, borderTopLeftRadius];
  });
  assert.deepEqual(style, ["rgb(1, 2, 3)", "3px"]);
});

test("the documented rule reserves the place of a heart before the script is there", async () => {
  const head = "<style>wishbone-heart:not(:defined) { display: inline-block; width: 44px; height: 44px; vertical-align: middle; }</style>";
  const at = await shop.shop.visit({ src: "data:text/javascript,", before: `${head}<p id="text">Lamp ${heart(1)} 12 €</p>` });
  const box = () => at.locator("#text").boundingBox();
  const before = await box();
  await at.evaluate(
    async ([address, options]) => {
      const { createClient } = await import(`${address}/wishbone.mjs`);
      const { install } = await import(`${address}/wishbone-elements.mjs`);
      const client = createClient(options);
      if (install(client) !== install(client)) throw new Error("installed twice");
    },
    [shop.shop.url, { store: shop.store.pid, base: shop.proxy.url }],
  );
  await at.locator("wishbone-heart button").waitFor();
  assert.deepEqual(await box(), before);
});

test("toasts of the page: one region, newest three, and the same message once", async () => {
  const at = await shop.open("");
  const show = (...messages) =>
    at.evaluate(async (messages) => {
      const { toast } = await wishbone.load("elements");
      for (const message of messages) toast(message);
    }, messages);
  const texts = () => at.locator("wishbone-toasts .toast p").allTextContents();
  await show("One", "Two", "Two", "<b>Three</b>", "Four");
  await at.getByText("Four").waitFor();
  assert.deepEqual(await texts(), ["Two", "<b>Three</b>", "Four"]);
  assert.equal(await at.locator("wishbone-toasts").count(), 1);
  await at.evaluate(() => document.querySelector("wishbone-toasts").remove());
  await show("Five");
  await at.getByRole("status").getByText("Five").waitFor();
  assert.deepEqual(at.uncaught, []);
});
