import { webAddress } from "./web-address";

/**
 * The address of the product where a page does not name one. Others see it on a shared list, so the canonical address comes
 * first: it has no parameters of newsletters and campaigns.
 */
export function pageAddress(): string {
  const canonical = document.querySelector<HTMLLinkElement>("link[rel~=canonical][href]")?.href || "";
  return (webAddress(canonical) || location.href).replace(/#.*/, "");
}
