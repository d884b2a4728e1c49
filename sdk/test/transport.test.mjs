import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";

const { encode, read } = await source("transport");
const { isListContents, isUserList, isUserLists } = await source("shapes");

const base = "https://lists.example";
const answer = (httpStatus, text, requestId = "req-1") => ({ httpStatus, requestId, text });
const reading = (httpStatus, text, accepts = isUserLists) => read({ base, accepts }, answer(httpStatus, text));
const failing = (...args) => {
  try {
    reading(...args);
  } catch (error) {
    return error;
  }
  assert.fail("it was accepted");
};

test("a store's pid survives the query", () => {
  assert.equal(encode({ pid: "a+b/c=", limit: 0 }), "pid=a%2Bb%2Fc%3D&limit=0");
});

test("what is absent is not sent", () => {
  assert.equal(encode({ a: undefined, b: null, c: "", d: false, e: 0 }), "d=false&e=0");
});

test("the server's own error is passed on", () => {
  const body = { status: "error", "error-code": "list-not-found", "error-msg": "no list has this lid" };
  const error = failing(404, JSON.stringify(body));
  assert.ok(error instanceof Error);
  assert.deepEqual(
    [error.name, error.code, error.message, error.httpStatus, error.requestId, error.retryable],
    ["WishboneError", "list-not-found", "no list has this lid.", 404, "req-1", false],
  );
});

test("the older spelling of a bad regid is the same error", () => {
  assert.equal(failing(401, '{"type":"sw-badregid","message":"gone"}').code, "bad-regid");
});

test("overload and server errors may be tried again", () => {
  for (const status of [429, 500, 502, 503]) {
    assert.equal(failing(status, "").retryable, true);
    assert.equal(failing(status, '{"status":"error","error-code":"overloaded","error-msg":"wait"}').retryable, true);
  }
  assert.equal(failing(400, "").retryable, false);
});

test("an answer that is not ours is never taken for an empty result", () => {
  const wrong = ["", "<html></html>", "{", "null", "[]", "{}", '"success"', '{"status":"success"}'];
  wrong.push('{"status":"success","data":{}}', '{"status":"success","data":[null]}', '{"status":"ok","data":[]}');
  wrong.push('{"status":"error","data":[]}');
  for (const text of wrong) {
    const error = failing(200, text);
    assert.equal(error.code, "bad-response", text);
    assert.equal(error.httpStatus, 200);
    assert.equal(error.requestId, "req-1");
  }
  assert.equal(failing(201, '{"status":"success","data":[]}').code, "bad-response");
});

test("the three answers are recognised", () => {
  const list = { lid: "l", lname: "n" };
  const item = { epi: 1 };
  const page = { status: "success", data: { ...list, listcontents: [item] }, pagination: { next: null } };
  assert.ok(isUserLists({ status: "success", data: [list] }));
  assert.ok(isUserList(page));
  assert.ok(isUserList({ ...page, pagination: { next: "t" } }));
  assert.ok(isListContents({ list: { ...list, listcontents: [] }, items: [item] }));

  assert.ok(!isUserList({ ...page, pagination: {} }));
  assert.ok(!isUserList({ ...page, data: list }));
  assert.ok(!isListContents({ list, items: [item] }));
  assert.ok(!isListContents({ list: { ...list, listcontents: [] }, items: ["x"] }));
});
