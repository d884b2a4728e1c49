import type { Wishbone } from "../api";
import type { Elements, ElementsOptions } from "./api";
import { announceQueue, followLanguage, followQueue, followShopper } from "./announce";
import { startWaiting } from "./base";
import { quietly } from "./dom";
import { page } from "./page";
import { setTexts } from "./texts";
import { prepareToasts, toast, Toasts } from "./toast";

const elements: Elements = { toast, setTexts };
const TOASTS = "wishbone-toasts";

/** The `install` of a module that has these elements. */
export function installer(table: Record<string, CustomElementConstructor>) {
  /** Defines the elements. Those that name no store are bound to the first client. */
  return function install(client: Wishbone, { texts, currency }: ElementsOptions = {}): Elements {
    for (const [language, table] of Object.entries(texts || {})) setTexts(language, table);
    page.currency = currency || page.currency;
    const isFirst = page.clients.length === 0;
    // Another copy of the script may have defined the elements.
    if (typeof customElements === "undefined" || (isFirst && customElements.get(TOASTS))) return elements;
    if (!page.clients.includes(client)) {
      page.clients.push(client);
      announceQueue(client);
      followShopper(client);
    }
    for (const [name, element] of Object.entries({ [TOASTS]: Toasts, ...table })) {
      if (!customElements.get(name)) customElements.define(name, element);
    }
    startWaiting();
    if (isFirst) followPage();
    return elements;
  };
}

function followPage(): void {
  followQueue();
  followLanguage();
  if (document.body) quietly(prepareToasts);
  else document.addEventListener("DOMContentLoaded", () => quietly(prepareToasts));
}
