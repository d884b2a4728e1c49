// What shoppers do, in each browser: the same journeys in Chromium and in Firefox.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { launchFirefox } from "./support/firefox.mjs";
import { openFixtureIn, sees } from "./support/fixture.mjs";
import { until } from "./support/patience.mjs";
import { demoServer } from "./support/server.mjs";
import { openThemeShop, sent } from "./support/theme.mjs";

const DU = "https://shop.example/p";
const SOLD_OUT = "storm-lantern";
let people = 0;
const somebody = () => `journey-${(people += 1)}@example.com`;

const press = (page, epi) => page.evaluate(([epi, du]) => wishbone.items.toggle({ epi, empi: 1, du }), [epi, DU]);
const hearts = (page, ...epis) =>
  page.evaluate(async (epis) => {
    const lids = await wishbone.items.contains({ epis, lty: "wl" });
    return epis.filter((epi) => lids[epi].length > 0);
  }, epis);
const identity = (page) => page.evaluate(() => wishbone.shopper.current());

for (const [name, open] of Object.entries({ Chromium: launch, Firefox: launchFirefox })) {
  describe(name, () => {
    let demo, shop, themes;

    before(async () => {
      demo = await demoServer();
      shop = await openFixtureIn(await open());
      themes = await openThemeShop(shop);
    });

    after(async () => {
      await themes?.close();
      await shop?.close();
      await demo?.stop();
    });

    beforeEach(() => {
      shop.proxy.calls.length = 0;
      shop.proxy.fault = () => undefined;
    });

    const profile = () => shop.browser.newContext();
    const epis = async (shopper) => (await shop.lists(shopper)).map(({ epis }) => epis.sort());

    test("hearts as a guest", async () => {
      const context = await profile();
      const page = await shop.visit({ context });
      assert.deepEqual(await hearts(page, 1, 2), []);
      await press(page, 1);
      await press(page, 2);
      await press(page, 1);
      const next = await shop.visit({ context });
      assert.deepEqual(await hearts(next, 1, 2), [2]);
      assert.deepEqual([page.uncaught, next.uncaught], [[], []]);
    });

    test("a theme of an older script: its button, its wishlist, its cart", async () => {
      const context = await profile();
      const page = await themes.visit("collection", { context });
      await page.evaluate(() => document.querySelector("#lamp i").click());
      await page.waitForFunction(() => document.querySelector("#lamp.old-added"));
      await sent(page);
      const list = await themes.visit("wishlist", { context });
      await list.waitForFunction(() => document.querySelector(".add-to-cart"));
      assert.equal(await list.evaluate(() => document.querySelector(".price").textContent), "€ 39.90");
      await list.evaluate(() => document.querySelector(".add-to-cart").click());
      await list.waitForFunction(() => /Added 4711/.test(document.body.textContent));
      assert.deepEqual([page.uncaught, list.uncaught], [[], []]);
    });

    test("custom elements: a heart, its list, a dialog, undo, the drawer", async () => {
      const heart = '<wishbone-heart epi="4" empi="1" du="https://shop.example/p" dt="Lamp" pr="12"></wishbone-heart>';
      const html = `${heart}<wishbone-list currency="EUR"></wishbone-list><wishbone-lists></wishbone-lists>`;
      const attributes = { ...(await shop.shopper(somebody())), load: "elements" };
      const page = await shop.visit({ context: await profile(), attributes, before: html });
      const has = (host, selector) =>
        page.waitForFunction(([host, selector]) => document.querySelector(host)?.shadowRoot?.querySelector(selector), [host, selector]);
      const click = async (host, selector) => {
        await has(host, selector);
        await page.evaluate(([host, selector]) => document.querySelector(host).shadowRoot.querySelector(selector).click(), [host, selector]);
      };
      await click("wishbone-heart", "button");
      await has("wishbone-heart", '[aria-pressed="true"]');
      await has("wishbone-list", "[data-epi='4']");
      assert.equal(await page.evaluate(() => document.querySelector("wishbone-list").shadowRoot.querySelector(".price").textContent), "€12.00");
      await click("wishbone-list", ".edit");
      await has("wishbone-list", "dialog:modal form");
      await page.evaluate(() => {
        const form = document.querySelector("wishbone-list").shadowRoot.querySelector("dialog form");
        form.elements.note.value = "for the hall";
        form.requestSubmit();
      });
      await has("wishbone-list", ".note");
      await click("wishbone-list", ".remove");
      await has("wishbone-heart", '[aria-pressed="false"]');
      await click("wishbone-toasts", ".toast-action");
      await has("wishbone-heart", '[aria-pressed="true"]');
      await has("wishbone-list", ".note");
      await click("wishbone-lists", ".open");
      await has("wishbone-lists", "dialog:modal .show");
      assert.deepEqual(await epis(attributes), [[4]]);
      assert.deepEqual(page.uncaught, []);
    });

    test("log in and merge", async () => {
      const email = somebody();
      const known = await shop.shopper(email);
      const phone = await shop.visit({ context: await profile(), attributes: known });
      await press(phone, 1);
      const page = await shop.visit({ context: await profile() });
      await press(page, 2);
      const guest = await identity(page);
      await page.evaluate((token) => wishbone.shopper.login(token), shop.token(guest.regid, email));
      assert.deepEqual(await hearts(page, 1, 2), [1, 2]);
      assert.deepEqual(await epis(known), [[1, 2]]);
      await page.evaluate(() => wishbone.logout());
      assert.deepEqual(await hearts(page, 1, 2), [], "the next shopper on this device");
    });

    test("share a list and open it as a visitor", async () => {
      const page = await shop.visit({ context: await profile(), attributes: await shop.shopper(somebody()) });
      await press(page, 1);
      const key = await page.evaluate(async () => {
        const [{ lid }] = await wishbone.lists.fetch();
        return (await wishbone.sharing.createLink({ lid })).key;
      });
      const visitor = await shop.visit({ context: await profile() });
      const open = () =>
        visitor.evaluate(async (lid) => {
          const page = await wishbone.lists.page({ lid, shared: true }).catch(({ code }) => ({ code }));
          return page.code || [page.list.canEdit, page.items.map(({ epi }) => epi)];
        }, key);
      assert.deepEqual(await open(), [false, [1]]);
      await page.evaluate((key) => wishbone.lists.fetch().then(([{ lid }]) => wishbone.sharing.revokeLink({ lid, key })), key);
      assert.equal(await open(), "list-not-found");
    });

    test("save for later and back", async () => {
      const page = await shop.visit({ context: await profile() });
      const seen = await page.evaluate(async (du) => {
        const { saveForLater } = wishbone;
        const saved = async () => (await saveForLater.fetch()).items.map(({ epi }) => epi);
        await saveForLater.add({ items: [{ epi: 1, empi: 1, du }, { epi: 2, empi: 1, du }] });
        const both = await saved();
        await saveForLater.movedToCart({ epi: 1 });
        return [both.sort(), await saved()];
      }, DU);
      assert.deepEqual(seen, [[1, 2], [2]]);
      assert.deepEqual(await hearts(page, 2), []);
    });

    test("two tabs in step", async () => {
      const context = await profile();
      const [first, second] = [await shop.visit({ context }), await shop.visit({ context })];
      assert.deepEqual(await hearts(second, 1), []);
      await press(first, 1);
      await sees(second, "added");
      assert.deepEqual(await hearts(second, 1), [1]);
      await second.evaluate(() => wishbone.logout());
      await sees(first, "logout");
      assert.equal(await identity(first), null);
    });

    test("notify me, confirm, restock, mail", async () => {
      const { url } = demo;
      const address = somebody();
      const mails = async () => {
        const all = await (await fetch(`${url}/demo/mails`)).json();
        return all.filter(({ to }) => to === address);
      };
      const page = await (await profile()).newPage();
      await page.goto(`${url}/demo/products/${SOLD_OUT}`);
      // Not waitForFunction: it evaluates text in the page, which the demo's content security policy forbids.
      await until(() => page.evaluate(() => !!document.querySelector("wishbone-notify").shadowRoot?.querySelector("form")));
      await page.evaluate((address) => {
        const form = document.querySelector("wishbone-notify").shadowRoot.querySelector("form");
        form.querySelector("input[type=email]").value = address;
        form.requestSubmit();
      }, address);
      await until(async () => (await mails()).length === 1);
      const [{ text }] = await mails();
      const confirmation = await (await profile()).newPage();
      await confirmation.goto(text.match(/http\S+\/mail\/confirm\?\S+/)[0]);
      await confirmation.evaluate(() => document.querySelector("form button").click());
      // While the next page loads, there is nothing to evaluate in.
      await until(() => confirmation.evaluate(() => !document.querySelector("form")).catch(() => false));
      await page.evaluate(() => document.querySelector("[data-restock]").click());
      await until(async () => (await mails()).length === 2);
      const [alert] = await mails();
      assert.match(alert.subject, /^Back in stock/);
      assert.ok(alert.text.includes(`/demo/products/${SOLD_OUT}`), alert.text);
    });

    test("offline and back, over a reload", async () => {
      const context = await profile();
      const page = await shop.visit({ context });
      await press(page, 1);
      shop.proxy.fault = () => "refuse";
      await page.evaluate((du) => void wishbone.items.add({ epi: 2, empi: 1, du }), DU);
      await sees(page, "queued");
      await page.reload();
      assert.deepEqual(await page.evaluate(() => wishbone.queued().map(({ args }) => args.epi)), [2]);
      shop.proxy.fault = () => undefined;
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await until(async () => (await page.evaluate(() => wishbone.queued().length)) === 0);
      assert.deepEqual(await epis(await identity(page)), [[1, 2]]);
    });

    test("a slow network, and one that loses answers", async () => {
      const page = await shop.visit({ context: await profile() });
      const faults = ["lose", [502, "<h1>Bad gateway</h1>"], new Promise((resolve) => setTimeout(resolve, 300))];
      shop.proxy.fault = ({ name }) => (name === "lists/update-ctx" ? faults.shift() : undefined);
      assert.deepEqual(await press(page, 1), { added: true });
      assert.deepEqual(faults, []);
      assert.equal(new Set(shop.proxy.of("lists/update-ctx").map(({ key }) => key)).size, 1);
      assert.deepEqual(await epis(await identity(page)), [[1]]);
    });

    test("a server that is restarted in the middle", async () => {
      const page = await shop.visit({ context: await profile() });
      await press(page, 1);
      await shop.server.halt();
      await page.evaluate((du) => void (window.added = wishbone.items.add({ epi: 2, empi: 1, du })), DU);
      await sees(page, "queued");
      await shop.server.resume();
      await page.evaluate(() => added.then(() => true));
      assert.deepEqual(await epis(await identity(page)), [[1, 2]]);
    });

    test("a heart that is pressed on the phone shows on the laptop", async () => {
      const attributes = { ...(await shop.shopper(somebody())), load: "live" };
      const [phone, laptop] = [
        await shop.visit({ context: await profile(), attributes }),
        await shop.visit({ context: await profile(), attributes }),
      ];
      assert.deepEqual(await hearts(laptop, 1), []);
      await until(() => shop.proxy.open.size === 2);
      await press(phone, 1);
      await until(async () => (await hearts(laptop, 1)).length === 1);
      shop.proxy.cut();
      await press(phone, 1);
      await until(async () => (await hearts(laptop, 1)).length === 0);
    });
  });
}
