import type { ItemRef, Place, QueuedWrite, Wishbone } from "../api";

/** What the shopper pressed and the server has not confirmed, for all hearts of the page. */
const wishes = new Map<string, boolean>();
/** The last press of each heart. */
const presses = new Map<string, object>();

const ADDS = /^items\.add$/;
const REMOVES = /\.(remove|movedToCart)$/;

const keyOf = ({ settings: { store } }: Wishbone, id: string, lid: string) => `${store} ${id} ${lid}`;

/** `id` is the variant, or names the product. Returns a function that ends the wish, unless a later press has replaced it. */
export function wish(client: Wishbone, id: string, lid: string, isIn: boolean): () => void {
  const key = keyOf(client, id, lid);
  const mine = {};
  presses.set(key, mine);
  wishes.set(key, isIn);
  return () => {
    if (presses.get(key) === mine) wishes.delete(key);
  };
}

/** Another tab has queued something: what is queued counts from now on, also where it is newer than a press here. */
export function forgetWishes(): void {
  wishes.clear();
}

/** What the shopper has pressed and the server has not confirmed. */
export const pressed = (client: Wishbone, id: string, lid: string): boolean | undefined => wishes.get(keyOf(client, id, lid));

/** What the shopper wants of a variant, also if it waits in the queue since an earlier page; undefined if nothing is pending. */
export function wishOf(client: Wishbone, epi: string, lid: string): boolean | undefined {
  return pressed(client, epi, lid) ?? queuedWish(client, epi, lid);
}

function queuedWish(client: Wishbone, epi: string, lid: string): boolean | undefined {
  const places = withQueued(client, undefined, (item) => String(item.epi) === epi, lid);
  return places && places.length > 0;
}

/**
 * Where variants are once all that waits is sent: those that `isAbout` is true for, on the list `lid` or, without one, on
 * wishlists. Places of which nothing is known stay undefined, if nothing waits.
 */
export function withQueued(
  client: Wishbone,
  places: Place[] | undefined,
  isAbout: (item: ItemRef) => boolean,
  lid: string,
): Place[] | undefined {
  let now = places;
  for (const { name, args } of queue(client)) {
    const { items = args, lid: of = "" } = args as { items?: unknown; lid?: string };
    const isAdded = ADDS.test(name);
    // What is removed from a save-for-later list says nothing about wishlists, and those have hearts without a lid.
    if ((lid && lid !== of) || !(isAdded || (lid ? REMOVES : /^items\.remove$/).test(name))) continue;
    for (const item of [items].flat() as Array<ItemRef | undefined>) {
      const epi = Number(item?.epi);
      if (!item || !(isAbout(item) || now?.some((place) => place.epi === epi))) continue;
      // Without a list, it is the default wishlist, whichever that is.
      const others = (now || []).filter((place) => place.epi !== epi || (of && place.lid && place.lid !== of));
      now = isAdded ? [...others, { epi, lid: of }] : others;
    }
  }
  return now;
}

const queues = new Map<Wishbone, QueuedWrite[]>();

/** The queue is in localStorage: read once for all hearts that are shown at the same moment. */
function queue(client: Wishbone): QueuedWrite[] {
  let queued = queues.get(client);
  if (!queued) {
    queues.set(client, (queued = client.queued()));
    queueMicrotask(() => queues.delete(client));
  }
  return queued;
}
