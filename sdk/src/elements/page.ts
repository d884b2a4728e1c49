import type { Wishbone } from "../api";

/** What all elements of a page share. Set by `install`, before the elements are defined. */
export const page = {
  /** One per store. The first is that of elements which name no store. */
  clients: [] as Wishbone[],
  /** ISO 4217 code for elements without an attribute `currency`; "" shows prices as plain numbers. */
  currency: "",
};
