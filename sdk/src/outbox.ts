import type { QueuedWrite } from "./api";
import { isEntry, parse } from "./shapes";

export type Entry = QueuedWrite;

export const MAX_ENTRIES = 200;
// Storage has room for about five million characters, and most of it is the shop's.
const MAX_CHARACTERS = 250_000;

/**
 * Writes that the server has not confirmed, in the order they were made. Each is an item of localStorage of its own, so
 * that tabs cannot overwrite each other's. What storage refuses is kept as long as the page.
 */
export class Outbox {
  private unstored: Array<{ scope: string; entry: Entry }> = [];

  /** `storage` is a function because even touching window.localStorage can throw. */
  constructor(private readonly storage: () => Storage) {}

  all(scope: string): Entry[] {
    const entries = [...this.stored(scope).values()];
    return entries.concat(this.unstored.filter((one) => one.scope === scope).map((one) => one.entry));
  }

  /** Undefined if there are too many already. */
  add(scope: string, write: Omit<Entry, "at">, now: number): Entry | undefined {
    const before = this.all(scope);
    if (before.length >= MAX_ENTRIES) return undefined;
    // Later than all before it, also where the clock was set back.
    const last = before[before.length - 1];
    const entry = { ...write, at: Math.max(now, last ? last.at + 1 : 0) };
    const text = JSON.stringify(entry);
    const waits = this.unstored.some((one) => one.scope === scope);
    try {
      if (waits || text.length + JSON.stringify(before).length > MAX_CHARACTERS) throw 0;
      this.storage().setItem(`${prefix(scope)}${entry.at} ${entry.key}`, text);
    } catch {
      this.unstored.push({ scope, entry: JSON.parse(text) });
    }
    return entry;
  }

  remove(scope: string, key: string): void {
    this.unstored = this.unstored.filter(({ entry }) => entry.key !== key);
    this.stored(scope).forEach((entry, name) => entry.key === key && this.storage().removeItem(name));
  }

  clear(scope: string): void {
    this.all(scope).forEach(({ key }) => this.remove(scope, key));
  }

  private stored(scope: string): Map<string, Entry> {
    const found = new Map<string, Entry>();
    try {
      const storage = this.storage();
      const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) || "");
      // A time has 13 digits until the year 2286, so names sort by it.
      for (const name of names.filter((one) => one.startsWith(prefix(scope))).sort()) {
        const entry = parse(storage.getItem(name));
        if (isEntry(entry)) found.set(name, entry);
      }
    } catch {
      // Storage is forbidden.
    }
    return found;
  }
}

function prefix(scope: string): string {
  return `wishbone.queue ${scope}|`;
}
