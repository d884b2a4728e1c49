// Compiled, never run: the elements in templates of Vue against the published types.
import type { GlobalComponents } from "vue";
import type {} from "../../dist/wishbone-vue";

type Props<Name extends keyof GlobalComponents> = InstanceType<GlobalComponents[Name]>["$props"];

export const heart: Props<"wishbone-heart"> = { epi: 1, empi: "2", variant: "button", count: true };
export const lists: Props<"wishbone-lists"> = { currency: "EUR", page: "/shared?wishlist={key}" };
// @ts-expect-error a heart has a product
export const nothing: Props<"wishbone-heart"> = { empi: 2 };
// @ts-expect-error not a topic
export const sale: Props<"wishbone-notify"> = { epi: 1, empi: 2, topic: "sale" };
