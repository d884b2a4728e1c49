/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */

/** A list as the server records it. Times are milliseconds since 1970. */
export interface List {
  lid: string;
  lname: string;
  /** "wl" is a wishlist; "_saveForLater" and "_recommends" are types of their own, and so is any other text. */
  lty: string | null;
  /** The owner's name, where a share link shows it. */
  fromname?: string;
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
  /** Price when the item was saved; absent where it is `pr`, or was unknown. */
  spr?: number;
  /** What the catalogue says of the stock; absent where it does not know the variant. */
  avl?: "in" | "low" | "out";
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

/** A product as a page names it; ids may be numbers or their text. */
export interface Product {
  /** Variant identifier. */
  epi: number | string;
  /** Product identifier. */
  empi: number | string;
  /** Product address. */
  du: string;
  /** 1 to 1,000,000, in save-for-later lists. */
  qty?: number | undefined;
  note?: string | undefined;
  cprops?: Record<string, unknown> | null | undefined;
  /** One label at most. */
  clbls?: string[] | undefined;
  /** The rest is for variants that the store's catalogue does not know. */
  dt?: string | undefined;
  iu?: string | undefined;
  pr?: number | string | null | undefined;
  ct?: string | undefined;
  vi?: string | undefined;
  bt?: string | undefined;
  sku?: string | undefined;
}

/** Enough to find an item of a list. */
export interface ItemRef {
  epi: number | string;
  empi?: number | string | undefined;
}

/** A variant on a list. */
export interface Place {
  epi: number;
  lid: string;
}

/** One item, with the list it belongs to, or several. Without `lid`: the shopper's default wishlist. */
export type Items<P> =
  | (P & { lid?: string | undefined })
  | {
      items: P | P[];
      lid?: string | undefined;
      /** The version of the list that the caller has seen; the change fails if it is another one. */
      ifversion?: number | undefined;
    };

/** An element of a call that failed while others succeeded. */
export interface FailedItem {
  epi?: number;
  empi?: number;
  du?: string;
  hasError?: true;
  "error-code": string;
  msg: string;
}

/** What changing items gives. A call about a single item rejects where it failed. */
export interface ChangedItems {
  lid: string;
  items: ListItem[];
  failed: FailedItem[];
}

export interface MovedItems {
  fromlid: string;
  tolid: string;
  /** As they now are in `tolid`. */
  moved: ListItem[];
  /** Those that `tolid` had before; they left `fromlid`. */
  already: ListItem[];
  failed: FailedItem[];
}

export interface CreateListOptions {
  lname: string;
  lty?: string | undefined;
  lnote?: string | undefined;
  lprops?: Record<string, unknown> | undefined;
  ldesc?: string | undefined;
  /** Duplicates this list. */
  fromlid?: string | undefined;
}

export interface UpdateListOptions {
  lid: string;
  lname?: string | undefined;
  lnote?: string | undefined;
  lprops?: Record<string, unknown> | undefined;
  ldesc?: string | undefined;
  archived?: boolean | undefined;
  ifversion?: number | undefined;
}

export interface FetchListsOptions {
  includeArchived?: boolean | undefined;
  /** Adds the newest 50 items of each list, as `listcontents`. Save-for-later lists are left out, unless `lty` asks for them. */
  contents?: boolean | undefined;
  /** Only lists of this type. */
  lty?: string | undefined;
}

export interface EnsureListOptions {
  /** Without a name: the shopper's first wishlist, called `listName` of `init` where it has to be made. */
  lname?: string | undefined;
  lty?: string | undefined;
}

export interface PageOptions extends FetchUserListOptions {
  /** True for a list of another shopper, opened by its share key or because it is public. */
  shared?: boolean | undefined;
}

export interface Page {
  list: ListWithItems;
  items: ListItem[];
  /** Pass it to the next call; null is the end of the list. */
  next: string | null;
}

/** The save-for-later list with one page of its items. */
export interface SavedPage {
  list: List;
  items: ListItem[];
  userinfo: UserInfo | null;
  pagination: { totalcount: number; next: string | null; limit: number };
}

export interface ShareLink {
  /** Stands in the place of a lid, for anybody who has it. */
  key: string;
  /** The server's page of the list: works without the shop, and has a preview in messengers. */
  url: string;
  scope: "view" | "edit";
  label?: string;
  /** The name that the owner shows to those who open the link. */
  fromname?: string;
  cts: number;
  expires: number | null;
  expired: boolean;
}

export type Topic = "backinstock" | "comingsoon" | "pricedrop" | "lowstock";

export interface SubscribeOptions extends ItemRef {
  topic: Topic;
  medium: "email" | "sms";
  /** The address or number. */
  mediumvalue: string;
  empi: number | string;
  du: string;
  targetprice?: number | string | undefined;
  quantity?: number | undefined;
}

export interface Subscription {
  medium: string;
  mediumvalue: string;
  topic: string;
  epi: number;
  empi: number;
  du: string;
  dt: string;
  iu: string;
  pr: number | null;
  ct: string;
  vi: string;
  pid: string;
  /** 0 not sent, 2 being sent, 1 sent. */
  status: 0 | 1 | 2;
  /** Present while the owner of the address has not confirmed it: no alert is sent. */
  unconfirmed?: true;
  targetprice?: number;
  quantity?: number;
  cts: number;
  uts: number;
  [more: string]: unknown;
}

export interface Subscriptions {
  limit: number;
  offset: number;
  total: number;
  subscriptions: Subscription[];
}

export interface ShopperDetails {
  fname?: string | undefined;
  lname?: string | undefined;
  acceptMarketing?: boolean | undefined;
  language?: string | undefined;
  region?: string | undefined;
  alertdigest?: "daily" | "off" | undefined;
}

/** Who the calls are made as. Treat both like passwords. */
export interface Identity {
  readonly regid: string;
  readonly sessionid: string;
  /** "page": given by the script tag or `init`; "login": from `shopper.login`; "guest": registered by the script. */
  readonly from: "page" | "login" | "guest";
}

/** A list that was the guest's before `shopper.login`. */
export interface MergedList {
  lid: string;
  /** The shopper's list that it has become part of. */
  into?: string;
  /** Name of the list that has its items now. */
  lname: string;
  /** Number of items that it had. */
  cnt: number;
}

/** What the shop's server signed for this regid (docs/api.md, "Making a token"). */
export interface LoginToken {
  extuid: string | number;
  useremail: string;
  expires: number | string;
  token: string;
  platform?: string | undefined;
}

/** A call that has no function of its own here, such as `comments/add`. */
export interface RequestOptions {
  /** Below /api/v3/, such as "lists/comments/list". */
  path: string;
  query?: Record<string, unknown> | undefined;
  /** Arrays and objects are sent as JSON text. */
  form?: Record<string, unknown> | undefined;
  /** True for a change: it is sent after those that wait, with an idempotency key. */
  write?: boolean | undefined;
}

/** The codes that the script itself gives. */
export type OwnCode =
  | "network"
  | "timeout"
  | "bad-response"
  | "not-configured"
  | "identity-changed"
  | "invalid-parameter"
  | "queue-full"
  | "expired"
  | "internal";

/** Why a call failed. `message` says what to do next. */
export declare class WishboneError extends Error {
  override readonly name: "WishboneError";
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
  /** Seconds that the server asks to wait; 0 where it does not say. */
  readonly retryAfter: number;
}

export type OnSuccess<T> = (result: T) => void;
export type OnError = (error: WishboneError) => void;
type Maybe<T> = T | "" | null | undefined;

/**
 * Every call returns a Promise. If a callback is given, exactly one of the two is called, once, and never before the
 * call has returned; the Promise may then be ignored.
 */
export interface Method<Options, Result> {
  (options: Options, onSuccess?: Maybe<OnSuccess<Result>>, onError?: Maybe<OnError>): Promise<Result>;
}

/** A method whose options may be left out. */
export interface EasyMethod<Options, Result> {
  (options?: Options | null, onSuccess?: Maybe<OnSuccess<Result>>, onError?: Maybe<OnError>): Promise<Result>;
  (onSuccess: OnSuccess<Result>, onError?: Maybe<OnError>): Promise<Result>;
}

export interface Wishlist {
  fetchUserLists(onSuccess?: Maybe<OnSuccess<UserLists>>, onError?: Maybe<OnError>): Promise<UserLists>;
  readonly fetchUserList: Method<FetchUserListOptions, UserList>;
  readonly fetchListWithContents: Method<FetchListWithContentsOptions, ListContents>;
}

export interface Lists {
  /** All lists of the shopper: wishlists first, then other types, save-for-later lists last, each oldest first. */
  readonly fetch: EasyMethod<FetchListsOptions, Array<List & { listcontents?: ListItem[] }>>;
  /** One page of a list, newest items first. */
  readonly page: Method<PageOptions, Page>;
  /** A list with all its items. */
  readonly details: Method<FetchListWithContentsOptions, ListContents>;
  readonly create: Method<CreateListOptions, ListWithItems>;
  readonly update: Method<UpdateListOptions, List>;
  /** Gives the list as it was. */
  readonly delete: Method<{ lid: string; ifversion?: number | undefined }, List>;
  /** The shopper's default wishlist, or the list of this name and type; made where it is missing. */
  readonly ensure: EasyMethod<EnsureListOptions, List>;
}

type OrWithType<E> = E | { epis: E; lty?: string | undefined };
type OfProducts<E> = { empis: E; lty?: string | undefined };

export interface ItemCalls {
  readonly add: Method<Items<Product>, ChangedItems>;
  readonly update: Method<Items<Product>, ChangedItems>;
  readonly remove: Method<Items<ItemRef>, ChangedItems>;
  /** Adds the product to the default wishlist (or to `lid`), or removes it from all wishlists (or from `lid`). */
  readonly toggle: Method<Product & { lid?: string | undefined }, { added: boolean }>;
  readonly move: Method<
    { fromlid: string; tolid: string; items: ItemRef | ItemRef[]; ifversion?: number | undefined },
    MovedItems
  >;
  /**
   * The lids of the shopper's lists that have this variant; for an array, an object of them by epi. `lty` restricts them
   * to lists of one type: "wl" for hearts, as in `toggle`. Calls of the same moment are one request.
   */
  contains(epi: OrWithType<number | string>, onSuccess?: Maybe<OnSuccess<string[]>>, onError?: Maybe<OnError>): Promise<string[]>;
  contains(
    epis: OrWithType<ReadonlyArray<number | string>>,
    onSuccess?: Maybe<OnSuccess<Record<string, string[]>>>,
    onError?: Maybe<OnError>,
  ): Promise<Record<string, string[]>>;
  /** The variants of this product that are on lists; for an array, an object of them by empi. */
  contains(product: OfProducts<number | string>, onSuccess?: Maybe<OnSuccess<Place[]>>, onError?: Maybe<OnError>): Promise<Place[]>;
  contains(
    products: OfProducts<ReadonlyArray<number | string>>,
    onSuccess?: Maybe<OnSuccess<Record<string, Place[]>>>,
    onError?: Maybe<OnError>,
  ): Promise<Record<string, Place[]>>;
}

export interface SaveForLater {
  /** The shopper's save-for-later list with its newest items; makes the list on first use. */
  readonly init: EasyMethod<{ lname?: string | undefined; lnote?: string | undefined }, SavedPage>;
  readonly fetch: EasyMethod<{ next?: string | null | undefined; itemslimit?: number | undefined }, SavedPage>;
  readonly add: Method<Items<Product>, ChangedItems>;
  readonly update: Method<Items<Product>, ChangedItems>;
  readonly remove: Method<Items<ItemRef>, ChangedItems>;
  /** Takes the items off the list, because they are in the cart now. */
  readonly movedToCart: Method<Items<ItemRef>, ChangedItems>;
}

export interface Sharing {
  readonly createLink: Method<
    {
      lid: string;
      scope?: "view" | "edit" | undefined;
      expires?: number | undefined;
      label?: string | undefined;
      fromname?: string | undefined;
    },
    ShareLink
  >;
  readonly links: Method<{ lid: string }, ShareLink[]>;
  readonly revokeLink: Method<{ lid: string; key: string } | { lid: string; all: true }, { revoked: number }>;
  readonly mail: Method<
    { lid: string; toemail: string; fromname?: string | undefined; note?: string | undefined },
    { list: List; msg: string }
  >;
  /** Counts a share that happened elsewhere, such as "facebook". */
  readonly reportSocial: Method<{ lid: string; medium: string; fromname?: string | undefined }, { lid: string }>;
  /** `public: false` makes the list private again. */
  readonly markPublic: Method<{ lid: string; public?: boolean | undefined }, ListWithItems>;
}

export interface Counts {
  /** How many shoppers have the product on a wishlist. Calls of the same moment are one request. */
  social(empi: number | string, onSuccess?: Maybe<OnSuccess<number>>, onError?: Maybe<OnError>): Promise<number>;
  social(
    empis: ReadonlyArray<number | string>,
    onSuccess?: Maybe<OnSuccess<Record<string, number>>>,
    onError?: Maybe<OnError>,
  ): Promise<Record<string, number>>;
}

export interface SubscriptionCalls {
  readonly add: Method<SubscribeOptions, Subscription[]>;
  readonly remove: Method<{ epi: number | string; topic: Topic; medium?: "email" | "sms" | undefined }, Subscription[]>;
  readonly fetch: Method<
    { topic: Topic; medium?: "email" | "sms" | undefined; limit?: number | undefined; offset?: number | undefined },
    Subscriptions
  >;
}

export interface Shopper {
  readonly save: Method<ShopperDetails, { message: string }>;
  /**
   * Logs the guest in with a token of the shop's server, and merges the guest's lists. Pass the token, or a function
   * that asks the shop's server for one: the token is signed for `regid`.
   */
  readonly login: Method<LoginToken | ((identity: Identity) => LoginToken | Promise<LoginToken>), Identity>;
  logout(): void;
  /** Who calls are made as; registers a guest where there is nobody yet. */
  readonly identity: EasyMethod<{}, Identity>;
  /** The same without a request; null where no guest was needed so far. */
  current(): Identity | null;
}

/** A change that is stored in the browser until the server has it. */
export interface QueuedWrite {
  /** Its idempotency key. */
  readonly key: string;
  /** Such as "items.add". */
  readonly name: string;
  /** The options of the call. */
  readonly args: unknown;
  /** When it was made. */
  readonly at: number;
}

interface ChangeOfItems {
  lid: string;
  /** The version that the change has made of the list. */
  version?: number | undefined;
  /** All variants that the change is about. */
  epis: number[];
  items: ListItem[];
}

/**
 * Events: `document` gets each as a CustomEvent "wishbone:<name>" with these details. `remote` is true where another
 * tab or, with "live", another device made the change.
 */
export interface EventDetails {
  added: ChangeOfItems;
  removed: ChangeOfItems;
  updated: ChangeOfItems;
  moved: { fromlid: string; tolid: string; epis: number[]; items: ListItem[]; fromversion?: number; toversion?: number };
  "list-created": { list: List };
  "list-updated": { list: List };
  "list-deleted": { list: List };
  /**
   * Lists may have changed, and it is not known which ("live", or a page that comes back from the back/forward cache).
   * Whatever a page shows of them may be out of date.
   */
  "lists-changed": {};
  "saved-added": ChangeOfItems;
  "saved-removed": ChangeOfItems;
  "saved-updated": ChangeOfItems;
  "saved-moved-to-cart": ChangeOfItems;
  shared: { lid: string; medium: string };
  unshared: { lid: string };
  subscribed: { subscriptions: Subscription[] };
  unsubscribed: { subscriptions: Subscription[] };
  "shopper-saved": {};
  /** The shopper has changed; whatever a page shows of the last one is out of date. */
  login: { lists?: MergedList[] | undefined };
  logout: {};
  /** A change waits for the network. */
  queued: QueuedWrite;
  /** All that waited has been sent. */
  synced: {};
  /** A call failed. `replayed`: a change of an earlier page, for which nobody waits any more. */
  error: { error: WishboneError; name: string; args: unknown; replayed: boolean };
}

export type EventName = keyof EventDetails;
export type EventDetail<N extends EventName> = EventDetails[N] & { remote?: boolean };
export type Listener<N extends EventName> = (detail: EventDetail<N>, name: N) => void;
/** The events as `document` gets them. */
export type DocumentEvents = { [N in EventName as `wishbone:${N}`]: CustomEvent<EventDetail<N>> };

declare global {
  interface DocumentEventMap extends DocumentEvents {}
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
