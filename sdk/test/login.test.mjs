// Guests who log in: with a token of the shop's server, with an identity of the shop's server, and out again.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { names, openFixture, sees } from "./support/fixture.mjs";

const DU = "https://shop.example/p";
let shop;

before(async () => {
  shop = await openFixture();
});

after(() => shop?.close());

beforeEach(() => {
  shop.proxy.fault = () => undefined;
});

let people = 0;
const somebody = () => `person-${(people += 1)}@example.com`;
const add = (page, epi) => page.evaluate(([epi, du]) => wishbone.items.add({ epi, empi: 1, du }), [epi, DU]);
const identity = (page) => page.evaluate(() => wishbone.shopper.current());

/** Lets pages ask the shop's server for a token, as their code would. */
async function visit(email, options = {}) {
  const context = options.context || (await shop.browser.newContext());
  const page = await shop.visit({ ...options, context });
  await page.exposeFunction("sign", (regid) => shop.token(regid, email));
  return page;
}
const login = (page) => page.evaluate(() => wishbone.shopper.login(({ regid }) => sign(regid)));

test("a login merges the guest's lists, and the shopper is known on the next page", async () => {
  const email = somebody();
  const known = await shop.shopper(email);
  const elsewhere = await shop.visit({ attributes: known });
  await add(elsewhere, 1);

  const page = await visit(email);
  await add(page, 2);
  await page.evaluate(() => wishbone.items.contains(1));
  const guest = await identity(page);
  const shopper = await login(page);
  assert.deepEqual([guest.from, shopper.from, shopper.regid], ["guest", "login", known.regid]);
  assert.deepEqual((await shop.lists(shopper)).map(({ epis }) => epis.sort()), [[1, 2]]);
  assert.equal((await page.evaluate(() => wishbone.items.contains(1))).length, 1, "answers about the guest are forgotten");
  assert.ok((await names(page)).includes("login"));
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), new RegExp(guest.regid));

  const next = await shop.visit({ context: page.context() });
  assert.equal((await identity(next)).regid, known.regid);
  await add(next, 3);
  assert.deepEqual((await shop.lists(shopper)).map(({ epis }) => epis.sort()), [[1, 2, 3]]);
});

test("a token without a function, with callbacks", async () => {
  const email = somebody();
  const page = await visit(email);
  const { regid } = await page.evaluate(() => wishbone.shopper.identity());
  const shopper = await page.evaluate(
    (token) => new Promise((resolve, reject) => wishbone.shopper.login(token, resolve, reject)),
    shop.token(regid, email),
  );
  assert.equal(shopper.regid, (await shop.shopper(email)).regid);
});

test("what waits in the queue is the guest's, and part of the merge", async () => {
  const email = somebody();
  const page = await visit(email);
  shop.proxy.fault = ({ name }) => name === "lists/update-ctx" && "refuse";
  await page.evaluate((du) => void wishbone.items.add({ epi: 7, empi: 1, du }), DU);
  await sees(page, "queued");
  const code = await page.evaluate(() => wishbone.shopper.login(({ regid }) => sign(regid)).catch((error) => error.code));
  assert.equal(code, "network", "a login that would lose it does not happen");
  assert.equal((await identity(page)).from, "guest");
  shop.proxy.fault = () => undefined;
  await page.evaluate(() => dispatchEvent(new Event("online")));
  const shopper = await login(page);
  assert.deepEqual((await shop.lists(shopper)).map(({ epis }) => epis), [[7]]);
});

test("a wrong token is an error, and the guest stays", async () => {
  const page = await visit(somebody());
  const error = await page.evaluate(async () => {
    const token = { extuid: 1, useremail: "ann@example.com", expires: Date.now() + 1000, token: "x" };
    return wishbone.shopper.login(token).catch(({ code, httpStatus }) => [code, httpStatus]);
  });
  assert.deepEqual(error, ["forbidden", 403]);
  assert.equal((await identity(page)).from, "guest");
});

test("other tabs change with the login and the logout", async () => {
  const email = somebody();
  const page = await visit(email);
  const other = await shop.visit({ context: page.context() });
  await add(page, 1);
  await login(page);
  await sees(other, "login");
  assert.equal((await identity(other)).from, "login");
  await add(other, 2);
  await other.evaluate(() => wishbone.logout());
  await sees(page, "logout");
  assert.deepEqual([await identity(page), await identity(other)], [null, null]);
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage)), "{}");
});

test("calls of the guest that a login overtakes fail, and are not made as the shopper", async () => {
  const email = somebody();
  const page = await visit(email);
  await add(page, 1);
  let release;
  shop.proxy.fault = ({ name }) => /contains|user-lists/.test(name) && new Promise((resolve) => (release = resolve));
  const codes = await page.evaluate(async (du) => {
    const { lists, items, shopper } = wishbone;
    let calls;
    await shopper.login(({ regid }) => {
      calls = [lists.fetch(), items.toggle({ epi: 9, empi: 1, du })].map((call) => call.catch((error) => error.code));
      return sign(regid);
    });
    return Promise.all(calls);
  }, DU);
  assert.deepEqual(codes, ["identity-changed", "identity-changed"]);
  shop.proxy.fault = () => undefined;
  release([200, JSON.stringify({ status: "success", data: {} })]);
  await add(page, 2);
  assert.deepEqual((await shop.lists(await identity(page))).map(({ epis }) => epis), [[2, 1]]);
});

test("a shopper whose sessions were revoked is a guest again, and told so once", async () => {
  const email = somebody();
  const page = await visit(email);
  await add(page, 1);
  await login(page);
  await shop.revoke(email);
  const error = await page.evaluate(() => wishbone.lists.fetch().catch(({ code, message }) => [code, message]));
  assert.equal(error[0], "bad-regid");
  assert.match(error[1], /log in again/);
  assert.ok((await names(page)).includes("logout"));
  assert.deepEqual(await page.evaluate(() => wishbone.lists.fetch()), []);
});

test("an identity from the shop's server wins over the stored one, and init tells the page", async () => {
  const email = somebody();
  const page = await visit(email);
  await login(page);
  const bob = await shop.shopper(somebody());
  await page.evaluate((bob) => wishbone.init(bob), bob);
  assert.deepEqual(await identity(page), { ...bob, from: "page" });
  await page.evaluate(() => wishbone.init({ regid: null }));
  assert.equal((await identity(page)).from, "login");
  assert.deepEqual((await names(page)).filter((name) => /^log/.test(name)), ["login", "login", "logout"]);
});
