import type { Api } from "./context";

const texts = new WeakMap<Element, Element>();

/** The button of a product page whose theme has only the place for it, in the box where themes look for it. */
export function barButton(lower: string, data: Record<string, unknown>): { box: Element; button: Element } {
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
  return { box, button };
}

/** Shows the state of a button that `barButton` has made, in the language of the page. */
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
