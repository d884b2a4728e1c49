// Every snippet that is printed for a page shows a heart and a list when it is pasted into one, as it is.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { listen } from "./support/http.mjs";
import { demoServer, plainServer } from "./support/server.mjs";

let demo, plain, store, browser, shop, html;

before(async () => {
  [demo, plain, browser] = [await demoServer(), await plainServer(), await launch()];
  store = await plain.store();
  shop = await listen((request, response) => {
    response.writeHead(request.url === "/" ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(request.url === "/" ? html : "");
  });
});

after(async () => {
  await shop?.close();
  await browser?.close();
  await plain?.stop();
  await demo?.stop();
});

/** Pastes it into an empty page of a shop, where a press on the heart fills the list. */
async function paste(snippet) {
  assert.match(snippet, /<script /);
  html = snippet.startsWith("<!doctype") ? snippet : `<!doctype html><title>Shop</title>${snippet}`;
  const page = await (await browser.newContext()).newPage();
  await page.goto(shop.url);
  await page.locator("wishbone-list").getByText("Your wishlist is empty").waitFor();
  await page.locator("wishbone-heart").first().getByRole("button").click();
  await page.locator("wishbone-list").getByRole("listitem").first().waitFor();
  await page.context().close();
}

const filled = (snippet) =>
  snippet.replace(/https:\/\/lists\.example|http:\/\/localhost:8080/g, plain.url).replace(/<pid>|PID-OF-THE-STORE|"PID"/g, (name) => (name === '"PID"' ? `"${store.pid}"` : store.pid));

/** The code of a page of a server. */
async function codeOf(url) {
  const page = await browser.newPage();
  await page.goto(url);
  const blocks = await page.locator("pre").allInnerTexts();
  await page.close();
  return blocks.find((block) => block.includes("<script"));
}

test("the one on the page of a server", async () => paste(filled(await codeOf(plain.url))));

test("the one on the demo's page for developers", async () => paste(await codeOf(`${demo.url}/demo/developers`)));

test("the one that `store create` prints", async () => {
  const text = await plain.storeAsText();
  // It names the address that a server has by default.
  await paste(text.slice(text.indexOf("<script")).replace(/http:\/\/[^/"]+(?=\/sdk)/, plain.url));
});

for (const file of ["docs/elements.md", "docs/quickstart.md"]) {
  test(`the one in ${file}`, async () => {
    const text = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
    const [snippet] = text.match(/<!doctype html>[^]*?(?=^END)|<script src[^]*?(?=^```)/m);
    await paste(filled(snippet));
  });
}
