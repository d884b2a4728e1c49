import type { List, ListItem } from "./records";
import type { MergedList, Subscription } from "./options";
import type { WishboneError } from "./errors";

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
