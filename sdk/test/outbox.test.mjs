import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";
import { forbiddenStorage, memoryStorage } from "./support/storage.mjs";

const { MAX_ENTRIES, Outbox } = await source("outbox");

const write = (key, args = {}) => ({ key, name: "items.add", args });
const keys = (outbox, scope = "s") => outbox.all(scope).map(({ key }) => key);

test("entries keep their order, also of two tabs, after a reload, and with a clock that was set back", () => {
  const storage = memoryStorage();
  const [first, second] = [new Outbox(() => storage), new Outbox(() => storage)];
  first.add("s", write("z"), 2_000_000_000_000);
  second.add("s", write("y"), 2_000_000_000_000);
  first.add("s", write("x"), 1_000_000_000_000);
  assert.deepEqual(keys(new Outbox(() => storage)), ["z", "y", "x"]);
});

test("each scope has its own, and removing one leaves the others", () => {
  const storage = memoryStorage();
  const outbox = new Outbox(() => storage);
  for (const [scope, key] of [["s", "a"], ["s", "b"], ["s t", "c"]]) outbox.add(scope, write(key), 1_700_000_000_000);
  outbox.remove("s", "a");
  assert.deepEqual([keys(outbox), keys(outbox, "s t")], [["b"], ["c"]]);
  outbox.clear("s");
  assert.deepEqual([keys(outbox), keys(outbox, "s t")], [[], ["c"]]);
});

test("without storage, or where it is full, entries last as long as the page, in order", () => {
  const full = { ...memoryStorage(), setItem: forbiddenStorage };
  for (const storage of [forbiddenStorage, () => full, () => undefined]) {
    const outbox = new Outbox(storage);
    const args = { epi: 1 };
    outbox.add("s", write("a", args), 1);
    args.epi = 2;
    outbox.add("s", write("b"), 1);
    assert.deepEqual(keys(outbox), ["a", "b"]);
    assert.equal(outbox.all("s")[0].args.epi, 1, "what the page changes later is not part of it");
    outbox.remove("s", "a");
    assert.deepEqual(keys(outbox), ["b"]);
  }
});

test("a write too large for storage is not stored, and no later one overtakes it", () => {
  const storage = memoryStorage();
  const outbox = new Outbox(() => storage);
  outbox.add("s", write("small"), 1_700_000_000_000);
  outbox.add("s", write("large", "x".repeat(300_000)), 1_700_000_000_000);
  outbox.add("s", write("late"), 1_700_000_000_000);
  assert.deepEqual(keys(outbox), ["small", "large", "late"]);
  assert.deepEqual(keys(new Outbox(() => storage)), ["small"]);
});

test("the number is bounded", () => {
  const storage = memoryStorage();
  const outbox = new Outbox(() => storage);
  for (let count = 0; count < MAX_ENTRIES; count++) assert.ok(outbox.add("s", write(`k${count}`), 1_700_000_000_000));
  assert.equal(outbox.add("s", write("one too many"), 1_700_000_000_000), undefined);
  outbox.remove("s", "k0");
  assert.ok(outbox.add("s", write("fits"), 1_700_000_000_000));
});

test("rubbish in storage is no entry", () => {
  const storage = memoryStorage();
  for (const rubbish of ["", "{", "null", "[]", "{}", '{"key":1}']) storage.setItem(`wishbone.queue s|1 ${rubbish}`, rubbish);
  assert.deepEqual(new Outbox(() => storage).all("s"), []);
});
