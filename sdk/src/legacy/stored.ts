import type { List, ListItem } from "../api";
import type { Api } from "./context";
import { isNobody, legacyItems } from "./records";

type Contents = List & { listcontents?: ListItem[] };

// The browser has about 5 MB for all of the shop.
const MAX_ITEMS = 500;

/**
 * What themes read in the browser's storage: the items of the wishlists, and the name of who is logged in. It is as new as
 * what the page has learned so far, and is cleared for the next shopper.
 */
export function storedShopper(api: Api, lower: string) {
  const [products, authn] = [`${lower}-products`, `${lower}-authn`];
  const owner = () => (api.shopper.current()?.regid || "").slice(-16);

  function read(name: string): any {
    try {
      const { all, of } = JSON.parse(localStorage.getItem(name)!);
      return of === owner() && all;
    } catch {
      return undefined;
    }
  }

  function store(name: string, all: unknown): void {
    try {
      localStorage.setItem(name, JSON.stringify({ all, of: owner() }));
    } catch {
      // Themes that read it find what was there before, or nothing.
    }
  }

  const storeItems = (all: ListItem[]) => store(products, legacyItems(all.slice(0, MAX_ITEMS), api));
  const others = (lid: string, epis: number[]): ListItem[] => (read(products) || []).filter((one: ListItem) => one.lid !== lid || !epis.includes(one.epi));

  function reset(): void {
    storeItems(read(products) || []);
    store(authn, read(authn) || { regn: {} });
  }

  reset();
  api.on("login", reset);
  api.on("logout", reset);
  api.on("added", ({ lid, epis, items }) => storeItems([...items, ...others(lid, epis)]));
  api.on("removed", ({ lid, epis }) => storeItems(others(lid, epis)));

  /** The wishlists, each with its newest items. */
  async function wishlists(): Promise<Contents[]> {
    const all: Contents[] = isNobody(api) ? [] : await api.lists.fetch({ lty: "wl", contents: true });
    storeItems(all.flatMap(({ listcontents = [] }) => listcontents));
    const userinfo = all[0]?.userinfo;
    if (userinfo) store(authn, { regn: { userinfo } });
    return all;
  }

  api.on("*", (_, name) => /^(moved|list-deleted|lists-changed)$/.test(name) && wishlists().catch(() => {}));
  return wishlists;
}
