// The committed script in a real browser, when the server fails. The failing server is a fake on purpose: a healthy one
// cannot be made to do these things. The script itself comes from a real one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openShop, outcome } from "./support/browser.mjs";
import { failed } from "./support/expect.mjs";
import { openHostile, SLOW_REGISTRATION } from "./support/hostile.mjs";
import { closedPort } from "./support/http.mjs";
import { demoServer } from "./support/server.mjs";

let server, browser, shop, hostile, src;
const loggedIn = { store: "a+b/c=", regid: "r", sessionid: "s" };

before(async () => {
  server = await demoServer();
  src = `${server.url}/sdk/wishbone.js`;
  browser = await launch();
  shop = await openShop(browser);
  hostile = await openHostile();
});

after(async () => {
  await shop?.close();
  await hostile?.close();
  await browser?.close();
  await server?.stop();
});

// Long enough that only a server that hangs can reach it, on a busy machine too.
const PATIENT = 12_000;
const IMPATIENT = 400;
const CALLS = [
  { method: "fetchUserLists" },
  { method: "fetchUserList", options: { lid: "l" } },
  { method: "fetchListWithContents", options: { lid: "l" } },
];

async function failsWith(base, expected, attributes = loggedIn) {
  const timeout = expected.code === "timeout" ? IMPATIENT : PATIENT;
  const page = await shop.visit({ src, attributes: { ...attributes, base, timeout } });
  const outcomes = await Promise.all(CALLS.map((call) => outcome(page, call)));
  for (const one of outcomes) failed(one, expected);
  assert.deepEqual(page.uncaught, []);
  await page.context().close();
}

const EXPECTED = {
  "html-with-200": { code: "bad-response", httpStatus: 200, retryable: false },
  "html-with-502": { code: "bad-response", httpStatus: 502, retryable: true },
  "broken-json": { code: "bad-response", httpStatus: 200 },
  "empty-200": { code: "bad-response", httpStatus: 200 },
  "null": { code: "bad-response", httpStatus: 200 },
  "empty-object": { code: "bad-response", httpStatus: 200 },
  "array": { code: "bad-response", httpStatus: 200 },
  "data-missing": { code: "bad-response", httpStatus: 200 },
  "data-no-array": { code: "bad-response", httpStatus: 200 },
  "data-of-nulls": { code: "bad-response", httpStatus: 200 },
  "success-without-status": { code: "bad-response", httpStatus: 200 },
  "no-content": { code: "bad-response", httpStatus: 204 },
  "empty-500": { code: "bad-response", httpStatus: 500, retryable: true },
  "null-401": { code: "bad-response", httpStatus: 401, retryable: false },
  "no-cors": { code: "network", httpStatus: 0, retryable: true },
  "reset": { code: "network", httpStatus: 0, retryable: true },
  "cut-short": { code: "network", httpStatus: 0, retryable: true },
  "hangs": { code: "timeout", httpStatus: 0, retryable: true },
  "hangs-in-the-body": { code: "timeout", httpStatus: 0, retryable: true },
};

for (const [failure, expected] of Object.entries(EXPECTED)) {
  test(`${failure}: onError once, for a shopper and for a guest`, async () => {
    await failsWith(`${hostile.url}/${failure}`, expected);
    await failsWith(`${hostile.url}/${failure}`, expected, { store: loggedIn.store });
  });
}

test("a server that is not there: onError once", async () => {
  const base = await closedPort();
  await failsWith(base, { code: "network", httpStatus: 0, retryable: true });
  await failsWith(base, { code: "network", httpStatus: 0, retryable: true }, { store: loggedIn.store });
});

test("a registration that gives no guest: onError once", async () => {
  await failsWith(`${hostile.url}/register-nonsense`, { code: "bad-response", httpStatus: 200 }, { store: "p" });
});

test("a server that refuses every guest is asked twice and no more", async () => {
  const base = `${hostile.url}/refuses-every-guest`;
  const page = await shop.visit({ src, attributes: { store: "p", base } });
  hostile.requests.length = 0;
  failed(await outcome(page), { code: "bad-regid", httpStatus: 401 });
  const paths = hostile.requests.map(({ path }) => path.split("/").pop());
  assert.deepEqual(paths, ["register", "fetch-user-lists", "register", "fetch-user-lists"]);
});

test("a refused shopper is asked once: no guest takes the place", async () => {
  const page = await shop.visit({ src, attributes: { ...loggedIn, base: `${hostile.url}/refuses-every-guest` } });
  hostile.requests.length = 0;
  failed(await outcome(page), { code: "bad-regid", httpStatus: 401 });
  assert.deepEqual(hostile.requests.map(({ path }) => path.split("/").pop()), ["fetch-user-lists"]);
});

test("the timeout is of the whole call, also where a guest is registered first", async () => {
  const timeout = 3 * SLOW_REGISTRATION;
  const base = `${hostile.url}/hangs-after-a-slow-registration`;
  const page = await shop.visit({ src, attributes: { store: "p", base, timeout } });
  // Timers end in their order, however busy the machine is.
  const first = await page.evaluate((later) => {
    const ended = wishbone.wishlist.fetchUserLists().then(() => "success", (error) => error.code);
    return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, later, "later"))]);
  }, timeout + SLOW_REGISTRATION / 2);
  assert.equal(first, "timeout");
});

test("what goes over the wire: a form, no preflight, no cookies", async () => {
  const page = await shop.visit({ src, attributes: { ...loggedIn, base: `${hostile.url}/empty-object` } });
  await page.context().addCookies([{ name: "secret", value: "1", url: hostile.url }]);
  hostile.requests.length = 0;
  await outcome(page, { method: "fetchListWithContents", options: { lid: "a b&c", limit: 10, offset: 0 } });
  const all = { lid: "l", next: "t", itemslimit: 50, sortby: "price", sortorder: "asc", filterby: "instock" };
  await outcome(page, { method: "fetchUserList", options: all });
  assert.deepEqual(
    hostile.requests.map(({ method, url, body }) => [method, url, body]),
    [
      [
        "POST",
        "/empty-object/api/v3/lists/fetch-list-with-contents?pid=a%2Bb%2Fc%3D&limit=10&offset=0",
        "regid=r&sessionid=s&lid=a+b%26c",
      ],
      [
        "POST",
        "/empty-object/api/v3/lists/fetch-user-list?pid=a%2Bb%2Fc%3D",
        "regid=r&sessionid=s&lid=l&next=t&itemslimit=50&sortby=price&sortorder=asc&filterby=instock",
      ],
    ],
  );
  for (const { headers } of hostile.requests) {
    assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
    assert.equal(headers["accept"], "application/json");
    assert.equal(headers["cookie"], undefined);
  }
});
