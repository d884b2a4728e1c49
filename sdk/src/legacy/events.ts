import type { ListItem } from "../api";
import type { Api } from "./context";
import { legacyItem } from "./records";

export const JSEvents = {
  addedToWishlist: "sw:addedtowishlist",
  removedFromWishlist: "sw:removedfromwishlist",
  UIAddedToCart: "sw:addedtocart",
  UIAddedAllToCart: "sw:addedallToCart",
  addedalltocart: "sw:addedalltocart",
  variantChanged: "sw:variantChanged",
  configLoaded: "sw:configLoaded",
};

export type Emit = (name: string, product?: object) => void;

/** The event target of the theme, and the function that reports to it. `event.detail.d` is the product. */
export function eventLayer(api: Api): { evtLayer: EventTarget; emit: Emit } {
  const evtLayer = new EventTarget();
  const emit: Emit = (name, d = {}) => void evtLayer.dispatchEvent(new CustomEvent(name, { detail: { d } }));

  const follow = (event: "added" | "removed", name: string) =>
    api.on(event, ({ items, remote }) => {
      // Themes show a message and report to their analytics: once, in the tab where it happened.
      if (!remote) items.forEach((item: ListItem) => emit(name, legacyItem(item, api)));
    });
  follow("added", JSEvents.addedToWishlist);
  follow("removed", JSEvents.removedFromWishlist);

  // Themes spell this one in two ways, and dispatch it themselves.
  const spellings = [JSEvents.UIAddedAllToCart, JSEvents.addedalltocart];
  let isEcho = false;
  const echo = ({ type, detail }: any) => {
    if (isEcho) return;
    isEcho = true;
    evtLayer.dispatchEvent(new CustomEvent(spellings.find((name) => name !== type)!, { detail }));
    isEcho = false;
  };
  for (const name of spellings) evtLayer.addEventListener(name, echo);
  return { evtLayer, emit };
}
