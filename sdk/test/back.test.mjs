// A page that the browser shows again from its back/forward cache.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { product, record } from "./support/elements.mjs";
import { launchFirefox } from "./support/firefox.mjs";
import { openFixtureIn } from "./support/fixture.mjs";
import { until } from "./support/patience.mjs";

const BROWSERS = {
  // Playwright turns the cache off.
  Chromium: () => launch({ ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
  Firefox: launchFirefox,
};

for (const [name, open] of Object.entries(BROWSERS)) {
  describe(name, () => {
    let shop;
    before(async () => {
      shop = await openFixtureIn(await open());
    });
    after(() => shop?.close());

    const prepare = () => {
      window.shows = [];
      addEventListener("pageshow", ({ persisted }) => shows.push(persisted));
      window.heart = () => document.querySelector("wishbone-heart")?.shadowRoot?.querySelector("button");
      window.isPressed = (value) => heart()?.getAttribute("aria-pressed") === value;
    };
    const isPressed = (page, value) => page.waitForFunction((value) => isPressed(value), String(value));

    /** Presses a heart, goes to another page, and after `work` there back again. Returns what the page has seen of it. */
    async function backAfter(work) {
      const attributes = { load: "elements" };
      const page = await shop.visit({ attributes, before: `<wishbone-heart ${product(1)}></wishbone-heart>`, prepare });
      await isPressed(page, false);
      await page.evaluate(() => heart().click());
      await isPressed(page, true);
      await page.waitForFunction(() => wishbone.queued().length === 0);
      // A browser does not keep a page that was left before it was loaded, nor one that waits for an answer.
      for (let calls = -1; calls !== shop.proxy.calls.length || shop.proxy.open.size > 0; ) {
        calls = shop.proxy.calls.length;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      await page.waitForFunction(() => performance.getEntriesByType("navigation")[0].loadEventEnd > 0);
      await page.goto(`${shop.shop.url}/?other`);
      await isPressed(page, true);
      await work(page);
      await page.evaluate(() => history.back()).catch(() => undefined);
      // While a page is being replaced, it cannot be asked.
      await until(() => page.evaluate(() => !location.search).catch(() => false));
      await isPressed(page, false);
      return page.evaluate(() => shows);
    }

    test("a change on the page in between shows", async () => {
      await backAfter((page) => page.evaluate((item) => wishbone.items.remove(item), record(1)));
    });

    test("a change on another device shows, though the page comes from the cache", async () => {
      const shows = await backAfter(async (page) => {
        const shopper = await page.evaluate(() => wishbone.shopper.current());
        const [{ lid }] = await shop.lists(shopper);
        await shop.call(shopper, "lists/update-ctx", { lid, d: [{ epi: 1 }] });
      });
      assert.deepEqual(shows, [false, true]);
    });
  });
}
