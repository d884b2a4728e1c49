import type { ChangedItems, SavedPage } from "../api";
import { deliver } from "./call";
import type { Context } from "./context";
import { legacyItems, productOf } from "./records";

/**
 * `api.SaveForLater`. A shopper has one such list, so the `lid` that themes pass is not needed: a theme that stored it
 * may have that of a guest who has logged in since.
 */
export function savedForLater({ api, notWishlists }: Context) {
  const { saveForLater } = api;
  api.on("saved-added", ({ lid }) => notWishlists.add(lid));

  async function whole(first: SavedPage) {
    notWishlists.add(first.list.lid);
    const items = [...first.items];
    for (let { next } = first.pagination; next; ) {
      const page = await saveForLater.fetch({ next });
      items.push(...page.items);
      next = page.pagination.next;
    }
    return { ...first, items: legacyItems(items, api) };
  }

  const change =
    (work: (options: any) => Promise<ChangedItems>, name: string) =>
    (_lid: unknown, products: any, ok?: unknown, err?: unknown) =>
      deliver(async () => {
        const given = [products].flat().map((one) => ({ ...productOf(one), lid: undefined }));
        const { items, failed } = await work({ items: given });
        return { [name]: legacyItems(items, api), itemsfailed: failed };
      }, ok, err);

  return {
    init: (ok?: unknown, err?: unknown) => deliver(async () => whole(await saveForLater.init()), ok, err),
    fetch: (_list?: unknown, ok?: unknown, err?: unknown) =>
      deliver(async () => whole(await saveForLater.fetch()), ok, err),
    add: change(saveForLater.add, "itemsadded"),
    update: change(saveForLater.update, "itemsupdated"),
    remove: change(saveForLater.remove, "itemsdeleted"),
  };
}
