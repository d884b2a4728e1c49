/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */

/** A list as the server records it. Times are milliseconds since 1970. */
export interface List {
  lid: string;
  lname: string;
  /** "wl" is a wishlist; "_saveForLater" and "_recommends" are types of their own, and so is any other text. */
  lty: string | null;
  lnote?: string;
  lprops?: Record<string, unknown>;
  anonRead?: boolean;
  /** True while the items of a large list are still being copied into this one. */
  _cp?: boolean;
  cts: number;
  uts: number;
  /** E-mail addresses; null for a guest, absent for a visitor of a shared list. */
  cby?: string | null;
  uby?: string | null;
  cfor?: string | null;
  /** Never given to a visitor of a shared list. */
  di?: string;
  uid?: string;
  _pkey?: string;
  pid: string;
  id: string;
  /** 1, or 0 when the list is archived. */
  st: number;
  _t: 1;
  lhash: string;
  /** The exact number of items. */
  cnt?: number;
  /** Rises with every change; `ifversion` of a write names the one that its caller has seen. */
  version: number;
  canEdit?: boolean;
  itemcmnts?: number;
  userinfo?: UserInfo | null;
}

/** A list together with items: all of them, or one page. */
export interface ListWithItems extends List {
  listcontents: ListItem[];
}

/** One product variant in a list. */
export interface ListItem {
  id: string;
  lid: string;
  /** Variant identifier. */
  epi: number;
  /** Product identifier. */
  empi: number;
  /** Product address. */
  du: string;
  /** Product title; this and the other texts are "" where unknown. */
  dt: string;
  /** Picture address. */
  iu: string;
  /** Price; null where unknown. */
  pr: number | null;
  /** Category. */
  ct: string;
  /** Variant title. */
  vi: string;
  /** Quantity, in save-for-later lists. */
  qty?: number;
  note?: string;
  cprops?: Record<string, unknown>;
  /** Labels or rooms; at most one. */
  clbls?: string[];
  bt?: string;
  sku?: string;
  cts: number;
  uts: number;
  cby?: string | null;
  uby?: string | null;
  di?: string;
  uid?: string;
  pid: string;
  _pkey?: string;
  _t: 2;
}

export interface UserInfo {
  fname?: string | null;
  lname?: string | null;
  em?: string | null;
  acc_mkt?: boolean | null;
  uid?: string;
  pid?: string;
  cts?: number;
  uts?: number;
  prefs?: Record<string, unknown>;
  [more: string]: unknown;
}

/** What `wishlist.fetchUserLists` gives: every list of the shopper, oldest first, without items. */
export interface UserLists {
  status: "success";
  data: List[];
}

/** What `wishlist.fetchUserList` gives: one page of a list. */
export interface UserList {
  status: "success";
  data: ListWithItems;
  /** Pass `next` to the next call; null is the end of the list. */
  pagination: { next: string | null };
}

/** What `wishlist.fetchListWithContents` gives. */
export interface ListContents {
  list: ListWithItems;
  items: ListItem[];
}

export interface FetchListWithContentsOptions {
  lid: string;
  limit?: number | undefined;
  offset?: number | undefined;
  excludeArchived?: boolean | undefined;
}

export interface FetchUserListOptions {
  lid: string;
  /** `pagination.next` of the page before; leave out for the first page. */
  next?: string | null | undefined;
  /** 50 to 100. */
  itemslimit?: number | undefined;
  /** Sorting and filtering must be enabled for the store. Without it: newest first. */
  sortby?: "price" | "title" | undefined;
  sortorder?: "asc" | "desc" | undefined;
  filterby?: "instock" | "outofstock" | undefined;
}

/** The codes that the script itself gives. */
export type OwnCode =
  | "network"
  | "timeout"
  | "bad-response"
  | "not-configured"
  | "identity-changed"
  | "internal";

/** Why a call failed. `message` says what to do next. */
export interface WishboneError extends Error {
  readonly name: "WishboneError";
  /**
   * The server's error-code ("user-not-logged-in", "bad-regid", "list-not-found" …), or one of the script's own.
   * "internal" is both: a fault of the server, or with httpStatus 0 a call that could not be made from its values.
   */
  readonly code: OwnCode | (string & {});
  /** 0 where no answer arrived. */
  readonly httpStatus: number;
  /** Find the request in the server's log with it; "" where unknown. */
  readonly requestId: string;
  /** True where the same call may succeed later without a change. */
  readonly retryable: boolean;
}

export type OnSuccess<T> = (result: T) => void;
export type OnError = (error: WishboneError) => void;
type Maybe<T> = T | null | undefined;

/**
 * Every call has two forms. With a callback it returns undefined and calls exactly one of the two, once, later.
 * Without callbacks it returns a Promise.
 */
export interface Wishlist {
  fetchUserLists(): Promise<UserLists>;
  fetchUserLists(onSuccess: Maybe<OnSuccess<UserLists>>, onError?: Maybe<OnError>): void;

  fetchUserList(options: FetchUserListOptions): Promise<UserList>;
  fetchUserList(options: FetchUserListOptions, onSuccess: Maybe<OnSuccess<UserList>>, onError?: Maybe<OnError>): void;

  fetchListWithContents(options: FetchListWithContentsOptions): Promise<ListContents>;
  fetchListWithContents(
    options: FetchListWithContentsOptions,
    onSuccess: Maybe<OnSuccess<ListContents>>,
    onError?: Maybe<OnError>,
  ): void;
}

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
}

export interface Wishbone {
  readonly version: string;
  readonly wishlist: Wishlist;
  /** Configures, also later and again, such as after a login. */
  init(options: InitOptions): void;
  /** Forgets the shopper, the stored guest too. Calls that are under way fail with "identity-changed". */
  logout(): void;
  /** `q.push(fn)` runs fn(wishbone) as soon as the script is there. */
  readonly q: { push(...work: Array<(wishbone: Wishbone) => void>): void };
}

declare global {
  var wishbone: Wishbone;
}
