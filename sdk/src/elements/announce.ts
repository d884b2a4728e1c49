import type { Wishbone } from "../api";
import type { ToastOptions } from "./api";
import { shown } from "./base";
import { type Key, languageOf, textIn } from "./texts";
import { toast } from "./toast";

const CATCH_UP = 2000;

/** Tells the shopper about changes that wait for the network, and about those of an earlier page that were rejected. */
export function announceQueue(client: Wishbone): void {
  let isWaiting = false;
  const say = (key: Key, options?: ToastOptions) => toast(textIn(languageOf(document.documentElement), key), options);
  client.on("queued", () => {
    if (!isWaiting) say("queued");
    isWaiting = true;
  });
  client.on("synced", () => {
    if (isWaiting) say("synced");
    isWaiting = false;
  });
  client.on("error", ({ replayed }) => replayed && say("failed", { kind: "error" }));
}

/** Shows all elements anew when the page changes its language. */
export function followLanguage(): void {
  const observer = new MutationObserver(() => shown.forEach((element) => element.update()));
  observer.observe(document.documentElement, { attributeFilter: ["lang"] });
}

/**
 * Tabs can be processes with a copy of localStorage each: a tab that hears of a logout may still read the last shopper
 * there, whose lists must not be shown again. When the copy has followed, the event is repeated.
 */
export function followIdentity(client: Wishbone): void {
  const regid = () => client.shopper.current()?.regid;
  let seen: string | undefined;
  let last: "login" | "logout" | undefined;
  let until = 0;
  client.on("*", (_, name) => {
    if (name !== "login" && name !== "logout") return;
    last = name;
    seen = regid();
    until = Date.now() + CATCH_UP;
  });
  addEventListener("storage", () => {
    if (last && Date.now() < until && regid() !== seen) client.emit(last, { remote: true });
  });
}
