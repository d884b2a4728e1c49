import type { Api } from "./context";

/** The shop's currency. `api.currency` is what themes print in front of a price: the symbol, or the code if the shop says so. */
export function currencies(api: Api, isCode: boolean) {
  let code = "";

  function setCurrency(given: unknown): void {
    const text = String(given || "");
    code = /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : "";
    api["currency"] = !code || isCode ? code || text : symbolOf(code);
  }

  return { currency: () => code, setCurrency };
}

/** "$" for USD, and not "US$": themes are made for the currency of one shop. */
function symbolOf(currency: string): string {
  try {
    const options = { style: "currency", currency, currencyDisplay: "narrowSymbol" };
    const parts = new Intl.NumberFormat("en", options as object).formatToParts(0);
    return parts.find(({ type }) => type === "currency")?.value || currency;
  } catch {
    // No browser knows it.
    return currency;
  }
}
