import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";

const { isTransient, pauseAfter, retrying, unreachable, WishboneError } = await source("retry", "errors");

/** Time that passes only while something waits. */
function fakeClock() {
  const pauses = [];
  let time = 0;
  const wait = async (milliseconds) => {
    pauses.push(milliseconds);
    time += milliseconds;
  };
  return { pauses, clock: { now: () => time, random: () => 1, wait } };
}

/** Fails with each of the errors in turn, then succeeds. */
function failing(...errors) {
  let attempts = 0;
  const attempt = async () => {
    const error = errors[attempts++];
    if (error) throw error;
    return "done";
  };
  return { attempt, attempts: () => attempts };
}

const network = unreachable("https://lists.example");
const answered = (httpStatus, code, retryAfter = 0) => new WishboneError(code, "no", { httpStatus, retryAfter });

test("a failure that may pass is repeated, with pauses that double", async () => {
  const { clock, pauses } = fakeClock();
  const { attempt, attempts } = failing(network, network, network);
  assert.equal(await retrying(attempt, { attempts: 4, within: 60_000 }, clock), "done");
  assert.equal(attempts(), 4);
  assert.deepEqual(pauses, [250, 500, 1000]);
});

test("attempts are bounded, in number and in time", async () => {
  for (const [patience, expected] of [[{ attempts: 2, within: 60_000 }, 2], [{ attempts: 9, within: 800 }, 3]]) {
    const { attempt, attempts } = failing(...Array(10).fill(network));
    await assert.rejects(retrying(attempt, patience, fakeClock().clock), { code: "network" });
    assert.equal(attempts(), expected);
  }
});

test("the time that the server asks for is waited, or the call fails at once", async () => {
  const { clock, pauses } = fakeClock();
  const busy = answered(503, "overloaded", 2);
  await retrying(failing(busy).attempt, { attempts: 3, within: 15_000 }, clock);
  assert.ok(pauses[0] >= 2000);
  const { attempt, attempts } = failing(answered(503, "maintenance", 60));
  await assert.rejects(retrying(attempt, { attempts: 3, within: 15_000 }, clock), { code: "maintenance" });
  assert.equal(attempts(), 1);
});

test("what is wrong with the call itself is not repeated", async () => {
  const { attempt, attempts } = failing(answered(404, "list-not-found"));
  await assert.rejects(retrying(attempt, { attempts: 3, within: 15_000 }, fakeClock().clock), { code: "list-not-found" });
  assert.equal(attempts(), 1);
});

test("which failures may pass", () => {
  const transient = [network, answered(0, "timeout"), answered(503, "overloaded", 1), answered(503, "maintenance", 60)];
  transient.push(answered(502, "bad-response"), answered(504, "bad-response"), answered(500, "outcome-unknown"));
  transient.push(answered(429, "rate-limited", 1));
  for (const error of transient) assert.ok(isTransient(error), `${error.httpStatus} ${error.code}`);
  const final = [answered(429, "rate-limited", 3600), answered(500, "internal"), answered(200, "bad-response")];
  final.push(answered(401, "bad-regid"), answered(0, "not-configured"), new Error("a bug"), undefined);
  for (const error of final) assert.ok(!isTransient(error), `${error?.code}`);
});

test("pauses differ between browsers and have a longest", () => {
  assert.equal(pauseAfter(3, 0, () => 0), 500);
  assert.equal(pauseAfter(3, 0, () => 1), 1000);
  assert.equal(pauseAfter(40, 0, () => 1), 60_000);
});
