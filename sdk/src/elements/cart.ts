import type { ListItem } from "../api";
import { webAddress } from "../web-address";
import type { AddToCart } from "./api";

/**
 * Asks the page to put the item into its cart. True if it did; undefined if the page did not say so. Rejects with the
 * page's reason. If nobody handles the event, the shopper goes to the product, where it can be bought.
 */
export async function addToCart(element: Element, item: ListItem): Promise<true | undefined> {
  let response: unknown;
  let isHandled = false;
  const detail: AddToCart = {
    item: { ...item },
    quantity: item.qty || 1,
    respondWith(promise) {
      isHandled = true;
      response = promise;
    },
  };
  const event = new CustomEvent("wishbone:add-to-cart", { bubbles: true, composed: true, cancelable: true, detail });
  const isAllowed = element.dispatchEvent(event);
  if (isHandled) {
    await response;
    return true;
  }
  const address = webAddress(item.du);
  if (isAllowed && !address) throw new Error("Nothing handles wishbone:add-to-cart, and the item has no address.");
  if (isAllowed) location.assign(address);
  return undefined;
}
