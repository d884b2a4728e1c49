// The React and Vue components of docs/recipes, as they are written there, in a page of a shop.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { openFixture } from "./support/fixture.mjs";
import { listen } from "./support/http.mjs";
import { bundle, filesOf } from "./support/recipes.mjs";

const HOSTILE = "<img src=x onerror=\"document.title = 'hacked'\">";
const PRODUCTS = [
  { epi: 1, empi: 1, du: "https://shop.example/lamp", dt: "Lamp", pr: 20 },
  { epi: 2, empi: 2, du: "/chair", dt: HOSTILE },
];
const REACT = `
  import { StrictMode } from "react";
  import { createRoot } from "react-dom/client";
  import { Heart } from "./Heart.jsx";
  import { WishlistPage } from "./WishlistPage.jsx";
  import { wishbone } from "./wishbone.js";
  window.wishbone = wishbone;
  const hearts = ${JSON.stringify(PRODUCTS)}.map((product) => <Heart key={product.epi} product={product} />);
  createRoot(document.getElementById("app")).render(<StrictMode>{hearts}<WishlistPage /></StrictMode>);`;
const VUE = `
  import { createApp, h } from "vue";
  import WishlistHeart from "./WishlistHeart.vue";
  import WishlistPage from "./WishlistPage.vue";
  import { wishbone } from "./wishbone.js";
  window.wishbone = wishbone;
  const hearts = () => ${JSON.stringify(PRODUCTS)}.map((product) => h(WishlistHeart, { product }));
  createApp({ render: () => [hearts(), h(WishlistPage)] }).mount("#app");`;
const INTERNAL = [500, JSON.stringify({ status: "error", "error-code": "internal", "error-msg": "internal error" })];

const ELEMENTS = `
  import { createClient } from "wishbone-sdk";
  import { install } from "wishbone-sdk/elements/heart";
  import { install as installNotify } from "wishbone-sdk/elements/notify";
  import { install as installShare } from "wishbone-sdk/elements/share";
  import { wishbone } from "./wishbone.js";
  const product = { epi: 1, empi: 1, du: "https://shop.example/lamp", dt: "Lamp" };
  const attributes = { heart: { ...product, variant: "button", count: true }, notify: { ...product, topic: "pricedrop", targetprice: 9 }, share: { lid: "l" } };
  window.wishbone = wishbone;
  install(wishbone);
  installNotify(wishbone);
  installShare(wishbone);`;
const REACT_ELEMENTS = `${ELEMENTS}
  import { createRoot } from "react-dom/client";
  const page = <main><wishbone-heart {...attributes.heart} /><wishbone-notify {...attributes.notify} /><wishbone-share {...attributes.share} /></main>;
  createRoot(document.getElementById("app")).render(page);`;
const VUE_ELEMENTS = `${ELEMENTS}
  import { createApp, h } from "vue";
  const names = Object.keys(attributes);
  createApp({ render: () => h("main", names.map((name) => h("wishbone-" + name, attributes[name]))) }).mount("#app");`;

let shop, pages;
const scripts = {};

before(async () => {
  shop = await openFixture();
  const shared = await filesOf("README.md");
  const settings = { "<pid>": shop.store.pid, "https://lists.example": shop.proxy.url };
  const filled = shared["wishbone.js"].replace(/<pid>|https:\/\/lists\.example/g, (name) => settings[name]);
  for (const [name, entry] of [["reactElements", REACT_ELEMENTS], ["vueElements", VUE_ELEMENTS]]) {
    scripts[name] = await bundle(entry, { "wishbone.js": filled });
  }
  for (const [name, entry] of [["react", REACT], ["vue", VUE]]) {
    scripts[name] = await bundle(entry, { ...(await filesOf(`${name}.md`)), "wishbone.js": filled });
  }
  pages = await listen((request, response) => {
    const script = scripts[request.url.match(/^\/(\w+)\.js$/)?.[1]];
    response.writeHead(200, { "content-type": `${script ? "text/javascript" : "text/html"}; charset=utf-8` });
    response.end(script ?? `<!doctype html><title>Shop</title><div id="app"></div><script type="module" src="${request.url}.js"></script>`);
  });
});

after(async () => {
  await pages?.close();
  await shop?.close();
});

beforeEach(() => {
  shop.proxy.fault = () => undefined;
});

async function visit(name, context) {
  const page = await (context ?? (await shop.browser.newContext())).newPage();
  page.uncaught = [];
  page.on("pageerror", (error) => page.uncaught.push(error.message));
  await page.goto(`${pages.url}/${name}`);
  return page;
}

const heart = (page, index = 0) => page.locator("button[aria-label$='on my wishlist']").nth(index);
const section = (page) => page.locator("section");

/** Waits until the element has this text. */
const shows = (locator, text) => locator.filter({ hasText: text }).first().waitFor();
/** Waits until the heart is pressed or not. */
const isPressed = (page, pressed, index = 0) => page.waitForFunction(
  ([index, pressed]) => document.querySelectorAll("button[aria-label$='on my wishlist']")[index]?.getAttribute("aria-pressed") === pressed,
  [index, String(pressed)],
);

for (const name of ["react", "vue"]) {
  test(`${name}: a heart is pressed, another tab shows it, and the list removes it`, async () => {
    const first = await visit(name);
    const second = await visit(name, first.context());
    await shows(section(second), "Your wishlist is empty.");
    await isPressed(first, false);
    await heart(first).click();
    await isPressed(first, true);
    for (const page of [first, second]) await shows(section(page).locator("li"), "Lamp");
    await isPressed(second, true);
    const lists = () => first.evaluate(() => wishbone.shopper.current()).then((identity) => shop.lists(identity));
    assert.deepEqual((await lists()).map(({ epis }) => epis), [[1]]);

    await section(second).getByRole("button", { name: "Remove Lamp" }).click();
    for (const page of [first, second]) {
      await shows(section(page), "Your wishlist is empty.");
      await isPressed(page, false);
    }
    assert.deepEqual((await lists()).map(({ epis }) => epis), [[]]);
    assert.deepEqual([...first.uncaught, ...second.uncaught], []);
  });

  test(`${name}: an error of the server is shown, and what it rejected is taken back`, async () => {
    const page = await visit(name);
    await heart(page).click();
    await shows(section(page).locator("li"), "Lamp");
    let release;
    const held = new Promise((resolve) => (release = resolve));
    shop.proxy.fault = ({ name }) => name === "lists/update-ctx" && held.then(() => INTERNAL);
    await heart(page, 1).click();
    await isPressed(page, true, 1); // at once, before the server has answered
    release();
    await shows(page.getByRole("status").nth(1), "That did not work. Please try again.");
    await isPressed(page, false, 1);
    await section(page).getByRole("button", { name: "Remove Lamp" }).click();
    await shows(page.getByRole("alert"), "Lamp could not be removed.");
    assert.equal(await section(page).locator("li").count(), 1);

    shop.proxy.fault = () => undefined;
    await heart(page, 1).click();
    await isPressed(page, true, 1);
    await page.waitForFunction(() => document.querySelectorAll("li").length === 2);
    assert.equal(await page.getByRole("status").nth(1).textContent(), "");
    assert.deepEqual(page.uncaught, []);
  });

  test(`${name}: what could not be loaded does not look empty`, async () => {
    const page = await visit(name);
    await heart(page).click();
    await shows(section(page).locator("li"), "Lamp");
    shop.proxy.fault = ({ name }) => name !== "lists/update-ctx" && INTERNAL;
    await page.reload();
    await shows(page.getByRole("alert"), "Your wishlist could not be loaded.");
    assert.equal(await heart(page).textContent().then((text) => text.trim()), "…");
    assert.equal(await page.getByText("empty").count(), 0);

    shop.proxy.fault = () => undefined;
    await page.getByRole("button", { name: "Try again" }).click();
    await shows(section(page).locator("li"), "Lamp");
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.deepEqual(page.uncaught, []);
  });

  test(`${name}: titles are text, addresses are links only if they are those of the web`, async () => {
    const page = await visit(name);
    await heart(page, 1).click();
    await shows(section(page).locator("li"), HOSTILE);
    assert.equal(await section(page).locator("a").getAttribute("href"), new URL("/chair", page.url()).href);
    assert.equal(await page.locator("img").count(), 0);
    // The server rejects such an address, so it is put into the response.
    shop.proxy.fault = ({ name }) => name === "lists/fetch-list-with-contents" && [200, JSON.stringify(hostileList())];
    await page.reload();
    await shows(section(page).locator("li"), "Trap");
    assert.equal(await section(page).locator("a").getAttribute("href"), null);
    assert.deepEqual(page.uncaught, []);
  });

  test(`${name}: what is only saved for later leaves the heart empty`, async () => {
    const page = await visit(name);
    await page.evaluate((product) => wishbone.saveForLater.add(product), PRODUCTS[0]);
    await page.reload();
    await isPressed(page, false);
    await heart(page).click();
    await isPressed(page, true);
    await shows(section(page).locator("li"), "Lamp");
  });

  test(`${name}: a long list is shown page by page`, async () => {
    const page = await visit(name);
    const many = Array.from({ length: 60 }, (_, index) => ({ epi: index + 10, empi: 1, du: "/p", dt: `Product ${index}` }));
    await page.evaluate((items) => wishbone.items.add({ items }), many);
    await page.waitForFunction(() => document.querySelectorAll("li").length === 50);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.waitForFunction(() => document.querySelectorAll("li").length === 60);
    assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
  });
}

for (const name of ["reactElements", "vueElements"]) {
  test(`${name}: single elements take their attributes, and work together`, async () => {
    const page = await visit(name);
    const heart = page.locator("wishbone-heart").getByRole("button");
    await heart.click();
    await heart.and(page.locator("[aria-pressed=true]")).waitFor();
    await page.locator("wishbone-heart").getByText(/\d shoppers? saved this/).waitFor({ state: "attached" });
    await page.getByText("Get an e-mail when the price drops").waitFor();
    await page.locator("wishbone-share").getByRole("button", { name: "Share" }).waitFor();
    assert.equal(await page.evaluate(() => customElements.get("wishbone-lists")), undefined, "what is not imported is not defined");
    assert.deepEqual(page.uncaught, []);
  });
}

function hostileList() {
  const record = { lid: "l", id: "l", lname: "L", lty: "wl", cts: 0, uts: 0, st: 1, _t: 1, lhash: "", version: 1, pid: "p", cnt: 1 };
  const item = { id: "i", lid: "l", epi: 1, empi: 1, du: "javascript:alert(1)", dt: "Trap", iu: "", pr: 1, ct: "", vi: "", cts: 0, uts: 0, pid: "p", _t: 2 };
  return { list: { ...record, listcontents: [item] }, items: [item] };
}
