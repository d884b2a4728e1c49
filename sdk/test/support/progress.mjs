// Loaded before each test file: ends it when no test has begun or finished for so long. A slow machine may take its time, a
// test that hangs fails, and the files after it still run. Most hang in a step that ends sooner, see patience.mjs.
import { afterEach, beforeEach } from "node:test";

const LIMIT = 15 * 60_000;
let timer;

/** For tests that compute for long: a part of one is done. */
export function progress(what) {
  clearTimeout(timer);
  // Does not keep the process running, but ends one that something else keeps.
  timer = setTimeout(stalled, LIMIT, what).unref();
}

function stalled(what) {
  console.error(`No progress for ${LIMIT / 60_000} minutes, ${what}.`);
  process.exit(1);
}

// The process that runs the files loads this module too.
if (process.env.NODE_TEST_CONTEXT) {
  progress("before the first test");
  beforeEach((test) => progress(`in the test "${test.name}"`));
  afterEach((test) => progress(`after the test "${test.name}"`));
}
