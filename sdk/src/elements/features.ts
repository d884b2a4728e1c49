import { WishboneError } from "../errors";
import { page } from "./page";

export type Feature = "sort-filter" | "save-for-later" | "subscriptions";

let asked: Promise<string[]> | undefined;

/** The features of the store, asked for once in a browser session. Rejects where the page cannot use the store. */
export async function features(): Promise<string[]> {
  try {
    const known = sessionStorage.getItem(place());
    if (known) return JSON.parse(known);
  } catch {
    // Storage is forbidden: each page asks.
  }
  return ask();
}

function place(): string {
  const { base, store } = page.client.settings;
  return `wishbone.features ${base} ${store}`;
}

/** Elements of the same moment share a request. */
function ask(): Promise<string[]> {
  asked ||= page.client
    .features()
    .then(remember)
    .finally(() => (asked = undefined));
  return asked;
}

function remember(found: string[]): string[] {
  try {
    sessionStorage.setItem(place(), JSON.stringify(found));
  } catch {
    // As above.
  }
  return found;
}

/** Rejects, with what the page's author can do, if the store does not have a feature. */
export async function requireFeature(feature: Feature): Promise<void> {
  // Asked again: the author may have switched it on meanwhile.
  if ((await features()).includes(feature) || (await ask()).includes(feature)) return;
  const command = `wishbone store set '${page.client.settings.store}' --enable ${feature}`;
  throw new WishboneError("feature-not-enabled", `The store does not have ${feature}. Switch it on: ${command}`);
}

const explained = new Set<string>();

/** Tells the page's author, once, why an element shows nothing, or an error. */
export function explain(element: Element, error: unknown): void {
  const { code, message } = error as WishboneError;
  // Nobody is to blame for that.
  if (code === "identity-changed" || (code === "network" && !navigator.onLine)) return;
  const command = `wishbone store set '${page.client.settings.store}' --allow-origin ${location.origin}`;
  const advice = code === "network" ? ` If the store does not allow this page's origin: ${command}` : "";
  const text = `<${element.localName}>: ${message}${advice}`;
  if (explained.has(text)) return;
  explained.add(text);
  console.error(text);
}
