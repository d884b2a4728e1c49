import type { ListItem } from "../api";
import { webAddress } from "../web-address";
import { askPage } from "./ask";

/**
 * Asks the page to put the item into its cart. True if it did; undefined if the page did not say so. Rejects with the
 * page's reason. If nobody handles the event, the shopper goes to the product, where it can be bought; not if it is
 * `oneOfMany`.
 */
export async function addToCart(element: Element, item: ListItem, oneOfMany = false): Promise<true | undefined> {
  const { answer, isAllowed } = askPage(element, "wishbone:add-to-cart", { item: { ...item }, quantity: item.qty || 1 });
  if (answer) {
    await answer[0];
    return true;
  }
  const address = webAddress(item.du);
  if (isAllowed && (oneOfMany || !address)) {
    throw new Error("Nothing handles wishbone:add-to-cart, and the item has no address.");
  }
  if (isAllowed) location.assign(address);
  return undefined;
}
