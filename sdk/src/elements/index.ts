import type { Wishbone } from "../api";
import type { Elements, ElementsOptions } from "./api";
import { Alerts } from "./alerts";
import { announceQueue, followLanguage, followQueue, followShopper } from "./announce";
import { quietly } from "./dom";
import { Heart } from "./heart";
import { ListElement } from "./list";
import { Lists } from "./lists";
import { Notify } from "./notify";
import { page } from "./page";
import { Saved } from "./saved";
import { Share } from "./share";
import { SharedList } from "./shared-list";
import { setTexts } from "./texts";
import { prepareToasts, toast, Toasts } from "./toast";

const ELEMENTS = {
  "wishbone-toasts": Toasts,
  "wishbone-heart": Heart,
  "wishbone-list": ListElement,
  "wishbone-saved": Saved,
  "wishbone-notify": Notify,
  "wishbone-alerts": Alerts,
  "wishbone-share": Share,
  "wishbone-shared-list": SharedList,
  "wishbone-lists": Lists,
};

const elements: Elements = { toast, setTexts };

/** Defines the custom elements, bound to this client. A page has one client for them: the first. */
export function install(client: Wishbone, { texts, currency }: ElementsOptions = {}): Elements {
  for (const [language, table] of Object.entries(texts || {})) setTexts(language, table);
  page.currency = currency || page.currency;
  if (typeof customElements === "undefined" || page.client || customElements.get("wishbone-heart")) return elements;
  page.client = client;
  for (const [name, element] of Object.entries(ELEMENTS)) customElements.define(name, element);
  announceQueue(client);
  followQueue();
  followShopper(client);
  followLanguage();
  if (document.body) quietly(prepareToasts);
  else document.addEventListener("DOMContentLoaded", () => quietly(prepareToasts));
  return elements;
}
