import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { source } from "./support/source.mjs";
import { memoryStorage } from "./support/storage.mjs";

const { createSender, Outbox, refused, unreachable } = await source("sender", "outbox", "errors");

const HOUR = 3_600_000;

/** A sender whose writes end as `answer` says, and what happened to them. */
function sending(answer = async () => "done", storage = memoryStorage()) {
  const log = [];
  const state = { scope: "s", answer };
  const outbox = new Outbox(() => storage);
  const sender = createSender(outbox, (_, work) => work(), {
    scope: () => state.scope,
    execute(entry, first) {
      log.push(["execute", entry.key, first]);
      return state.answer(entry);
    },
    once: ({ name }) => name === "create",
    queued: ({ key }) => log.push(["queued", key]),
    synced: () => log.push(["synced"]),
    lost: ({ key }, error) => log.push(["lost", key, error.code]),
    tell: (settled) => log.push(["tell", settled.key]),
  });
  return { sender, log, state, outbox, storage };
}

const offline = async () => {
  throw unreachable("https://lists.example");
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("writes are sent one after the other, in the order of the calls", async () => {
  let inFlight = 0;
  const { sender, log } = sending(async ({ key }) => {
    inFlight += 1;
    assert.equal(inFlight, 1);
    await settled();
    inFlight -= 1;
    return key;
  });
  const answers = await Promise.all(["a", "b", "c"].map((key) => sender.submit("add", {}, key)));
  assert.deepEqual(answers, ["a", "b", "c"]);
  assert.deepEqual(log.map(([, key]) => key), ["a", "b", "c"]);
  assert.deepEqual(sender.pending(), []);
});

test("what finds no server waits, is announced once, and goes out in order with its key", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_700_000_000_000 });
  try {
    const { sender, log, state } = sending(offline);
    const answers = ["a", "b"].map((key) => sender.submit("add", {}, key));
    await settled();
    assert.deepEqual(log, [["execute", "a", true], ["queued", "a"], ["queued", "b"]]);
    const late = sender.submit("add", {}, "c");
    await settled();
    assert.deepEqual(log.slice(3), [["queued", "c"], ["execute", "a", false]]);
    state.answer = async ({ key }) => key;
    mock.timers.tick(60_000);
    assert.deepEqual(await Promise.all([...answers, late]), ["a", "b", "c"]);
    await settled();
    assert.deepEqual(log.slice(5), [["execute", "a", false], ["execute", "b", true], ["execute", "c", true], ["synced"]]);
  } finally {
    mock.timers.reset();
  }
});

test("flush tells whether all was sent", async () => {
  const { sender, state } = sending(offline);
  await sender.flush();
  sender.submit("add", {}, "a");
  await assert.rejects(sender.flush(), { code: "network" });
  state.answer = async () => "done";
  await sender.flush();
  assert.deepEqual(sender.pending(), []);
});

test("a rejected write is dropped: its caller hears of it, or the page if nobody waits", async () => {
  const storage = memoryStorage();
  const before = sending(offline, storage);
  before.sender.submit("add", {}, "a");
  await settled();
  const { sender, log, outbox } = sending(async () => {
    throw refused("list-not-found", "no such list", { httpStatus: 404 });
  }, storage);
  await assert.rejects(sender.submit("add", {}, "b"), { code: "list-not-found" });
  assert.deepEqual(log, [["execute", "a", true], ["tell", "a"], ["lost", "a", "list-not-found"], ["execute", "b", true]]);
  await settled();
  assert.deepEqual(outbox.all("s"), []);
  before.sender.restart();
});

test("a write whose key the server may have forgotten is repeated only if that does no harm", async () => {
  const storage = memoryStorage();
  const outbox = new Outbox(() => storage);
  const old = Date.now() - 25 * HOUR;
  outbox.add("s", { key: "a", name: "create", args: {} }, old);
  outbox.add("s", { key: "b", name: "add", args: {} }, old);
  outbox.add("t", { key: "c", name: "add", args: {} }, Date.now() - 31 * 24 * HOUR);
  const { sender, log, state } = sending(async () => "done", storage);
  await sender.flush();
  assert.deepEqual(log.filter(([what]) => what !== "tell"), [["lost", "a", "expired"], ["execute", "b", true]]);
  log.length = 0;
  state.scope = "t";
  await sender.flush();
  assert.deepEqual(log.filter(([what]) => what !== "tell"), [["lost", "c", "expired"]]);
});

test("a write of another tab settles where it was made", async () => {
  const { sender, log, outbox } = sending(offline);
  const answers = [sender.submit("add", {}, "a"), sender.submit("add", {}, "b").catch((error) => error.code)];
  await settled();
  outbox.clear("s");
  sender.settle({ key: "a", value: "sent elsewhere" });
  sender.settle({ key: "b", error: refused("forbidden", "", {}) });
  sender.settle({ key: "unknown", value: 1 });
  assert.deepEqual(await Promise.all(answers), ["sent elsewhere", "forbidden"]);
  await sender.flush();
  assert.deepEqual(log.slice(3), [["synced"]], "all was sent, though not by this tab");
});

test("another shopper's turn: the page's own writes are dropped, those of earlier pages stay", async () => {
  const { sender, state, outbox, log } = sending(offline);
  outbox.add("s", { key: "earlier", name: "add", args: {} }, Date.now());
  sender.submit("add", {}, "mine");
  await settled();
  state.scope = "t";
  state.answer = async () => "done";
  log.length = 0;
  sender.restart();
  await sender.flush();
  assert.deepEqual([outbox.all("s").map(({ key }) => key), log], [["earlier"], []]);
  state.scope = "s";
  sender.restart();
  await sender.flush();
  assert.deepEqual(outbox.all("s"), []);
});
