import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";

const { UNSET, baseOf, configure, identityKey, missing, readTag } = await source("config");

const tag = (src, attributes) => ({ src, getAttribute: (name) => attributes[name] ?? null });

test("the base is where the script was loaded from", () => {
  assert.equal(baseOf("https://lists.example/sdk/wishbone.js"), "https://lists.example");
  assert.equal(baseOf("https://lists.example:8443/sdk/wishbone.js?v=2"), "https://lists.example:8443");
  assert.equal(baseOf("https://shop.example/lists/sdk/wishbone.js"), "https://shop.example/lists");
  assert.equal(baseOf("https://cdn.example/assets/app.js"), "https://cdn.example");
  assert.equal(baseOf("file:///tmp/wishbone.js"), "");
  assert.equal(baseOf(""), "");
});

test("the script tag's attributes are read", () => {
  const attributes = { "data-store": "a+b/c=", "data-regid": "r", "data-sessionid": "s", "data-global": "swat" };
  const { global, options } = readTag(tag("https://lists.example/sdk/wishbone.js", attributes));
  assert.equal(global, "swat");
  assert.deepEqual(configure(UNSET, options), {
    base: "https://lists.example",
    store: "a+b/c=",
    regid: "r",
    sessionid: "s",
    timeout: 15000,
    listName: "",
  });
});

test("without a tag there are only defaults, and the next step is told", () => {
  const { global, options } = readTag(null);
  assert.equal(global, "wishbone");
  assert.match(missing(configure(UNSET, options)), /data-store/);
  assert.match(missing(configure(UNSET, { ...options, store: "p" })), /data-base/);
});

test("init replaces what it names and keeps the rest", () => {
  const first = configure(UNSET, { base: "https://lists.example/", store: "p", timeout: 5000 });
  const second = configure(first, { regid: "r", sessionid: "s" });
  assert.equal(first.base, "https://lists.example");
  assert.deepEqual(second, { ...first, regid: "r", sessionid: "s" });
  assert.equal(missing(second), "");
});

test("a new regid never goes out with the last shopper's sessionid", () => {
  const ann = configure(UNSET, { base: "https://l.example", store: "p", regid: "ann", sessionid: "s1" });
  const bob = configure(ann, { regid: "bob" });
  assert.equal(bob.sessionid, "");
  assert.match(missing(bob), /sessionid/);
  assert.equal(configure(ann, { sessionid: "s2" }).regid, "ann");
});

test("an empty regid is a guest, half an identity is a mistake", () => {
  const settings = { base: "https://l.example", store: "p" };
  assert.equal(missing(configure(UNSET, { ...settings, regid: "", sessionid: "" })), "");
  assert.equal(missing(configure(UNSET, { ...settings, regid: null, sessionid: null })), "");
  assert.match(missing(configure(UNSET, { ...settings, regid: "", sessionid: "s" })), /Pass both, or neither/);
});

test("a base may be relative to the page, and must be http or https", () => {
  const of = (base) => configure(UNSET, { base, store: "p" }, "https://shop.example/cart/");
  assert.equal(of("/lists/").base, "https://shop.example/lists");
  assert.equal(of("//lists.example").base, "https://lists.example");
  assert.match(missing(of("javascript:alert(1)")), /must begin with/);
  assert.match(missing(of("ftp://lists.example")), /must begin with/);
});

test("a senseless timeout is the default, and none overflows the browser's timer", () => {
  const of = (timeout) => configure(UNSET, { timeout }).timeout;
  assert.deepEqual([of(0), of(-1), of("soon"), of(NaN), of(null)], Array(5).fill(15000));
  assert.equal(of("2500"), 2500);
  assert.equal(of(Infinity), 2 ** 31 - 1);
});

test("server, store and shopper make an identity; a renewed session does not change it", () => {
  const ann = configure(UNSET, { base: "https://l.example", store: "p", regid: "ann", sessionid: "s1" });
  assert.equal(identityKey(ann), identityKey(configure(ann, { sessionid: "s2", timeout: 1 })));
  for (const other of [{ regid: "bob" }, { store: "q" }, { base: "https://m.example" }]) {
    assert.notEqual(identityKey(ann), identityKey(configure(ann, other)));
  }
});
