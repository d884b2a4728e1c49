import type { ChangedItems, CreateListOptions, List, UpdateListOptions } from "../api";
import { deliver, lidOf } from "./call";
import type { Context } from "./context";
import { allItems, isNobody, legacyItem, legacyItems, productOf } from "./records";

interface FetchLists {
  callbackFn?: unknown;
  errorFn?: unknown;
  lty?: string;
}

/** Functions about lists that the theme names. */
export function lists({ api, notWishlists }: Context, cartIsKnown: Promise<unknown>) {
  const { lists, items } = api;

  function learn({ lid, lty, canEdit }: List): void {
    if (canEdit === false || /^(_saveForLater|sfl)$/.test(lty || "")) notWishlists.add(lid);
  }

  async function fetchLists(lty: string | undefined) {
    const all = isNobody(api) ? [] : await lists.fetch({ contents: true, lty });
    all.forEach(learn);
    const whole = async (list: (typeof all)[0]) => ({ ...list, listcontents: legacyItems(await allItems(api, list), api) });
    const found = await Promise.all(all.map(whole));
    await cartIsKnown;
    return found;
  }

  async function details(list: unknown) {
    const found = await lists.details({ lid: lidOf(list) });
    learn(found.list);
    await cartIsKnown;
    const items = legacyItems(found.items, api);
    return { list: { ...found.list, listcontents: items }, items };
  }

  /** Some themes create their list on each page: the existing one of that name and type is given. */
  async function create(options: CreateListOptions): Promise<List> {
    const { lname, lty, fromlid, lnote, lprops, ldesc } = options || {};
    // A copy is always a new list, and what is wrong with a missing name is the server's to say.
    if (fromlid || !lname) return lists.create(options || {});
    const list = await lists.ensure({ lname, lty });
    const isNew = list.cnt === 0 && list.cts === list.uts;
    const changed = isNew && (lnote || lprops || ldesc) ? await lists.update({ lid: list.lid, lnote, lprops, ldesc }) : list;
    return list.cnt ? changed : { ...changed, listcontents: [] } as List;
  }

  type Change = (options: any) => Promise<ChangedItems>;

  /** The record of the item, or what was given where the list does not have it. */
  const one = async (work: Change, lid: string, product: any) => {
    const changed = await work({ ...productOf(product), lid });
    return changed.items[0] ? legacyItem(changed.items[0], api) : product;
  };
  const many = async (work: Change, lid: string, products: any[]) => {
    const changed = await work({ lid, items: [products].flat().map(productOf) });
    return { ...changed, items: legacyItems(changed.items, api) };
  };

  const forOne = (work: Change) => (lid: unknown, product: unknown, ok?: unknown, err?: unknown) =>
    deliver(() => one(work, namedLid(lid), product), ok, err);
  const forMany = (work: Change) => (lid: unknown, products: any[], ok?: unknown, err?: unknown) =>
    deliver(() => many(work, namedLid(lid), products), ok, err);
  const forLists = (work: Change) => (product: unknown, lids: unknown[], ok?: unknown, err?: unknown) =>
    deliver(() => Promise.all([lids].flat().map(namedLid).map((lid) => one(work, lid, product))), ok, err);

  return {
    fetchLists: (options?: FetchLists | null) =>
      deliver(() => fetchLists(options?.lty), options?.callbackFn, options?.errorFn),
    fetchListDetails: (list: unknown, ok?: unknown, err?: unknown) => deliver(() => details(list), ok, err),
    fetchListCtx: (list: unknown, ok?: unknown, err?: unknown) =>
      deliver(async () => (await details(list)).items, ok, err),
    createList: (options: CreateListOptions, ok?: unknown, err?: unknown) => deliver(() => create(options), ok, err),
    updateList: (options: UpdateListOptions, ok?: unknown, err?: unknown) =>
      deliver(() => lists.update(options), ok, err),
    deleteList: (list: unknown, ok?: unknown, err?: unknown) =>
      deliver(() => lists.delete({ lid: lidOf(list) }), ok, err),
    addToList: forOne(items.add),
    updateListItem: forOne(items.update),
    deleteFromList: forOne(items.remove),
    addProductsToList: forMany(items.add),
    removeProductsFromList: forMany(items.remove),
    addProductToLists: forLists(items.add),
    removeProductFromLists: forLists(items.remove),
  };
}

/** The client takes no lid for the default wishlist. A theme that passes none here has failed to find its list. */
function namedLid(list: unknown): string {
  const lid = lidOf(list);
  if (!lid) throw new Error("Pass the lid of a list. For the default wishlist, call addToWishList or removeFromWishList.");
  return lid;
}
