import type { List, ListItem, Wishbone } from "../api";
import type { Variant } from "./api";
import { askPage } from "./ask";
import type { Edited } from "./item-dialog";

// The shopper waits for it.
const PATIENCE = 5000;

/** Asks the page for the variants of a product. None if nobody answers; rejects if the page cannot say in time. */
export async function variantsOf(element: Element, item: object): Promise<Variant[]> {
  const { answer = [] } = askPage(element, "wishbone:variants", { item: { ...item } });
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE, new Error("wishbone:variants was answered too late.")));
  const given = await Promise.race([answer[0], late]);
  return Array.isArray(given) ? given.filter((variant) => Number(variant?.epi) > 0) : [];
}

/**
 * Puts another variant in the place of an item, with its note and quantity. It is added first: nothing is lost if the
 * second change fails.
 */
export async function replaceItem({ items }: Wishbone, item: ListItem, variant: Variant): Promise<ListItem> {
  const { lid, epi, empi } = item;
  const changed = { ...item, ...replaced(variant) };
  const added = await items.add({ ...changed, lid });
  await items.remove({ lid, epi, empi });
  return added.items[0] || changed;
}

/** What the variant replaces of an item. */
export function replaced({ epi, vi = "", pr = null, sku = "", ...more }: Variant): Partial<ListItem> {
  return { ...more, epi: Number(epi), vi, pr: pr === null ? null : Number(pr), sku };
}

/** The list, made if it is new. Without a network that waits: only the server knows the id of a new list. */
export async function madeList({ lists }: Wishbone, { lid, lname }: Edited["list"]): Promise<Pick<List, "lid" | "lname">> {
  return lid ? { lid, lname } : lists.create({ lname });
}

export function moveItem({ items }: Wishbone, { lid, epi, empi }: ListItem, to: Pick<List, "lid">): Promise<unknown> {
  return items.move({ fromlid: lid, tolid: to.lid, items: { epi, empi } });
}
