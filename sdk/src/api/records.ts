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
