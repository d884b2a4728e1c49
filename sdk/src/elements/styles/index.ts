import base from "./base.css";
import dialog from "./dialog.css";
import forms from "./forms.css";
import heart from "./heart.css";
import items from "./items.css";
import lists from "./lists.css";
import toast from "./toast.css";

const text = [base, forms, heart, items, lists, dialog, toast].join("");
let sheet: CSSStyleSheet | undefined;

/**
 * Gives a shadow root the styles of all elements, in one sheet that they share. A constructed sheet needs no permission
 * of the page's Content-Security-Policy; browsers without it get a style element.
 */
export function adopt(root: ShadowRoot): void {
  try {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
    }
    root.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement("style");
    style.textContent = text;
    root.append(style);
  }
}
