import type { Context } from "./context";
import { isNobody } from "./records";

export const isId = (value: string) => /^[1-9]\d{0,15}$/.test(value);

/**
 * The variants of products that the shopper has changed, or has in a wishlist. Each may have left its list since then:
 * what is in a list now is for `contains` to say.
 */
export function knownVariants({ api }: Context) {
  const known = new Map<string, Set<string>>();

  function learn(items: ReadonlyArray<{ epi?: unknown; empi?: unknown }> = []): void {
    for (const { epi, empi } of items) {
      const id = String(empi);
      if (isId(id)) known.set(id, (known.get(id) || new Set()).add(String(epi)));
    }
  }

  for (const event of ["added", "removed", "moved"] as const) api.on(event, ({ items }) => learn(items));

  let lists: Promise<void> | undefined;
  // Lists that were copied or restored bring items along, and another shopper has other lists. A new list has none.
  api.on("*", (detail: any, name: string) => {
    if (/^(list|log)/.test(name) && detail.list?.cnt !== 0) lists = undefined;
  });

  async function ask(): Promise<void> {
    const all = isNobody(api) ? [] : await api.lists.fetch({ lty: "wl", contents: true });
    all.forEach(({ listcontents }) => learn(listcontents));
  }

  return {
    learn,

    of: (empi: string): string[] => [...(known.get(empi) || [])],

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
