import { webAddress } from "../web-address";
import { deliver, run } from "./call";
import type { Context } from "./context";
import { hostedClasses, styleHosted } from "./hosted";
import { isNobody } from "./records";

const SHOWN_FOR = 6_000;
const REGION = { position: "fixed", left: "1rem", right: "1rem", bottom: "1rem", zIndex: "2147483647", pointerEvents: "none" };
const MESSAGE = { margin: "0.5rem auto 0", maxWidth: "30rem", padding: "0.75rem 1rem", borderRadius: "0.5rem", color: "#fff" };

/** `api.ui`. Themes replace `open` and `uiRef.addToWishlist`, so the layer calls them through the object only. */
export function ui({ api, lower, currency, wishlists }: Context) {
  const region = styled("notifications", REGION);

  /** A message for the shopper, who may be using a screen reader. */
  const notify = (role: "alert" | "status", background: string) => (notification: any) => {
    const element = styled("notification", { ...MESSAGE, background });
    element.setAttribute("role", role);
    region.append(element);
    document.body.append(region);
    // After it is in the page: screen readers announce what changes.
    element.textContent = textOf(String(notification?.message ?? notification ?? ""));
    setTimeout(() => element.remove(), SHOWN_FOR);
  };

  /** Styles are set as properties, which a strict Content-Security-Policy allows. */
  function styled(name: string, styles: Partial<CSSStyleDeclaration>): HTMLElement {
    const element = document.createElement("div");
    element.className = `${lower}-${name}`;
    Object.assign(element.style, styles);
    return element;
  }

  /** Whether the list is the shopper's own, which can be changed, or one that somebody has shared. */
  async function isOwn(lid: string): Promise<boolean> {
    // Without an answer, the element of the own list says what is wrong.
    const mine = isNobody(api) ? [] : await api.lists.fetch().catch(() => [{ lid }]);
    return mine.some((list) => list.lid === lid);
  }

  /** Shows a list in the element: that of `lid`, or the default wishlist. */
  async function mount(container: Element | null, lid: string): Promise<Element> {
    if (!container) throw new Error("There is no element to render the wishlist in. Pass an element of the page.");
    const isMine = !lid || (await isOwn(lid));
    const list = document.createElement(isMine ? "wishbone-list" : "wishbone-shared-list");
    list.className = `${lower}-ui-component ${lower}-ready`;
    Object.assign(list, { classNames: hostedClasses(lower) });
    if (lid) list.setAttribute(isMine ? "lid" : "key", lid);
    if (currency()) list.setAttribute("currency", currency());
    list.addEventListener("wishbone:add-to-cart", (event) => {
      const { item, quantity, respondWith } = (event as CustomEvent).detail;
      const added: Promise<string> = api["replayAddToCart"]({ ...item, qty: quantity }, item.epi);
      respondWith(added.catch(({ description }) => Promise.reject(description)));
    });
    container.replaceChildren(list);
    run(styleHosted, lower);
    // For scripts of the theme that look for the items in the browser's storage.
    wishlists().catch(() => {});
    await api.load("elements");
    return list;
  }

  // A link to this fragment opens the wishlist, wherever a theme has put it.
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element && event.target.closest(`a[href$="#${lower}-wishlist"]`);
    if (!target || event.defaultPrevented) return;
    event.preventDefault();
    api["ui"].open();
  });

  return {
    open(): void {
      const address = webAddress(api["utils"].getHostedURL());
      if (address) location.assign(address);
      else console.error("The wishlist cannot be opened: getHostedURL must give an address that begins with https:// or /.");
    },

    renderWishlistInContainer: (container: Element | null, params?: any) =>
      deliver(() => mount(container, String(params?.lid || "")), undefined, ""),

    showErrorNotification: notify("alert", "#8f1d14"),
    showSuccessNotification: notify("status", "#1f2328"),

    uiRef: {
      settings: api["retailerSettings"],
      addToWishlist: (...args: unknown[]) => api["addToWishList"](...args),
      showErrorNotification: (notification: unknown) => api["ui"].showErrorNotification(notification),
      showSuccessNotification: (notification: unknown) => api["ui"].showSuccessNotification(notification),
    },
  };
}

const MAX_MESSAGE = 2_000;

/** The text of a message, without the tags of one that is HTML. Nothing is parsed as HTML: it is for `textContent` alone. */
function textOf(message: string): string {
  const blocks = message.slice(0, MAX_MESSAGE).replace(/<\/?(p|div|br|li|h\d)\b[^<>]*>/gi, " ");
  const plain = blocks.replace(/<(script|style)\b.*?<\/\1[^<>]*>|<[/!]?[a-z-][^<>]*>/gis, "");
  const decoded = plain.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name]!);
  return decoded.replace(/\s+/g, " ").trim();
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };
