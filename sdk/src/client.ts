import type { InitOptions, Wishbone } from "./api";
import { Call } from "./call";
import { configure, identityKey, missing, type Settings, UNSET } from "./config";
import { identityChanged, notConfigured, timedOut, WishboneError } from "./errors";
import { type Credentials, guestKey, Guests } from "./identity";
import { isCredentials } from "./shapes";
import { type Fields, post } from "./transport";
import { wishlist } from "./wishlist";

declare const VERSION: string;

/** A shopper operation under /api/v3/: what is sent beside the identity, and how its answer is recognised. */
export interface Operation<T> {
  readonly path: string;
  readonly query?: Fields;
  readonly form?: Fields;
  readonly accepts: (answer: unknown) => answer is T;
}

/** How a namespace makes a call; see Call.deliver for what it returns. */
export type Run = <T>(operation: Operation<T>, onSuccess: unknown, onError: unknown) => any;

export interface Surroundings {
  readonly storage: () => Storage;
  /** The page's address, for a relative `base`. */
  readonly page?: string;
}

export function createClient({ storage, page }: Surroundings): Wishbone {
  const guests = new Guests(storage);
  const underWay = new Set<Call<any>>();
  let settings = UNSET;

  const run: Run = <T>(operation: Operation<T>, onSuccess: unknown, onError: unknown) => {
    const now = settings;
    const call = new Call<T>(() => {
      clearTimeout(timer);
      underWay.delete(call);
    });
    const timer = setTimeout(() => call.stop(timedOut(now.base, now.timeout)), now.timeout);
    underWay.add(call);
    return call.deliver(ask(operation, now, guests, () => call.check()), onSuccess, onError);
  };

  function change(to: Settings, stopAll: boolean): void {
    const stop = stopAll || identityKey(to) !== identityKey(settings);
    settings = to;
    if (stop) underWay.forEach((call) => call.stop(identityChanged()));
  }

  const client: Wishbone = {
    version: VERSION,
    wishlist: wishlist(run),
    init(options: InitOptions) {
      change(configure(settings, options || {}, page), false);
    },
    logout() {
      guests.forget(guestKey(settings.base, settings.store));
      change({ ...settings, regid: "", sessionid: "" }, true);
    },
    q: {
      push(...work) {
        for (const one of work) if (typeof one === "function") queueMicrotask(() => one(client));
      },
    },
  };
  return client;
}

/** Makes the request as whoever the settings name, or as this browser's guest. */
async function ask<T>(operation: Operation<T>, settings: Settings, guests: Guests, check: () => void): Promise<T> {
  const problem = missing(settings);
  if (problem) throw notConfigured(problem);
  if (settings.regid) return send(operation, settings, settings);

  const key = guestKey(settings.base, settings.store);
  const guest = await guests.get(key, () => register(settings));
  check();
  try {
    return await send(operation, settings, guest);
  } catch (error) {
    if (!(error instanceof WishboneError && error.code === "bad-regid")) throw error;
    check();
    const another = await guests.replace(key, guest, () => register(settings));
    check();
    return send(operation, settings, another);
  }
}

function send<T>(operation: Operation<T>, settings: Settings, { regid, sessionid }: Credentials): Promise<T> {
  return post({
    base: settings.base,
    path: operation.path,
    query: { pid: settings.store, ...operation.query },
    form: { regid, sessionid, ...operation.form },
    timeout: settings.timeout,
    accepts: operation.accepts,
  });
}

/** A guest of this browser: the server asks for nothing but the store, and writes nothing before the guest does. */
function register({ base, store, timeout }: Settings): Promise<Credentials> {
  return post({ base, path: "provider/register", query: { pid: store }, timeout, accepts: isCredentials });
}
