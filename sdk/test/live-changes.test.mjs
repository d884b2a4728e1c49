// How the events of a stream become those of the client.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { source } from "./support/source.mjs";

let Changes;
before(async () => ({ Changes } = await source("live/changes")));

/** Changes of a client with these lists on the server, and how often they were fetched. */
function given(...lists) {
  const state = { fetched: 0 };
  const fetch = async () => {
    state.fetched += 1;
    if (lists.includes(undefined)) throw new Error("offline");
    return lists;
  };
  return Object.assign(state, { changes: new Changes({ lists: { fetch } }) });
}

const event = (type, lid, version) => ({ id: "1", type: `list.${type}`, lid, version });
const named = (changes) => changes.map(([name, { list, remote }]) => [name, list?.lid, remote]);

test("each event is told with the list, and a list that is gone as deleted", async () => {
  const { changes } = given({ lid: "a", version: 3 }, { lid: "b", version: 1 });
  const events = [event("updated", "a", 3), event("created", "b", 1), event("updated", "c", 2), event("deleted", "d")];
  assert.deepEqual(named(await changes.of(events)), [
    ["list-updated", "a", true],
    ["list-created", "b", true],
    ["list-deleted", "c", true],
    ["list-deleted", "d", true],
  ]);
});

test("the beginning of a stream is no change, and a gap is a change of everything", async () => {
  const state = given({ lid: "a", version: 1 });
  assert.deepEqual(await state.changes.of([{ id: "1", type: "open", lid: null }]), []);
  assert.deepEqual(named(await state.changes.of([{ id: "2", type: "lists.changed", lid: null }])), [["lists-changed", undefined, true]]);
  assert.equal(state.fetched, 0);
});

test("if the lists cannot be fetched, everything may have changed", async () => {
  assert.deepEqual(named(await given(undefined).changes.of([event("updated", "a", 2)])), [["lists-changed", undefined, true]]);
});

test("what this browser has changed itself is not told again", async () => {
  const state = given({ lid: "a", version: 9 });
  const { changes } = state;
  changes.note("list-created", { list: { lid: "a", version: 1 } });
  changes.note("added", { lid: "a", version: 2 });
  changes.note("moved", { fromlid: "a", fromversion: 3, tolid: "b", toversion: 1 });
  assert.deepEqual(await changes.of([event("created", "a", 2)]), []);
  assert.deepEqual(await changes.of([event("updated", "a", 3)]), []);
  assert.equal(state.fetched, 0);
});

test("a change of another device between own ones is told", async () => {
  const { changes } = given({ lid: "a", version: 4 });
  changes.note("list-created", { list: { lid: "a", version: 1 } });
  changes.note("added", { lid: "a", version: 2 });
  changes.note("added", { lid: "a", version: 4 });
  assert.deepEqual(named(await changes.of([event("updated", "a", 4)])), [["list-updated", "a", true]]);
});

test("an own change is told if it is not known what came before it", async () => {
  const { changes } = given({ lid: "a", version: 4 });
  changes.note("added", { lid: "a", version: 4 });
  assert.deepEqual(named(await changes.of([event("updated", "a", 4)])), [["list-updated", "a", true]]);
});
