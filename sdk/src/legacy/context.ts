import type { List, ListItem, Wishbone } from "../api";

/** The client with the functions that themes call on it. Themes may replace any of them. */
export type Api = Wishbone & Record<string, any>;

/** What the parts of the layer share. */
export interface Context {
  readonly api: Api;
  /** The prefix in lower case. */
  readonly lower: string;
  /** The ISO 4217 code of the shop's currency; "" if it is not known. */
  currency(): string;
  /** Lists whose records are not meant to stay there: save for later, and lists that somebody else has shared. */
  readonly notWishlists: Set<string>;
  /** The wishlists, each with its newest items. */
  wishlists(): Promise<Array<List & { listcontents?: ListItem[] }>>;
  /** A global object that the page or the theme fills, such as `OldViewProducts` for "ViewProducts". */
  page(name: string): Record<string, any>;
  /** A global value of the page in lower case, such as `oldCart` for "Cart". */
  value(name: string): any;
}

/** The entry of this key, and nothing that every object has. */
export function own(object: unknown, key: unknown): any {
  return object && Object.prototype.hasOwnProperty.call(object, key as string) ? (object as any)[key as string] : undefined;
}
