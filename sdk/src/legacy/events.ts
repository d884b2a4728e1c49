import type { ListItem } from "../api";
import type { Api } from "./context";
import { legacyItem } from "./records";

export const JSEvents = {
  addedToWishlist: "sw:addedtowishlist",
  removedFromWishlist: "sw:removedfromwishlist",
  UIAddedToCart: "sw:addedtocart",
  UIAddedAllToCart: "sw:addedallToCart",
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
  return { evtLayer, emit };
}
