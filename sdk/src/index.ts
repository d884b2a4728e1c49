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
  const client = createClient(tag.options);
  Object.defineProperty(client, MARK, { value: true });
  globals[tag.global] = client;
  const queued: unknown = existing?.q;
  if (Array.isArray(queued)) client.q.push(...queued);
}
