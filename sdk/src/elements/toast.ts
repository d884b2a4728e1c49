import type { ToastOptions } from "./api";
import { clearance } from "./clearance";
import { type Child, h, patch, quietly } from "./dom";
import { icon } from "./icons";
import { adopt } from "./styles";
import { languageOf, textIn } from "./texts";

interface Options extends ToastOptions {
  /** The language of the message, if it is not that of `from`. */
  readonly lang?: string;
}

interface Toast extends Options {
  readonly id: number;
  readonly message: string;
}

const MAX_TOASTS = 3;
// Long enough to read two sentences and to reach the button, also with a keyboard.
const DURATION = 8000;
// As in toast.css.
const MARGIN = 16;

let region: HTMLElement | undefined;
/** Modal dialogs that elements have opened, the upper ones last. */
let modals: HTMLDialogElement[] = [];
let toasts: Toast[] = [];
let last = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let moved: ReturnType<typeof setTimeout> | undefined;

/** Shows a message to the shopper for a while. Returns a function that removes it. */
export function toast(message: string, options: Options = {}): () => void {
  if (typeof document === "undefined") return () => {};
  const shown: Toast = { ...options, id: (last += 1), message };
  toasts = [...toasts.filter((one) => one.message !== message), shown].slice(-MAX_TOASTS);
  place(options.from);
  show();
  schedule();
  return () => dismiss(shown);
}

/** One region per page. It exists before its first message, since screen readers announce changes only. */
export function prepareToasts(): void {
  if (!region) region = document.createElement("wishbone-toasts");
  if (!region.isConnected) document.body?.append(region);
  for (const event of ["scroll", "resize"]) addEventListener(event, makeWaySoon, { passive: true });
}

/** Once the page rests. */
function makeWaySoon(): void {
  clearTimeout(moved);
  if (toasts.length > 0) moved = setTimeout(makeWay, 100);
}

/** Messages cover no button: in a dialog they have their own place, on a page they move up to where there is none. */
function makeWay(): void {
  if (!region) return;
  const isInside = toasts.length > 0 && region.parentElement !== document.body;
  region.toggleAttribute("inside", isInside);
  region.style.translate = "";
  const box = region instanceof Toasts && !isInside && region.box();
  if (box) region.style.translate = `0 ${-clearance(box, region)}px`;
}

/** Puts the region into a dialog that an element has opened, until that is closed. */
export function showToastsIn(dialog: HTMLDialogElement): void {
  modals.push(dialog);
  place();
}

function place(from?: Element): void {
  prepareToasts();
  const modal = modalOf(from);
  const parent = modal || document.body;
  if (!region || region.parentNode === parent) return;
  parent.append(region);
  makeWay();
  // The dialog may leave the page with all that it has.
  modal?.addEventListener("close", () => place(), { once: true });
}

/** What is outside of a modal dialog can be neither seen nor pressed. */
function modalOf(from: Element | undefined): Element | null {
  try {
    modals = modals.filter((dialog) => dialog.matches(":modal"));
    const top = modals[modals.length - 1];
    if (top) return top;
    for (let at: Node | null | undefined = from; at; at = at.parentNode || (at as ShadowRoot).host) {
      if (at instanceof HTMLDialogElement && at.matches(":modal")) return at;
    }
    return document.querySelector("dialog:modal");
  } catch {
    // A browser that does not know :modal.
    return null;
  }
}

function schedule(): void {
  clearTimeout(timer);
  if (toasts.length > 0) timer = setTimeout(expire, DURATION);
}

function expire(): void {
  // Not while the shopper is at it.
  if (region?.matches(":hover, :focus-within")) return schedule();
  dismiss(toasts[0]);
}

/** Removes what elements have said: it was about the last shopper. */
export function dismissToastsOfElements(): void {
  toasts = toasts.filter(({ from }) => !from);
  show();
}

function dismiss(toast: Toast | undefined): void {
  const hasFocus = region?.matches(":focus-within");
  toasts = toasts.filter((one) => one !== toast);
  show();
  schedule();
  // The button that was pressed is gone: the keyboard goes on where the message came from.
  const root = hasFocus && toast?.from?.shadowRoot;
  if (root) (root.querySelector("dialog") || root).querySelector<HTMLElement>("button, a[href], input, select")?.focus();
}

function show(): void {
  if (region instanceof Toasts) region.show();
  makeWay();
}

const Base = globalThis.HTMLElement || (class {} as typeof HTMLElement);

/** The region of a page where toasts appear. The script adds it; pages do not need to. */
export class Toasts extends Base {
  private readonly root = this.attachShadow({ mode: "open" });

  constructor() {
    super();
    adopt(this.root);
    this.show();
  }

  /** Where the messages are; without their margin, and whatever moves them in. */
  box(): DOMRect | undefined {
    const widths = [...this.root.querySelectorAll<HTMLElement>(".toast")].map(({ offsetWidth }) => offsetWidth);
    if (widths.length === 0) return undefined;
    const { left, top, width, height } = this.getBoundingClientRect();
    const widest = Math.max(...widths);
    return new DOMRect(left + (width - widest) / 2, top + MARGIN, widest, height - 2 * MARGIN);
  }

  show(): void {
    const of = (kind: string) => toasts.filter((one) => (one.kind || "status") === kind).map((one) => view(one));
    quietly(() =>
      patch(this.root, [
        h("div", { key: "status", role: "status", "aria-live": "polite" }, of("status")),
        h("div", { key: "alert", role: "alert" }, of("error")),
      ]),
    );
  }
}

function view(toast: Toast): Child {
  const { id, message, kind, action, from, lang } = toast;
  const language = languageOf(from || document.documentElement);
  const run = () => {
    dismiss(toast);
    return action?.run();
  };
  return h(
    "div",
    { key: id, class: `toast ${kind || "status"}`, part: "toast", lang: lang || language },
    h("p", { dir: "auto" }, message),
    action && h("button", { key: "action", class: "toast-action", part: "toast-action", onclick: run }, action.label),
    h(
      "button",
      { class: "icon", "aria-label": textIn(language, "close"), onclick: () => dismiss(toast) },
      icon("close"),
    ),
  );
}
