import type { QueuedWrite, Wishbone } from "../api";

/** What the shopper pressed and the server has not confirmed, for all hearts of the page. */
const wishes = new Map<string, boolean>();
/** The last press of each heart. */
const presses = new Map<string, object>();

const ADDS = /^items\.add$/;
const REMOVES = /\.(remove|movedToCart)$/;

const keyOf = ({ settings: { store } }: Wishbone, epi: string, lid: string) => `${store} ${epi} ${lid}`;

/** Returns a function that ends the wish, unless a later press has replaced it. */
export function wish(client: Wishbone, epi: string, lid: string, isIn: boolean): () => void {
  const key = keyOf(client, epi, lid);
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

/** What the shopper wants, also if it waits in the queue since an earlier page; undefined if nothing is pending. */
export function wishOf(client: Wishbone, epi: string, lid: string): boolean | undefined {
  return wishes.get(keyOf(client, epi, lid)) ?? queuedWish(client, epi, lid);
}

function queuedWish(client: Wishbone, epi: string, lid: string): boolean | undefined {
  let isIn: boolean | undefined;
  for (const { name, args } of queue(client)) {
    const { items = args, lid: of } = args as { items?: unknown; lid?: string };
    const isAbout = [items].flat().some((item: any) => String(item?.epi) === epi) && (!lid || lid === of);
    if (isAbout && ADDS.test(name)) isIn = true;
    // What is removed from a save-for-later list says nothing about wishlists, and those have hearts without a lid.
    if (isAbout && (lid ? REMOVES : /^items\.remove$/).test(name)) isIn = false;
  }
  return isIn;
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
