import { run } from "./call";
import type { Context } from "./context";
import { render } from "./template";

/** The global `OldUtils`, which is also `api.utils`. */
export function utils({ api, lower, currency }: Context) {
  const change = (name: "add" | "remove" | "toggle") => (element: Element | null, className: unknown) =>
    run(() => String(className).split(/\s+/).filter(Boolean).forEach((one) => element?.classList[name](one)));

  return {
    renderTemplateString: render,

    /** Adds the currency, and gives the price its number of decimals. */
    formatProductPrice(product: any): any {
      const { cu: known = "", pr = "" } = product || {};
      const cu = api["currency"] || known;
      const isNumber = pr !== "" && pr !== null && Number.isFinite(Number(pr));
      return Object.assign(product || {}, { cu, pr: isNumber ? Number(pr).toFixed(decimals(currency() || cu)) : (pr ?? "") });
    },

    /** The page that shows a list. Themes replace this function to show another one, such as the login. */
    getHostedURL: () => `/pages/${lower}-wishlist`,

    /** The parameters of an address or of its query, as an object. */
    getEncodedAsObject(address: unknown): Record<string, string> {
      const query = String(address ?? "").replace(/^[^?]*\?/, "").replace(/#.*$/, "");
      return Object.fromEntries(new URLSearchParams(query) as any);
    },

    /** A parameter of an address, by default of the page's; "" if it has none of this name. */
    getParameterByName: (name: string, address: unknown = location.search): string =>
      new URLSearchParams(String(address).replace(/^[^?]*\?|#.*$/g, "")).get(name) || "",

    /** What the page says of itself for social networks, such as "og:price:currency". */
    getOGData(): Record<string, string> {
      const tags = [...document.querySelectorAll<HTMLMetaElement>('meta[property^="og:"]')];
      return Object.fromEntries(tags.map((tag) => [tag.getAttribute("property"), tag.content]));
    },

    addClass: change("add"),
    removeClass: change("remove"),
    toggleClass: change("toggle"),
    error: (...what: unknown[]): void => console.error(...what),

    onDOMReady(work: unknown): void {
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => run(work));
      else run(work);
    },
  };
}

function decimals(currency: string): number {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
    return maximumFractionDigits ?? 2;
  } catch {
    // Not a currency code.
    return 2;
  }
}
