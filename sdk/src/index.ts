import type { Wishbone } from "./api";
import { createClient } from "./client";
import { readTag } from "./config";

const globals = window as unknown as Record<string | symbol, any>;
const tag = readTag(document.currentScript);
// The page's clients by their names, so that a second include, also of another version, knows the first.
const clients: Record<string, Wishbone> = (globals[Symbol.for("wishbone.clients")] ||= {});
const existing = clients[tag.global];

// Included twice: one client goes on, or a page would have two that know nothing of each other's logout.
existing?.init(tag.options);
const client = (clients[tag.global] ||= createClient(tag.options, tag.directory));
const publish = () => {
  const queued: unknown = globals[tag.global]?.q;
  globals[tag.global] = client;
  if (Array.isArray(queued)) client.q.push(...queued);
};
const load = (name: string, options?: object) => client.load(name, options).catch(console.error);
for (const name of tag.parts) load(name);
const { prefix, command } = tag.legacy;
if (prefix) {
  // Themes use both before the layer has arrived; it takes over what they have gathered.
  globals[`${prefix}Callbacks`] ||= [];
  const calls: unknown[] = [];
  globals[command] ||= Object.assign((...call: unknown[]) => calls.push(call), { q: calls });
  // Themes take the presence of the API object for its readiness: the layer publishes it when all functions are there.
  load("legacy", { ...tag.legacy, publish }).then(publish);
} else if (!existing) {
  publish();
}
