import type { ListItem } from "../api";
import { webAddress } from "../web-address";
import type { Words } from "./base";
import { type Child, directed, h, isolated, type Props } from "./dom";
import { icon } from "./icons";
import type { Key } from "./texts";

interface Slots {
  /** Tells siblings apart, if the variant does not. */
  readonly key?: string;
  /** Over the picture. */
  readonly corner?: Child;
  /** Below the price. */
  readonly details?: Child;
  /** Below the texts. */
  readonly actions?: Child;
}

export function titleOf(words: Words, item: ListItem): string {
  return item.dt || words.t("product");
}

/** A button of an item. Screen readers hear which one it is of. */
export function itemButton(words: Words, item: ListItem, text: Key, props: Props): Child {
  const label = words.t(text);
  return h("button", { key: props["class"], part: "button", "aria-label": `${label}: ${titleOf(words, item)}`, ...props }, label);
}

/** One item of a list. Its texts and addresses come from shoppers and shops: they are shown, never trusted. */
export function itemView(words: Words, item: ListItem, { key, corner, details, actions }: Slots): Child {
  const title = titleOf(words, item);
  const address = webAddress(item.du);
  return h(
    "li",
    { key: key || item.epi, class: "item", part: "item", "data-epi": item.epi },
    h(
      "div",
      { class: "picture", part: "picture" },
      address ? h("a", { href: address, tabindex: "-1", "aria-hidden": "true" }, picture(item)) : picture(item),
      corner,
    ),
    h(
      "div",
      { class: "texts" },
      h("h3", { part: "item-title" }, address ? h("a", { href: address }, isolated(title)) : isolated(title)),
      item.vi && h("p", { key: "variant", class: "muted small", part: "variant" }, isolated(item.vi)),
      item.pr !== null && item.pr !== undefined && priceView(words, item.pr, item.spr),
      item.avl && item.avl !== "in" && h("p", { key: "stock", class: "stock small", part: "stock" }, words.t(`stock.${item.avl}`)),
      details,
      item.note?.trim() && noteView(item.note),
    ),
    h("div", { class: "actions", part: "actions" }, actions),
  );
}

/** The price, and what it was when the item was saved. */
function priceView(words: Words, price: number, saved = price): Child {
  const now = words.price(price);
  const text = saved === price ? now : words.t("price.changed", { before: words.price(saved), now });
  return h("p", { key: "price", class: `price ${saved > price ? "strong" : ""}`, part: "price" }, directed(text));
}

/** A long note would make a very tall item: it shows its first lines until it is opened. */
function noteView(note: string): Child {
  const isLong = note.length > 160 || note.split("\n").length > 4;
  const text = isolated(note);
  return h(isLong ? "details" : "p", { key: "note", class: "note", part: "note" }, isLong ? h("summary", null, text) : text);
}

function picture({ iu, epi }: ListItem): Child {
  return [icon("picture"), image(iu, epi)];
}

/** A picture, if it has an address. One that cannot be loaded leaves the drawn one behind it. */
export function image(iu: unknown, of: unknown = ""): Child {
  const src = webAddress(iu);
  const onerror = (event: Event) => (event.target as Element).toggleAttribute("hidden", true);
  return src && h("img", { key: `${of} ${src}`, src, alt: "", loading: "lazy", decoding: "async", onerror });
}

const MAX_QUANTITY = 1_000_000;

export function quantityView(words: Words, quantity: number, change: (quantity: number) => void): Child {
  const step = (label: string, name: "minus" | "plus", to: number) =>
    h(
      "button",
      { key: name, class: "icon", "aria-label": label, "aria-disabled": to < 1 && "true", onclick: () => set(to) },
      icon(name),
    );
  const set = (to: number): boolean => {
    const isValid = to >= 1 && to <= MAX_QUANTITY;
    if (isValid) change(Math.round(to));
    return isValid;
  };
  const type = ({ currentTarget }: Event) => {
    const input = currentTarget as HTMLInputElement;
    if (!set(Number(input.value))) input.value = String(quantity);
  };
  return h(
    "div",
    { class: "quantity", part: "quantity", role: "group", "aria-label": words.t("quantity") },
    step(words.t("quantity.less"), "minus", quantity - 1),
    h("input", { type: "number", inputmode: "numeric", min: 1, max: MAX_QUANTITY, "aria-label": words.t("quantity"), value: String(quantity), onchange: type }),
    step(words.t("quantity.more"), "plus", quantity + 1),
  );
}
