import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";
import { memoryStorage } from "./support/storage.mjs";

const { Identities } = await source("identity");

/** Registers guest-1, guest-2 …; `open()` lets waiting registrations go through. */
function registrar() {
  let count = 0;
  const waiting = [];
  const register = () =>
    new Promise((resolve) => {
      count += 1;
      const guest = { regid: `guest-${count}`, sessionid: "s" };
      waiting.push(() => resolve(guest));
    });
  const open = () => waiting.splice(0).forEach((go) => go());
  return { register, open, count: () => count };
}

const now = (regid) => async () => ({ regid, sessionid: "s" });

test("calls at the same time share one registration", async () => {
  const storage = memoryStorage();
  const guests = new Identities(() => storage);
  const { register, open, count } = registrar();
  const three = [guests.get("k", register), guests.get("k", register), guests.get("k", register)];
  open();
  assert.deepEqual((await Promise.all(three)).map((guest) => guest.regid), ["guest-1", "guest-1", "guest-1"]);
  assert.equal(count(), 1);
});

test("a guest is kept for the next visit, per server and store", async () => {
  const storage = memoryStorage();
  await new Identities(() => storage).get("k", now("a"));
  assert.equal((await new Identities(() => storage).get("k", now("b"))).regid, "a");
  assert.equal((await new Identities(() => storage).get("other", now("b"))).regid, "b");
});

test("of two tabs that register at once, both end as the first one's guest", async () => {
  const storage = memoryStorage();
  const { register, open } = registrar();
  const tabs = [new Identities(() => storage), new Identities(() => storage)];
  const both = tabs.map((tab) => tab.get("k", register));
  open();
  assert.deepEqual((await Promise.all(both)).map((guest) => guest.regid), ["guest-1", "guest-1"]);
});

test("without storage the guest lasts as long as the page", async () => {
  const refuse = () => {
    throw new Error("SecurityError");
  };
  const full = { getItem: () => null, setItem: refuse, removeItem: refuse };
  for (const storage of [refuse, () => undefined, () => full]) {
    const guests = new Identities(storage);
    assert.equal((await guests.get("k", now("a"))).regid, "a");
    assert.equal((await guests.get("k", now("b"))).regid, "a");
    assert.equal((await guests.replace("k", { regid: "a" }, now("c"))).regid, "c");
    guests.forget("k");
    assert.equal((await guests.get("k", now("d"))).regid, "d");
  }
});

test("rubbish in storage is no guest", async () => {
  for (const rubbish of ["", "{", "null", "[]", '{"regid":""}', '{"regid":1,"sessionid":"s"}']) {
    const storage = memoryStorage();
    storage.setItem("k", rubbish);
    assert.equal((await new Identities(() => storage).get("k", now("a"))).regid, "a", rubbish);
  }
});

test("calls that find the guest unknown replace it once between them", async () => {
  const storage = memoryStorage();
  const guests = new Identities(() => storage);
  const old = await guests.get("k", now("old"));
  const { register, open, count } = registrar();
  const two = [guests.replace("k", old, register), guests.replace("k", old, register)];
  open();
  assert.deepEqual((await Promise.all(two)).map((guest) => guest.regid), ["guest-1", "guest-1"]);
  assert.equal((await guests.replace("k", old, register)).regid, "guest-1", "a late one finds it replaced");
  assert.equal(count(), 1);
});

test("a failed registration is not remembered", async () => {
  const storage = memoryStorage();
  const guests = new Identities(() => storage);
  await assert.rejects(guests.get("k", async () => Promise.reject(new Error("down"))), /down/);
  assert.equal((await guests.get("k", now("a"))).regid, "a");
});

test("a registration that logout overtakes leaves nothing behind", async () => {
  const storage = memoryStorage();
  const guests = new Identities(() => storage);
  const { register, open } = registrar();
  const before = guests.get("k", register);
  guests.forget("k");
  const after = guests.get("k", register);
  open();
  await before;
  assert.equal((await after).regid, "guest-2");
  assert.match(storage.kept.get("k"), /guest-2/);
});

test("a call that a logout has stopped registers nobody", async () => {
  const { Session } = await source("session");
  const sent = [];
  const transport = { post: async ({ path }) => sent.push(path) };
  const session = new Session(new Identities(() => memoryStorage()), transport, () => {});
  session.settings = { base: "https://lists.example", store: "pid", regid: "", sessionid: "", timeout: 1_000 };
  const stopped = () => {
    throw new Error("stopped");
  };
  await assert.rejects(session.send({ path: "lists/create" }, "key", stopped), /stopped/);
  assert.deepEqual(sent, []);
});

test("a logged-in shopper is kept like a guest, and looking registers nobody", async () => {
  const storage = memoryStorage();
  const identities = new Identities(() => storage);
  assert.equal(identities.peek("shopper"), undefined);
  identities.keep("shopper", { regid: "ann", sessionid: "s", more: 1 });
  assert.deepEqual(new Identities(() => storage).peek("shopper"), { regid: "ann", sessionid: "s" });
  identities.forget("shopper");
  assert.equal(storage.length, 0);
});
