import type { Wishbone } from "../api";
import { WishboneError } from "../errors";

export type Feature = "sort-filter" | "save-for-later" | "subscriptions";

const asked = new Map<Wishbone, Promise<string[]>>();

/** The features of the store, asked for once in a browser session. Rejects where the page cannot use the store. */
export async function features(client: Wishbone): Promise<string[]> {
  try {
    const known = sessionStorage.getItem(place(client));
    if (known) return JSON.parse(known);
  } catch {
    // Storage is forbidden: each page asks.
  }
  return ask(client);
}

function place({ settings: { base, store } }: Wishbone): string {
  return `wishbone.features ${base} ${store}`;
}

/** Elements of the same moment share a request. */
function ask(client: Wishbone): Promise<string[]> {
  const known = asked.get(client);
  if (known) return known;
  const asking = client
    .features()
    .then((found) => remember(client, found))
    .finally(() => asked.delete(client));
  asked.set(client, asking);
  return asking;
}

function remember(client: Wishbone, found: string[]): string[] {
  try {
    sessionStorage.setItem(place(client), JSON.stringify(found));
  } catch {
    // As above.
  }
  return found;
}

/** Rejects, with what the page's author can do, if the store does not have a feature. */
export async function requireFeature(client: Wishbone, feature: Feature): Promise<void> {
  // Asked again: the author may have switched it on meanwhile.
  if ((await features(client)).includes(feature) || (await ask(client)).includes(feature)) return;
  const command = `wishbone store set '${client.settings.store}' --enable ${feature}`;
  throw new WishboneError("feature-not-enabled", `The store does not have ${feature}. Switch it on: ${command}`);
}

const explained = new Set<string>();

/** Tells the page's author, once, why an element shows nothing, or an error. */
export function explain(client: Wishbone, element: Element, error: unknown): void {
  const { code, message } = error as WishboneError;
  // Nobody is to blame for that.
  if (code === "identity-changed" || (code === "network" && !navigator.onLine)) return;
  const command = `wishbone store set '${client.settings.store}' --allow-origin ${location.origin}`;
  const advice = code === "network" ? ` If the store does not allow this page's origin: ${command}` : "";
  const text = `<${element.localName}>: ${message}${advice}`;
  if (explained.has(text)) return;
  explained.add(text);
  console.error(text);
}
