import { asWishboneError, expired, identityChanged, isTransient, queueFull, type WishboneError } from "./errors";
import type { Locked } from "./lock";
import { type Entry, type Outbox } from "./outbox";
import { pauseAfter } from "./retry";

const DAY = 86_400_000;
// The server knows an idempotency key for 24 hours; the rest is for clocks that differ and requests that take long.
const KEY_LIFE = DAY - 3_600_000;
// What a shopper did so long ago is no longer what the shopper wants.
const MAX_AGE = 30 * DAY;

/** What happened to a write of another tab. */
export type Settled = { key: string; value: unknown } | { key: string; error: WishboneError };

export interface Work {
  /** The queue of the current shopper; undefined before the client is configured. */
  scope(): string | undefined;
  /** `first`: with retries, because somebody waits; else a single attempt. */
  execute(entry: Entry, first: boolean): Promise<unknown>;
  /** True for writes that must not be sent again once the server may have forgotten their keys. */
  once(entry: Entry): boolean;
  queued(entry: Entry): void;
  synced(): void;
  /** Failed, and nobody in this tab waits for it. */
  lost(entry: Entry, error: WishboneError): void;
  tell(settled: Settled): void;
}

interface Owner {
  readonly entry: Entry;
  readonly scope: string;
  announced: boolean;
  readonly resolve: (value: any) => void;
  readonly reject: (error: unknown) => void;
}

export interface Sender {
  submit(name: string, args: unknown, key: string): Promise<any>;
  /** Resolves when nothing waits any more, rejects if it cannot be sent now. */
  flush(): Promise<void>;
  /** The current shopper's writes that the server has not confirmed, oldest first. */
  pending(): Entry[];
  /** The network is back, or may be. */
  wake(): void;
  /** Another tab has sent a write of this one. */
  settle(settled: Settled): void;
  /** Another shopper's turn: what this page has not sent yet fails, and the queue of the other one is taken up. */
  restart(): void;
}

/**
 * Sends writes one after the other. Each is in the outbox before it is sent and until the server has answered, so that
 * neither a lost connection nor a closed page loses it.
 */
export function createSender(outbox: Outbox, locked: Locked, work: Work): Sender {
  const owners = new Map<string, Owner>();
  let waiting: Array<{ resolve: () => void; reject: (error: unknown) => void }> = [];
  let running = false;
  let again = false;
  /** Attempts in a row that found no server, and the last one's error. */
  let failures = 0;
  let problem: WishboneError | undefined;
  let notBefore = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Sends what waits, unless the server asked to wait longer. */
  function send(): void {
    again = true;
    if (!running) void run();
  }

  async function run(): Promise<void> {
    running = true;
    while (again) {
      again = false;
      clearTimeout(timer);
      const scope = work.scope();
      if (scope === undefined || outbox.all(scope).length === 0) rest();
      else if (Date.now() < notBefore) wait(notBefore - Date.now());
      else await locked(scope, () => sendAll(scope)).catch((error) => finish(asWishboneError(error)));
    }
    running = false;
  }

  async function sendAll(scope: string): Promise<void> {
    for (;;) {
      if (work.scope() !== scope) return;
      const entry = outbox.all(scope)[0];
      if (!entry) break;
      let settled: Settled;
      try {
        refuseOld(entry);
        settled = { key: entry.key, value: await work.execute(entry, failures === 0) };
        failures = 0;
      } catch (error) {
        // The shopper has changed: what waits is the last one's, and waits for that one.
        if (work.scope() !== scope) return;
        if (isTransient(error)) return stall(error);
        settled = { key: entry.key, error: asWishboneError(error) };
      }
      done(scope, entry, settled);
    }
    rest();
  }

  /** Nothing waits any more, whichever tab has sent it. */
  function rest(): void {
    failures = 0;
    finish();
    if (problem) work.synced();
    problem = undefined;
  }

  function refuseOld(entry: Entry): void {
    const age = Date.now() - entry.at;
    if (age > MAX_AGE || (age > KEY_LIFE && work.once(entry))) throw expired(entry.name);
  }

  function done(scope: string, entry: Entry, settled: Settled): void {
    const mine = owners.has(entry.key);
    // Before it is removed: a tab that ends here leaves the entry to the next one, and its owner is told twice.
    if (mine) settle(settled);
    else work.tell(settled);
    outbox.remove(scope, entry.key);
    if (!mine && "error" in settled) work.lost(entry, settled.error);
  }

  function settle(settled: Settled): void {
    const owner = owners.get(settled.key);
    owners.delete(settled.key);
    if (owner) "error" in settled ? owner.reject(settled.error) : owner.resolve(settled.value);
  }

  function stall(error: WishboneError): void {
    failures += 1;
    problem = error;
    // Whatever was submitted during the attempt waits along.
    again = false;
    const pause = pauseAfter(failures + 2, error.retryAfter);
    if (error.retryAfter) notBefore = Date.now() + pause;
    announce();
    wait(pause);
  }

  function wait(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(send, milliseconds);
    finish(problem);
  }

  function announce(): void {
    owners.forEach((owner) => {
      if (owner.announced) return;
      owner.announced = true;
      work.queued(owner.entry);
    });
  }

  function finish(error?: WishboneError): void {
    const all = waiting;
    waiting = [];
    for (const { resolve, reject } of all) error ? reject(error) : resolve();
  }

  return {
    submit(name, args, key) {
      const scope = work.scope() as string;
      const entry = outbox.add(scope, { key, name, args }, Date.now());
      if (!entry) return Promise.reject(queueFull());
      const outcome = new Promise((resolve, reject) => {
        owners.set(key, { entry, scope, announced: false, resolve, reject });
      });
      if (failures > 0) announce();
      send();
      return outcome;
    },
    flush: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        send();
      }),
    pending() {
      const scope = work.scope();
      return scope === undefined ? [] : outbox.all(scope);
    },
    wake() {
      notBefore = 0;
      send();
    },
    settle(settled) {
      settle(settled);
      // Perhaps the last of those that waited.
      if (problem) send();
    },
    restart() {
      owners.forEach(({ scope, entry }) => outbox.remove(scope, entry.key));
      owners.clear();
      failures = notBefore = 0;
      problem = undefined;
      finish(identityChanged());
      send();
    },
  };
}
