import { deliver } from "./call";
import type { Context } from "./context";
import { allItems, EventTypes, isNobody, legacyItem, legacyItems, productOf } from "./records";

/** Functions about the shopper's default wishlist. */
export function wishlist({ api, notWishlists, wishlists }: Context, cartIsKnown: Promise<unknown>) {
  const { lists, items, counts } = api;

  async function defaultItems() {
    const [list] = await wishlists();
    const found = list ? await allItems(api, list) : [];
    await cartIsKnown;
    return legacyItems(found, api);
  }

  /** The number of items in all wishlists. */
  async function count(): Promise<number> {
    const all = isNobody(api) ? [] : await lists.fetch({ lty: "wl" });
    return all.reduce((sum, { cnt = 0 }) => sum + cnt, 0);
  }

  /** How many shoppers have the product, which is given as an object or by its id. */
  async function social(product: any) {
    const empi = product?.empi ?? product;
    return { empi: Number(empi), count: await counts.social(empi) };
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

    // As old services call it.
    removeWishlistDefault: (...args: unknown[]) => api["removeFromWishList"](...args),

    // Views are not recorded.
    fetchRecentlyViewedProducts: (ok?: unknown, err?: unknown) => deliver(async () => [], ok, err),

    wishlistCount: (ok?: unknown, err?: unknown) => deliver(count, ok, err),

    fetchWishlistCount(...args: unknown[]) {
      // Some themes pass an object first.
      const [ok, err] = typeof args[0] === "object" ? args.slice(1) : args;
      return deliver(async () => ({ data: { count: await count() } }), ok, err);
    },

    /** These go into the client's own namespace `wishlist`. */
    ofNamespace: {
      getSocialCount: (product: any, ok?: unknown, err?: unknown) =>
        deliver(async () => ({ status: "success", data: await social(product) }), ok, err),

      getSocialCountBatch: (products: any, ok?: unknown, err?: unknown) =>
        deliver(async () => {
          const all = [products?.empis || products || []].flat();
          return { status: "success", data: await Promise.all(all.map(social)) };
        }, ok, err),
    },
  };
}
