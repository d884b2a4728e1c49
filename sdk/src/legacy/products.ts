import { type Context, own } from "./context";
import { variantsOf } from "./records";
import { handleOf, isId, type KnownVariants } from "./variants";

/** What the page knows of the product of an action button. */
export interface ButtonProduct {
  readonly product: Record<string, any>;
  /** The button is about all variants of its product, and not about one. */
  readonly ofProduct: boolean;
  /** The variants that the button is about, as far as they are known now. */
  epis(): string[];
}

export const noVariant = (button: Element) =>
  `The button has no variant. Add data-variant-id, or fill ViewProducts: ${button.outerHTML}`;

/** Reads the product data of buttons from their attributes and from the objects that themes fill. */
export function productReader({ page }: Context, variants: KnownVariants): (button: HTMLElement) => ButtonProduct | undefined {
  /** The theme's record of the product, found by id or handle; or that of the page, if the button is about it. */
  function recordOf(id: string, handle: string, variant: string): Record<string, any> {
    const known = [page("ViewProducts"), page("WatchProducts")].flatMap((all) => [own(all, id), own(all, handle)]);
    const current = page("PageData");
    const isNamed = variant ? String(current["epi"]) === variant : !handle || handleOf(current["du"]) === handle;
    const isCurrent = id ? String(current["empi"]) === id : isNamed;
    const saved = variant ? undefined : variants.named(handle);
    const isSaved = saved && (!isId(id) || String(saved.empi) === id);
    return known.find(Boolean) || (isCurrent ? current : isSaved ? saved : {});
  }

  function siblings(empi: string, record: Record<string, any>): string[] {
    const listed = variantsOf(record["variants"]).map(([, epi]) => epi);
    const ofPage = Object.entries(page("ProductVariants"))
      .filter(([, variant]) => String(variant?.empi) === empi)
      .map(([epi, variant]) => variant?.epi || epi);
    return [...listed, ...ofPage, ...variants.of(empi)].map(String);
  }

  return (button) => {
    const { productId = "", variantId = "", productUrl = "", withEpi } = button.dataset;
    const handle = handleOf(productUrl);
    const record = recordOf(productId, handle, variantId);
    const epi = variantId || String(record["epi"] || "");
    if (!isId(epi)) return undefined;
    const variant = own(page("ProductVariants"), epi);
    const empi = isId(productId) ? productId : String(record["empi"] || variant?.empi || "");
    // Of another variant's data, what belongs to the product.
    const { vi: _1, pr: _2, sku: _3, stk: _4, ...common } = record;
    const data = variant || (String(record["epi"]) === epi ? record : common);
    const product = { ...data, epi, empi, du: productUrl || data.du || "" };
    const ofProduct = !withEpi || withEpi === "false";
    const epis = () => [...new Set([epi, ...(ofProduct ? siblings(empi, record).filter(isId) : [])])];
    return { product, ofProduct, epis };
  };
}
