import type { List, ListItem, ListWithItems, UserInfo } from "./records";

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
