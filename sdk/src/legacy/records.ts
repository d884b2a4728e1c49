import type { List, ListItem, Product, Wishbone } from "../api";
import { pageAddress } from "../page-address";
import { webAddress } from "../web-address";
import type { Api } from "./context";

/** The kinds of event that an item's `et` names. */
export const EventTypes = { pageView: 1, addToCart: 3, addToWishList: 4 };

const TEXTS = ["dt", "vi", "ct", "bt", "note", "sku"];

export type LegacyItem = ListItem & { variants: string; et: number; cu: string };

/** An item with the fields that only themes know. */
export function legacyItem(item: ListItem, api: Api): LegacyItem {
  return {
    ...item,
    variants: JSON.stringify([{ [item.vi || "Default Title"]: item.epi }]),
    et: EventTypes.addToWishList,
    cu: String(api["currency"] || ""),
  };
}

export const legacyItems = (items: ListItem[], api: Api) => items.map((item) => legacyItem(item, api));

/** A product as the server takes it, from what a theme knows of it. What is no price, quantity or picture is left out. */
export function productOf(given: any): Product & { lid?: string | undefined } {
  const { qty, pr, iu, du, variants, lbls, clbls = lbls, vi = titleOf(variants, given?.epi), ...rest } = given || {};
  const product = { ...rest, clbls, vi, du: webAddress(du) || pageAddress() };
  if (Number(qty) >= 1) product.qty = Math.floor(Number(qty));
  if (pr !== "" && pr !== null && Number(pr) >= 0) product.pr = pr;
  if (webAddress(iu)) product.iu = webAddress(iu);
  // Libraries read a title such as "501" from markup as a number.
  for (const name of TEXTS) if (typeof product[name] === "number") product[name] = String(product[name]);
  return product;
}

/** Themes fill `variants` with [{title: epi}], as JSON text or as it is. */
export function variantsOf(variants: unknown): Array<[title: string, epi: unknown]> {
  try {
    const list = typeof variants === "string" ? JSON.parse(variants) : variants;
    return Array.isArray(list) ? list.flatMap((one) => Object.entries(one || {})) : [];
  } catch {
    return [];
  }
}

function titleOf(variants: unknown, epi: unknown): string | undefined {
  const [title] = variantsOf(variants).find(([, id]) => String(id) === String(epi)) || [];
  return title === "Default Title" ? undefined : title;
}

/** All items of a list that came with its newest ones. */
export async function allItems(client: Wishbone, list: List & { listcontents?: ListItem[] }): Promise<ListItem[]> {
  const { lid, cnt = 0, listcontents = [] } = list;
  return cnt > listcontents.length ? (await client.lists.details({ lid })).items : listcontents;
}

/** Nobody has registered yet in this browser, so nobody has a list, and no request is needed to know that. */
export function isNobody({ settings, shopper }: Wishbone): boolean {
  return Boolean(settings.store) && !shopper.current();
}
