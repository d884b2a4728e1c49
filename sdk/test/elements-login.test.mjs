// What a shopper sees of a login: the list on the screen, the hearts, and where the guest's items are.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openElements, product, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const LIST = "<wishbone-list></wishbone-list>";
const shows = (page, expected) =>
  page.waitForFunction((expected) => {
    const all = [...(document.querySelector("wishbone-list")?.shadowRoot?.querySelectorAll("li[data-epi]") || [])];
    return JSON.stringify(all.map((item) => Number(item.dataset.epi))) === expected;
  }, JSON.stringify(expected));
const add = (page, epi, lname) =>
  page.evaluate(
    async ([item, lname]) => {
      const { lid } = await wishbone.lists.ensure(lname ? { lname } : {});
      await wishbone.items.add({ ...item, lid });
      return lid;
    },
    [record(epi), lname],
  );

/** Logs the page's guest in, as the shop's page would. */
async function logIn(page, email) {
  await page.exposeFunction("sign", (regid) => shop.token(regid, email));
  await page.evaluate(() => wishbone.shopper.login(({ regid }) => sign(regid)));
}

test("a guest's default list becomes the shopper's, in whichever language, and a sentence says so", async () => {
  const shopper = await shop.newShopper([1], "Meine Wunschliste");
  const page = await shop.open(`${LIST}<wishbone-heart ${product(2)}></wishbone-heart>`);
  const other = await shop.open(LIST, { context: page.context() });
  const heart = page.locator("wishbone-heart button");
  await heart.click();
  await shows(page, [2]);
  await page.getByRole("heading", { name: "My Wishlist" }).waitFor();
  await logIn(page, shopper.email);
  await page.getByRole("status").getByText("The items that you saved before are now in: Meine Wunschliste").waitFor();
  await shows(page, [2, 1]);
  await page.getByRole("heading", { name: "Meine Wunschliste" }).waitFor();
  await heart.and(page.locator('[aria-pressed="true"]')).waitFor();
  assert.deepEqual((await shop.lists(shopper)).map(({ lname, epis }) => [lname, epis]), [["Meine Wunschliste", [2, 1]]]);
  await shows(other, [2, 1]);
  assert.equal(await other.getByText("The items that you saved").count(), 0, "one tab says it");
  assert.deepEqual(page.uncaught, []);
});

test("the list on the screen stays there, also under the id that it had", async () => {
  const shopper = await shop.newShopper([1]);
  const birthday = await shop.fill({ ...shopper, list: "Birthday" }, [5]);
  const page = await shop.open(LIST);
  await add(page, 2, "Garden");
  await shows(page, [2]);
  const lid = await add(page, 6, "birthday");
  await page.evaluate((lid) => {
    const list = document.createElement("wishbone-list");
    list.setAttribute("lid", lid);
    document.body.append(list);
  }, lid);
  const own = page.locator("wishbone-list[lid]");
  await own.locator('li[data-epi="6"]').waitFor();
  await logIn(page, shopper.email);
  await page.getByText("now in: Garden, Birthday").waitFor();
  // Not the shopper's own default list, which is another one.
  await shows(page, [2]);
  await page.getByRole("heading", { name: "Garden" }).waitFor();
  await own.locator('li[data-epi="5"]').waitFor();
  await own.locator('li[data-epi="6"]').waitFor();
  assert.notEqual(lid, birthday);
  await page.evaluate(() => wishbone.logout());
  for (const list of [page.locator("wishbone-list:not([lid])"), own]) await list.getByText("Your wishlist is empty").waitFor();
  assert.deepEqual(page.uncaught, []);
});

test("a guest who has saved nothing brings no list, and nothing is said", async () => {
  const shopper = await shop.newShopper([1], "Wishes");
  const page = await shop.open(LIST);
  await page.evaluate(() => wishbone.lists.ensure());
  await logIn(page, shopper.email);
  await shows(page, [1]);
  assert.deepEqual((await shop.lists(shopper)).map(({ lname }) => lname), ["Wishes"]);
  assert.equal(await page.getByText("The items that you saved").count(), 0);
});

test("the default list has its name in the language of the page, or the one of the shop", async () => {
  const made = async (lang, attributes) => {
    const page = await shop.open("", { attributes });
    await page.evaluate((lang) => (document.documentElement.lang = lang), lang);
    return page.evaluate(async (item) => {
      await wishbone.items.add(item);
      return (await wishbone.lists.fetch())[0].lname;
    }, record(1));
  };
  assert.equal(await made("de_AT"), "Meine Wunschliste");
  assert.equal(await made("fr-CA"), "Ma liste d’envies");
  assert.equal(await made("xx"), "My Wishlist");
  assert.equal(await made("de", { "list-name": "Merkzettel" }), "Merkzettel");
});
