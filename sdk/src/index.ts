import type { Wishbone } from "./api";
import { createClient } from "./client";
import { readTag } from "./config";

// Set on our own object alone, so that a second include, also of another version, knows the first.
const MARK = Symbol.for("wishbone.client");

const globals = window as unknown as Record<string, unknown>;
const tag = readTag(document.currentScript);
const existing = globals[tag.global] as (Partial<Wishbone> & { [MARK]?: true }) | undefined;

if (existing?.[MARK]) {
  // Included twice: one client goes on, or a page would have two that know nothing of each other's logout.
  existing.init?.(tag.options);
} else {
  const client = createClient(tag.options, tag.directory);
  Object.defineProperty(client, MARK, { value: true });
  globals[tag.global] = client;
  const queued: unknown = existing?.q;
  if (Array.isArray(queued)) client.q.push(...queued);
  const load = (name: string, options?: object) => client.load(name, options).catch(console.error);
  for (const name of tag.parts) load(name);
  const { prefix, command } = tag.legacy;
  if (prefix) {
    // Themes use both before the layer has arrived; it takes over what they have gathered.
    globals[`${prefix}Callbacks`] ||= [];
    const calls: unknown[] = [];
    globals[command] ||= Object.assign((...call: unknown[]) => calls.push(call), { q: calls });
    // A page that finds the client there already gives its commands to this one.
    Object.assign(client, { postLoader: globals[command] });
    load("legacy", tag.legacy);
  }
}
