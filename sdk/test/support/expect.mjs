import assert from "node:assert/strict";

function only({ seen, result }, kind) {
  assert.equal(seen.length, 1, `one callback, once: ${JSON.stringify(seen)}`);
  assert.equal(seen[0].kind, kind, JSON.stringify(seen[0].value));
  assert.equal(seen[0].late, true, "callbacks come after the call has returned");
  assert.equal(result, "Promise", "a call returns a Promise, with callbacks too");
  return seen[0].value;
}

export const succeeded = (outcome) => only(outcome, "success");

export function failed(outcome, expected) {
  const error = only(outcome, "error");
  assert.equal(error.isError, true);
  assert.equal(error.name, "WishboneError");
  assert.equal(typeof error.requestId, "string");
  assert.notEqual(error.message, "");
  for (const [key, value] of Object.entries(expected)) assert.equal(error[key], value, `${key}: ${error.message}`);
  return error;
}
