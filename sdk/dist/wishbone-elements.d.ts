/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */

import type { ListItem, Topic, Wishbone } from "./wishbone.js";

/** Detail of "wishbone:add-to-cart". Listeners on `document` hear it from every element. */
export interface AddToCart {
  /** A copy of the item. */
  readonly item: ListItem;
  readonly quantity: number;
  /**
   * Call it during the event. Once the promise is fulfilled, the item counts as in the cart. Reject with a string to show
   * it to the shopper; any other reason shows a general message.
   */
  respondWith(promise: unknown): void;
}

/** One variant of a product, such as a size. What it does not say of itself stays as the item has it. */
export interface Variant {
  readonly epi: number | string;
  /** Its title, such as "M / blue". */
  readonly vi?: string;
  readonly pr?: number | string | null;
  readonly iu?: string;
  readonly du?: string;
  readonly sku?: string;
}

/** Detail of "wishbone:variants": an element asks for the variants of a product. */
export interface Variants {
  /** The item of a list, or what a heart knows of its product. */
  readonly item: { readonly empi: number | string; readonly epi?: number; readonly du: string };
  /** Call it during the event, with the variants or a promise of them. A heart saves the first. */
  respondWith(variants: readonly Variant[] | PromiseLike<readonly Variant[]>): void;
}

export interface ToastOptions {
  /** "error" is announced at once. */
  kind?: "status" | "error";
  /** A button of the toast. */
  action?: { label: string; run: () => unknown };
  /** An element: the toast is in its language, and above the modal dialog that it is in. */
  from?: Element;
}

/** Texts by key, as in docs/elements.md. */
export type Texts = Readonly<Record<string, string>>;

export interface ElementsOptions {
  /** ISO 4217 code for elements without an attribute `currency`. */
  currency?: string;
  /** Texts by language: replaces those of a known language, or adds one. */
  texts?: Readonly<Record<string, Texts>>;
}

export interface Elements {
  /** Shows a message to the shopper, in the same place as the elements do. */
  toast(message: string, options?: ToastOptions): void;
  setTexts(language: string, texts: Texts): void;
}

/** Defines the custom elements. They are bound to the first client, or to that of the store which they name. */
export declare function install(client: Wishbone, options?: ElementsOptions): Elements;

type Id = string | number;
/** Present or absent: `true` and `""` set it. */
type Flag = boolean | "" | undefined;

interface Common {
  /** pid of the store, where the page has elements of several. */
  store?: string | undefined;
}

interface OfProduct extends Common {
  epi: Id;
  empi: Id;
  du?: string | undefined;
}

interface WithPrices extends Common {
  /** ISO 4217 code of the prices. */
  currency?: string | undefined;
  "cart-url"?: string | undefined;
}

interface WithShare {
  /** Address of the page that shows shared lists; `{key}` is replaced. */
  page?: string | undefined;
  "login-url"?: string | undefined;
}

/** The attributes of each element, as in docs/elements.md, besides those of any element in HTML. */
export interface ElementAttributes {
  "wishbone-heart": OfProduct & {
    dt?: string | undefined;
    iu?: string | undefined;
    pr?: Id | undefined;
    vi?: string | undefined;
    lid?: string | undefined;
    variant?: "icon" | "button" | undefined;
    count?: Flag;
  };
  "wishbone-list": WithPrices & { lid?: string | undefined; quantity?: Flag; comments?: Flag };
  "wishbone-lists": WithPrices & WithShare;
  "wishbone-saved": WithPrices;
  "wishbone-notify": OfProduct & { topic?: Topic | undefined; targetprice?: Id | undefined };
  "wishbone-alerts": Common & { currency?: string | undefined };
  "wishbone-comments": Common & { lid?: string | undefined; epi?: Id | undefined; "can-add"?: Flag; "can-delete"?: Flag };
  "wishbone-share": Common & WithShare & { lid?: string | undefined };
  "wishbone-shared-list": WithPrices & { key?: string | undefined; "link-hosts"?: string | undefined };
}

declare global {
  interface HTMLElementTagNameMap {
    "wishbone-heart": HTMLElement;
    "wishbone-list": HTMLElement;
    "wishbone-lists": HTMLElement;
    "wishbone-saved": HTMLElement;
    "wishbone-notify": HTMLElement;
    "wishbone-alerts": HTMLElement;
    "wishbone-comments": HTMLElement;
    "wishbone-share": HTMLElement;
    "wishbone-shared-list": HTMLElement;
    "wishbone-toasts": HTMLElement;
  }

  interface GlobalEventHandlersEventMap {
    "wishbone:add-to-cart": CustomEvent<AddToCart>;
    "wishbone:variants": CustomEvent<Variants>;
    /** The shopper presses "Log in". `preventDefault()` if the page shows a login of its own. */
    "wishbone:login-request": CustomEvent;
  }
}
