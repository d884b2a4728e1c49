import type { Wishbone } from "../api";
import type { ToastOptions } from "./api";
import { shown } from "./base";
import { type Key, languageOf, shownFor, textIn, type Values } from "./texts";
import { dismissToastsOfElements, toast } from "./toast";
import { forgetWishes } from "./wishes";

/** Shows one of our texts, in the language of the page. */
function say(key: Key, values?: Values, options?: ToastOptions): void {
  const language = languageOf(document.documentElement);
  toast(textIn(language, key, values), { ...options, lang: shownFor(language) });
}

/** Tells the shopper about changes that wait for the network, and about those of an earlier page that were rejected. */
export function announceQueue(client: Wishbone): void {
  let isWaiting = false;
  client.on("queued", () => {
    if (!isWaiting) say("queued");
    isWaiting = true;
  });
  client.on("synced", () => {
    if (isWaiting) say("synced");
    isWaiting = false;
  });
  client.on("error", ({ replayed }) => replayed && say("failed", {}, { kind: "error" }));
}

/** Shows what other tabs queue and take back: without a network, no event tells of it. */
export function followQueue(): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (!/^wishbone\.queue /.test(key || "")) return;
    if (newValue) forgetWishes();
    updateAll();
  });
}

const MAX_NAMES = 3;

/** Leaves nothing of one shopper for the next, and says where the items of a guest are after a login. */
export function followShopper(client: Wishbone): void {
  client.on("login", ({ lists = [], remote }) => {
    dismissToastsOfElements();
    const names = [...new Set(lists.filter(({ cnt }) => cnt > 0).map(({ lname }) => lname))];
    const list = names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? " …" : "");
    if (list && !remote) say("login.merged", { list });
  });
  client.on("logout", dismissToastsOfElements);
}

/** Shows all elements anew when the page changes its language. */
export function followLanguage(): void {
  new MutationObserver(updateAll).observe(document.documentElement, { attributeFilter: ["lang"] });
}

function updateAll(): void {
  shown.forEach((element) => element.update());
}
