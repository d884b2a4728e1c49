import type { PageOptions } from "../api";
import type { Words } from "./base";
import { type Child, h } from "./dom";
import type { Key } from "./texts";

export type Order = Pick<PageOptions, "sortby" | "sortorder" | "filterby">;

/** The order of lists without one. */
export const DEFAULT_ORDER: Order = { sortorder: "desc" };

const SORTS: ReadonlyArray<[Key, Order]> = [
  ["sort.newest", DEFAULT_ORDER],
  ["sort.price.asc", { sortby: "price", sortorder: "asc" }],
  ["sort.price.desc", { sortby: "price", sortorder: "desc" }],
  ["sort.title", { sortby: "title", sortorder: "asc" }],
];
const FILTERS = [
  ["", "filter.all"],
  ["instock", "filter.instock"],
  ["outofstock", "stock.out"],
] as const;

export function orderControls(words: Words, order: Order, change: (order: Order) => void): Child {
  const { filterby } = order;
  const isSame = (one: Order) => one.sortby === order.sortby && one.sortorder === order.sortorder;
  const sort = ({ currentTarget }: Event) => {
    const [, chosen = DEFAULT_ORDER] = SORTS[(currentTarget as HTMLSelectElement).selectedIndex] || [];
    change(filterby ? { ...chosen, filterby } : chosen);
  };
  const filter = ({ currentTarget }: Event) => {
    const chosen = FILTERS[(currentTarget as HTMLSelectElement).selectedIndex]?.[0];
    const { filterby: _, ...sorted } = order;
    const [, known = sorted] = SORTS.find(([, one]) => isSame(one)) || [];
    change(chosen ? { ...sorted, filterby: chosen } : known);
  };
  const option = (key: Key, value: string) => h("option", { key, value }, words.t(key));
  return h(
    "div",
    { key: "order", class: "row order", part: "controls" },
    h(
      "label",
      { key: "sort" },
      words.t("sort"),
      h("select", { value: (SORTS.find(([, one]) => isSame(one)) || SORTS[0])?.[0], onchange: sort }, SORTS.map(([key]) => option(key, key))),
    ),
    h(
      "label",
      { key: "filter" },
      words.t("filter"),
      h("select", { value: filterby || "", onchange: filter }, FILTERS.map(([value, key]) => option(key, value))),
    ),
  );
}
