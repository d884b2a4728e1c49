import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";

const { Batch } = await source("batch");

/** A batch whose moment ends when the test says so. */
function batched(limit, load = async (keys) => new Map(keys.map((key) => [key, key * 2]))) {
  const loads = [];
  const ends = [];
  const batch = new Batch(
    limit,
    (keys) => {
      loads.push(keys);
      return load(keys);
    },
    (work) => ends.push(work),
  );
  return { batch, loads, end: () => ends.splice(0).forEach((work) => work()) };
}

test("calls of one moment are one load, each key once", async () => {
  const { batch, loads, end } = batched(250);
  const answers = Promise.all([batch.get(1), batch.get(2), batch.get(1)]);
  assert.deepEqual(loads, [], "nothing before the moment ends");
  end();
  assert.deepEqual(await answers, [2, 4, 2]);
  assert.deepEqual(loads, [[1, 2]]);
});

test("the next moment is another load", async () => {
  const { batch, loads, end } = batched(250);
  const first = batch.get(1);
  end();
  const second = batch.get(1);
  end();
  await Promise.all([first, second]);
  assert.deepEqual(loads, [[1], [1]]);
});

test("more keys than the limit are several loads, and one that fails takes only its own along", async () => {
  const { batch, loads, end } = batched(2, async (keys) => {
    if (keys.includes(3)) throw new Error("down");
    return new Map(keys.map((key) => [key, key]));
  });
  const answers = [1, 2, 3, 4, 5].map((key) => batch.get(key).catch((error) => error.message));
  end();
  assert.deepEqual(await Promise.all(answers), [1, 2, "down", "down", 5]);
  assert.deepEqual(loads, [[1, 2], [3, 4], [5]]);
});
