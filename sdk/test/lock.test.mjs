import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";
import { forbiddenStorage, memoryStorage } from "./support/storage.mjs";

const { leased } = await source("lock");

/** Time that passes only while something waits; each waiter lets the others go on first. */
function fakeClock() {
  let time = 0;
  let draws = 0;
  return {
    now: () => time,
    random: () => (draws += 1) / 1000,
    wait: async (milliseconds) => {
      await new Promise((resolve) => setImmediate(resolve));
      time += milliseconds;
    },
  };
}

test("tabs take turns", async () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  let inside = 0;
  let turns = 0;
  const work = async () => {
    inside += 1;
    assert.equal(inside, 1);
    await clock.wait(100);
    inside -= 1;
    turns += 1;
  };
  await Promise.all([1, 2, 3].map(() => leased(() => storage, "n", work, clock)));
  assert.equal(turns, 3);
  assert.equal(storage.length, 0);
});

test("a tab that was closed in its turn holds up the others for a while only", async () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  storage.setItem("wishbone.lease n", `gone ${clock.now() + 20_000}`);
  let worked = false;
  await leased(() => storage, "n", async () => void (worked = clock.now() >= 20_000), clock);
  assert.ok(worked);
});

test("without storage the work is done, and what it throws is passed on", async () => {
  let worked = 0;
  await leased(forbiddenStorage, "n", async () => void (worked += 1), fakeClock());
  assert.equal(worked, 1);
  const storage = memoryStorage();
  const failing = async () => Promise.reject(new Error("down"));
  await assert.rejects(leased(() => storage, "n", failing, fakeClock()), /down/);
  assert.equal(storage.length, 0);
});
