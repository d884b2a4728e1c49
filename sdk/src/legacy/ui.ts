import { deliver } from "./call";
import { type Context, safeAddress } from "./context";
import { isNobody } from "./records";

const SHOWN_FOR = 6_000;

/** `api.ui`. Themes replace `open` and `uiRef.addToWishlist`, so the layer calls them through the object only. */
export function ui({ api, lower }: Context) {
  /** A message for the shopper, who may be using a screen reader. */
  const notify = (role: "alert" | "status") => (notification: any) => {
    const element = document.createElement("div");
    element.className = `${lower}-notification`;
    element.setAttribute("role", role);
    // Set as properties, which a strict Content-Security-Policy allows.
    Object.assign(element.style, {
      position: "fixed",
      insetInline: "1rem",
      bottom: "1rem",
      margin: "0 auto",
      maxWidth: "30rem",
      padding: "0.75rem 1rem",
      borderRadius: "0.5rem",
      color: "#fff",
      background: role === "alert" ? "#8f1d14" : "#1f2328",
      zIndex: "2147483647",
    });
    document.body.append(element);
    // After it is in the page: screen readers announce what changes.
    element.textContent = String(notification?.message ?? notification ?? "");
    setTimeout(() => element.remove(), SHOWN_FOR);
  };

  /** Whether the list is the shopper's own, which can be changed, or one that somebody has shared. */
  async function isOwn(lid: string): Promise<boolean> {
    // Without an answer, the element of the own list says what is wrong.
    const mine = !lid || isNobody(api) ? [] : await api.lists.fetch().catch(() => [{ lid }]);
    return !lid || mine.some((list) => list.lid === lid);
  }

  /** Shows a list in the element: that of `lid`, or the default wishlist. */
  async function mount(container: Element | null, lid: string): Promise<Element> {
    if (!container) throw new Error("There is no element to render the wishlist in. Pass an element of the page.");
    const isMine = await isOwn(lid);
    const list = document.createElement(isMine ? "wishbone-list" : "wishbone-shared-list");
    if (lid) list.setAttribute(isMine ? "lid" : "key", lid);
    if (api["currency"]) list.setAttribute("currency", api["currency"]);
    list.addEventListener("wishbone:add-to-cart", (event) => {
      const { item, quantity, respondWith } = (event as CustomEvent).detail;
      const added: Promise<string> = api["replayAddToCart"]({ ...item, qty: quantity }, item.epi);
      respondWith(added.catch(({ description }) => Promise.reject(description)));
    });
    container.replaceChildren(list);
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
      const address = safeAddress(api["utils"].getHostedURL());
      if (address) location.assign(address);
      else console.error("The wishlist cannot be opened: getHostedURL must give an address that begins with https:// or /.");
    },

    renderWishlistInContainer: (container: Element | null, params?: any) =>
      deliver(() => mount(container, String(params?.lid || "")), undefined, ""),

    showErrorNotification: notify("alert"),
    showSuccessNotification: notify("status"),

    uiRef: {
      settings: api["retailerSettings"],
      addToWishlist: (...args: unknown[]) => api["addToWishList"](...args),
      showErrorNotification: (notification: unknown) => api["ui"].showErrorNotification(notification),
      showSuccessNotification: (notification: unknown) => api["ui"].showSuccessNotification(notification),
    },
  };
}
