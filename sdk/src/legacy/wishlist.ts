import { deliver, run } from "./call";
import type { Context } from "./context";
import { allItems, EventTypes, isNobody, legacyItem, legacyItems, productOf } from "./records";

/** Functions about the shopper's default wishlist. */
export function wishlist({ api, notWishlists }: Context, cartIsKnown: Promise<unknown>) {
  const { lists, items, counts } = api;

  async function defaultItems() {
    const [list] = isNobody(api) ? [] : await lists.fetch({ lty: "wl", contents: true });
    const found = list ? await allItems(api, list) : [];
    await cartIsKnown;
    return legacyItems(found, api);
  }

  /** The number of items in all wishlists. */
  async function count(): Promise<number> {
    const all = isNobody(api) ? [] : await lists.fetch({ lty: "wl" });
    return all.reduce((sum, { cnt = 0 }) => sum + cnt, 0);
  }

  async function change(work: typeof items.add, given: any) {
    const { lid, ...product } = productOf(given);
    // A record of save for later is about the wishlist here, not about the list that it comes from.
    const isMeant = lid && !notWishlists.has(lid);
    const { items } = await work(isMeant ? { ...product, lid } : product);
    return items[0] ? legacyItem(items[0], api) : given;
  }

  return {
    fetch: (ok?: unknown, err?: unknown) => deliver(defaultItems, ok, err),

    // Views and carts are not recorded: of other types there is nothing.
    fetchWrtEventTypeET: (ok?: unknown, et?: unknown, err?: unknown) =>
      deliver(async () => (!et || Number(et) === EventTypes.addToWishList ? defaultItems() : []), ok, err),

    addToWishList: (product: any, ok?: unknown, err?: unknown) => deliver(() => change(items.add, product), ok, err),

    removeFromWishList: (product: any, ok?: unknown, err?: unknown) =>
      deliver(() => change(items.remove as typeof items.add, product), ok, err),

    wishlistCount: (ok?: unknown, err?: unknown) => deliver(count, ok, err),

    fetchWishlistCount(...args: unknown[]) {
      // Some themes pass an object first.
      const [ok, err] = typeof args[0] === "object" ? args.slice(1) : args;
      return deliver(async () => ({ data: { count: await count() } }), ok, err);
    },

    renderWishlistCount(element: any, ok?: unknown, err?: unknown) {
      // A selector and a list of elements do as well.
      const found = typeof element === "string" ? document.querySelectorAll(element) : element?.nodeType ? [element] : element;
      const show = (count: number) => {
        for (const one of Array.from<any>(found || [])) one.textContent = String(count);
        run(ok, count, element);
      };
      // Some themes pass a number of milliseconds third.
      return deliver(count, show, typeof err === "function" ? err : "");
    },

    /** Goes into the client's own namespace `wishlist`. */
    getSocialCount: (product: any, ok?: unknown, err?: unknown) =>
      deliver(async () => {
        const empi = product?.empi;
        return { status: "success", data: { empi: Number(empi), count: await counts.social(empi) } };
      }, ok, err),
  };
}
