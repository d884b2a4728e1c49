import type { RequestOptions } from "./options";
import type { Counts, ItemCalls, Lists, Method, SaveForLater, Sharing, Shopper } from "./methods";
import type { SubscriptionCalls, Wishlist } from "./methods";
import type { EventDetail, EventName, Listener, QueuedWrite } from "./events";

/** Each key that is given replaces what the script tag or an earlier `init` said; undefined leaves it as it is. */
export interface InitOptions {
  /** The store's pid. */
  store?: string | undefined;
  /** The shopper, from your own server. null or "" means: a guest. Comes together with its sessionid. */
  regid?: string | null | undefined;
  sessionid?: string | null | undefined;
  /** The server's address; by default where the script was loaded from. */
  base?: string | undefined;
  /** Milliseconds one call may take, 15000 unless told. */
  timeout?: number | undefined;
  /** Name of the default wishlist where it has to be made; "My Wishlist" in the page's language unless told. */
  listName?: string | undefined;
}

/** For themes of an older script; the same as the attributes `data-legacy-…` of the script tag. */
export interface LegacyOptions {
  /** Of the names of the older script's globals. */
  prefix?: string | undefined;
  /** Name of its command function, "_swrc" unless told. */
  command?: string | undefined;
  /** "code" prints "USD" in front of prices, and not "$". */
  currency?: "code" | (string & {}) | undefined;
  /** What `isCollectionsEnabled()` says: the theme has a dialog for several lists. */
  collections?: boolean | string | undefined;
}

export interface Wishbone {
  readonly version: string;
  /** Where calls go. */
  readonly settings: { readonly base: string; readonly store: string; readonly timeout: number };
  readonly wishlist: Wishlist;
  readonly lists: Lists;
  readonly items: ItemCalls;
  readonly saveForLater: SaveForLater;
  readonly sharing: Sharing;
  readonly counts: Counts;
  readonly subscriptions: SubscriptionCalls;
  readonly shopper: Shopper;
  /** The optional features that the store has: "sort-filter", "save-for-later", "subscriptions". Registers nobody. */
  features(): Promise<string[]>;
  /** Configures, also later and again, such as after a login. */
  init(options: InitOptions): void;
  /**
   * Loads a part of the script that most pages do not need: "elements" (custom elements), "live" (changes of other
   * devices) or "legacy" (functions of an older script). `data-load` of the script tag names parts to load at once.
   */
  load(part: "legacy", options?: LegacyOptions): Promise<unknown>;
  load(part: "elements" | "live" | (string & {}), options?: object): Promise<unknown>;
  /** Forgets the shopper, the stored guest too. Calls that are under way fail with "identity-changed". */
  logout(): void;
  /** Calls an operation that has no function of its own here. */
  readonly request: Method<RequestOptions, any>;
  /** Calls `listener` for each event of this name; returns a function that ends it. "*" is every event. */
  on<N extends EventName>(name: N, listener: Listener<N>): () => void;
  on(name: "*", listener: (detail: any, name: EventName) => void): () => void;
  /** Reports a change that was made by other means to this tab, so that caches and listeners know of it. */
  emit<N extends EventName>(name: N, detail: EventDetail<N>): void;
  /** The current shopper's changes that the server does not have yet, oldest first. */
  queued(): QueuedWrite[];
  /** `q.push(fn)` runs fn(wishbone) as soon as the script is there. */
  readonly q: { push(...work: Array<(wishbone: Wishbone) => void>): void };
}

/** A client that no script tag has made does not know its server. */
export interface ClientOptions extends InitOptions {
  base: string;
}

/** Makes a client of its own, for pages that import the module instead of including the script. */
export declare function createClient(options: ClientOptions): Wishbone;

declare global {
  /** The client of a page that includes the script; `data-global` names it otherwise. */
  var wishbone: Wishbone;
}
