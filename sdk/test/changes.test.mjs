import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";

const { changeOf, partsOf } = await source("changes");

test("a change names its items in one of several forms", () => {
  const item = { epi: 1, empi: 2, du: "d" };
  assert.deepEqual(changeOf({ ...item, lid: "l" }), { lid: "l", items: [{ ...item, lid: "l" }], ifversion: undefined, single: true });
  assert.deepEqual(changeOf({ items: item, ifversion: 3 }), { lid: undefined, items: [item], ifversion: 3, single: true });
  assert.deepEqual(changeOf({ items: [item, item], lid: "l" }).items.length, 2);
  assert.equal(changeOf({ items: [item] }).single, false);
});

test("no items, or one without an id, is an error that says what to pass", () => {
  for (const wrong of [{}, { items: [] }, { items: null }, { items: [null] }, { items: [{ empi: 1 }] }]) {
    assert.throws(() => changeOf(wrong), { code: "invalid-parameter", message: /\{epi, empi, du\}/ }, JSON.stringify(wrong));
  }
});

test("parts have at most 200 items and 100,000 characters, and keep the order", () => {
  const items = Array.from({ length: 450 }, (_, epi) => ({ epi }));
  assert.deepEqual(partsOf(items).map((part) => part.length), [200, 200, 50]);
  assert.deepEqual(partsOf(items).flat(), items);
  const large = Array.from({ length: 5 }, () => ({ cprops: "x".repeat(40_000) }));
  assert.deepEqual(partsOf(large).map((part) => part.length), [2, 2, 1]);
  assert.deepEqual(partsOf([{ cprops: "x".repeat(200_000) }]).length, 1, "too large for any part: the server says so");
});
