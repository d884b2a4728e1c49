import type { Api, Context } from "./context";
import { isId } from "./variants";

const texts = new WeakMap<Element, Element>();

/** Buttons that the theme has only the places for. */
export function placedButtons({ api, lower, page }: Context, bind: (button: Element) => void) {
  function place(data: Record<string, unknown>, where: (box: Element) => void): void {
    const button = newButton(lower, data);
    where(button.parentElement!);
    bind(button);
    showText(api, button, false);
  }

  return {
    /** Fills the empty bars of a product page with a button for the product. */
    fillBars(): void {
      const { epi, empi, du } = page("PageData");
      if (!isId(String(epi)) || !isId(String(empi))) return;
      for (const bar of document.querySelectorAll(`.${lower}-wishlist-button-bar`)) {
        if (bar.childElementCount > 0) continue;
        place({ productId: empi, variantId: epi, productUrl: du || "" }, (box) => bar.append(box));
      }
    },

    /** Adds a button to each product card that has none, behind the link with the picture. */
    addToCards(): void {
      for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href*="/products/"]')) {
        if (!link.querySelector("img, picture") || link.parentElement!.querySelector("[data-swaction]")) continue;
        place({ productUrl: link.href }, (box) => {
          box.className += ` ${lower}-collections-button`;
          link.after(box);
        });
      }
    },

    removeFromCards: () => document.querySelectorAll(`.${lower}-collections-button`).forEach((box) => box.remove()),
  };
}

/** A button in the box where themes look for it. */
function newButton(lower: string, data: Record<string, unknown>): Element {
  const [box, button, text] = [document.createElement("div"), document.createElement("button"), document.createElement("span")];
  box.className = `${lower}-btn-container`;
  // In the theme's form, a button without a type would submit it.
  button.type = "button";
  button.className = `${lower}-button ${lower}-add-to-wishlist`;
  Object.assign(button.dataset, data, { swaction: "addToWishlist" });
  text.className = `${lower}-wishlist-cta`;
  texts.set(button, text);
  button.append(text);
  box.append(button);
  return button;
}

/** Shows the state of a button that was placed, in the language of the page. */
export async function showText(api: Api, button: Element, isAdded: boolean): Promise<void> {
  const text = texts.get(button);
  if (!text) return;
  const { lang } = document.documentElement;
  // Themes compare the English texts. The others are those of the elements.
  const english = isAdded ? "Added to Wishlist" : "Add to Wishlist";
  const translated = async () => {
    await api.load("elements");
    const words = Object.assign(document.createElement("wishbone-heart"), { lang }) as any;
    return words.t(isAdded ? "heart.added" : "heart.add");
  };
  text.textContent = /^(en\b|$)/i.test(lang) ? english : await translated().catch(() => english);
}
