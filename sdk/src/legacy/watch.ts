import type { Context } from "./context";
import { type ButtonProduct, noVariant } from "./products";

/** What a press of a button for a product alert does: it shows a form below the button, or takes it away. */
export function watchPress({ api }: Context, productOf: (button: HTMLElement) => ButtonProduct | undefined) {
  const forms = new WeakMap<Element, Element>();

  return (event: Event): void => {
    event.preventDefault();
    const button = event.currentTarget as HTMLElement;
    const known = forms.get(button);
    if (known?.isConnected) return known.remove();
    const { epi, empi, du } = productOf(button)?.product || {};
    if (!epi) return console.error(noVariant(button));
    const form = document.createElement("wishbone-notify");
    form.setAttribute("epi", epi);
    form.setAttribute("empi", empi);
    if (du) form.setAttribute("du", du);
    forms.set(button, form);
    button.after(form);
    api.load("elements").catch(console.error);
  };
}
