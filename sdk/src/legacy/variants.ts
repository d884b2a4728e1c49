import type { Context } from "./context";

export const isId = (value: string) => /^[1-9]\d{0,15}$/.test(value);

type Variant = { [name in "epi" | "empi" | "du" | "dt" | "iu" | "pr" | "vi" | "ct"]?: unknown };

/** The name of a product in its address. */
export const handleOf = (address: unknown) => String(address).split(/[?#]/)[0]!.replace(/\/+$/, "").split("/").pop()!;

/**
 * The variants of products that the shopper has changed, or has in a wishlist. Each may have left its list since then:
 * what is in a list now is for `contains` to say.
 */
export function knownVariants({ api, wishlists }: Context) {
  const known = new Map<string, Set<string>>();
  const named = new Map<string, Variant>();

  function learn(items: readonly Variant[] = []): void {
    for (const { epi, empi, du, dt, iu, pr, vi, ct } of items) {
      const id = String(empi);
      if (!isId(id)) continue;
      known.set(id, (known.get(id) || new Set()).add(String(epi)));
      if (du) named.set(handleOf(du), { epi, empi, du, dt, iu, pr, vi, ct });
    }
  }

  for (const event of ["added", "removed", "moved"] as const) api.on(event, ({ items }) => learn(items));

  let lists: Promise<void> | undefined;
  // Lists that were copied or restored bring items along, and another shopper has other lists. A new list has none.
  api.on("*", (detail: any, name: string) => {
    if (/^(list|log)/.test(name) && detail.list?.cnt !== 0) lists = undefined;
  });

  async function ask(): Promise<void> {
    const all = await wishlists();
    all.forEach(({ listcontents }) => learn(listcontents));
  }

  return {
    learn,

    of: (empi: string): string[] => [...(known.get(empi) || [])],

    /** One of the product with this name in its address. */
    named: (handle: string) => named.get(handle),

    /** Learns from the newest items of the wishlists, once per page. */
    load(): Promise<void> {
      if (lists) return lists;
      const mine = (lists = ask());
      mine.catch(() => lists === mine && (lists = undefined));
      return mine;
    },
  };
}

export type KnownVariants = ReturnType<typeof knownVariants>;
