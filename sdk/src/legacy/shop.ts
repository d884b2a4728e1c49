import { webAddress } from "../web-address";
import { deliver } from "./call";
import { type Context, own } from "./context";
import { type Emit, JSEvents } from "./events";

// Lists do not wait longer than this for a shop that does not answer about its cart.
const CART_TIMEOUT = 3_000;

/** What the shop's own endpoints know: the cart and its products. */
export function shop({ api, page, value }: Context, emit: Emit) {
  let loaded: any[] = [];
  const given = (): any[] | undefined => (Array.isArray(value("Cart")?.items) ? value("Cart").items : undefined);
  const load = async () => {
    const cart = await ask("/cart.js");
    if (Array.isArray(cart?.items)) loaded = [...cart.items, ...loaded];
  };
  const pause = new Promise((resolve) => setTimeout(resolve, CART_TIMEOUT));
  const cartIsKnown: Promise<unknown> = given() ? Promise.resolve() : Promise.race([load().catch(() => {}), pause]);

  async function addToCart(product: any, epi: unknown): Promise<string> {
    const id = String(epi || product?.epi || "");
    const body = new URLSearchParams({ id, quantity: String(Number(product?.qty) || 1) });
    const answer = await ask("/cart/add.js", { method: "POST", body });
    const items: any[] = Array.isArray(answer?.items) ? answer.items : [answer];
    (given() || loaded).push(...items, { id });
    const productData = { ...fromLine(items[0]), ...product, epi: Number(id) };
    emit(JSEvents.UIAddedToCart, { ...product, epi: Number(id), productData });
    return JSON.stringify({ ...(answer?.items ? answer : {}), items });
  }

  /** A product, from a line of the platform's cart, whose prices are in cents. */
  const fromLine = (line: any) => {
    const { id, variant_id: epi = id, product_id: empi, variant_title: vi, quantity: qty, price } = line || {};
    const { url, image, title, product_title: dt = title } = line || {};
    const pr = price === undefined ? undefined : amount(price);
    return { epi, empi, du: webAddress(url), iu: webAddress(image), dt, vi, pr, qty, cu: api["currency"] };
  };

  return {
    transformCartItem: fromLine,

    /** Settles when `isInDeviceCart` knows what the shop can say. */
    cartIsKnown,

    isInDeviceCart: (epi: unknown): boolean =>
      (given() || loaded).some((item) => [item?.variant_id, item?.id].some((id) => id && String(id) === String(epi))),

    replayAddToCart: (product: unknown, epi: unknown, ok?: unknown, err?: unknown) =>
      deliver(() => addToCart(product, epi), ok, err),

    /** The shop's product JSON. The path is asked of this origin: `du` may name another domain of the same shop. */
    getProductDetails: (product: any, ok?: unknown, err?: unknown) =>
      deliver(async () => {
        const address = webAddress(product?.du);
        if (!address) throw new Error("The product has no address. Pass its URL as du.");
        const { pathname } = new URL(address);
        // With the origin: a path that begins with two slashes would be an address of another host.
        return ask(`${location.origin}${pathname.replace(/\/+$/, "")}.js`);
      }, ok, err),

    /** Fills `OldViewProducts` from the platform's product records, whose prices are in cents. */
    mapShopifyProducts(products: any[]): object[] {
      return (Array.isArray(products) ? products : []).filter(Boolean).map((product) => {
        const variant = product.selected_or_first_available_variant || product.variants?.[0] || {};
        const { id: empi, handle, title: dt } = product;
        const picture = product.featured_image || product.images?.[0];
        const record = {
          empi,
          epi: variant.id,
          du: webAddress(`/products/${handle}`),
          dt,
          iu: webAddress(picture?.src || picture),
          pr: amount(product.price ?? variant.price),
          ct: product.product_type || product.type || "",
          variants: JSON.stringify((product.variants || []).map((one: any) => ({ [one.title]: one.id }))),
          cu: api["currency"],
        };
        return (page("ViewProducts")[empi] = page("ViewProducts")[handle] = record);
      });
    },
  };
}

function amount(price: unknown): number {
  return typeof price === "string" && price.includes(".") ? Number(price) : Number(price) / 100;
}

/** Calls the shop, and fails with its own words. */
async function ask(path: string, init: RequestInit = {}): Promise<any> {
  const response = await fetch(path, { ...init, headers: { Accept: "application/json" }, credentials: "same-origin" });
  const text = await response.text();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  if (response.ok && answer !== undefined) return answer;
  const { status } = response;
  const message = own(answer, "message") || `${path} answered with HTTP ${status}. Check that the shop has this endpoint.`;
  throw Object.assign(new Error(String(message)), { description: own(answer, "description"), status });
}
