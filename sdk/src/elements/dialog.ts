import type { Words } from "./base";
import { type Child, type Described, h, isolated } from "./dom";
import { icon } from "./icons";
import { showToastsIn } from "./toast";

interface Settings {
  /** Described, if it is one of our texts. */
  readonly title: string | Described;
  /** "drawer" is at the side; on phones both fill the lower part of the screen. */
  readonly kind?: "drawer";
  /** Stands before the title, such as a way back. */
  readonly before?: Child;
  /** The dialog has been closed, by whatever means: show it no more. */
  readonly onclose: () => void;
}

/**
 * A modal dialog, open as long as it is in the view. The browser keeps the focus inside, closes it on Escape and returns
 * the focus.
 */
export function dialog(words: Words, { title, kind, before, onclose }: Settings, ...children: Child[]): Child {
  return h(
    "dialog",
    {
      key: "dialog",
      class: kind,
      part: "dialog",
      "aria-labelledby": "dialog-title",
      ref: open,
      onclose,
      // The dialog itself is hit only where its content is not: on the backdrop.
      onclick: (event: Event) => event.target === event.currentTarget && closeDialog(event),
    },
    h(
      "div",
      { class: "panel" },
      h(
        // Not a header, which would be a banner of the page.
        "div",
        { class: "top" },
        before,
        h("h2", { id: "dialog-title", part: "dialog-title", tabindex: "-1" }, typeof title === "string" ? isolated(title) : title),
        h("button", { key: "close", class: "icon", "aria-label": words.t("close"), onclick: closeDialog }, icon("close")),
      ),
      h("div", { class: "content" }, children),
    ),
  );
}

export function closeDialog(event: Event): void {
  (event.currentTarget as Element).closest("dialog")?.close();
}

function open(node: Element): void {
  // Called before it is in the page.
  queueMicrotask(() => {
    if (!node.isConnected) return;
    (node as HTMLDialogElement).showModal();
    showToastsIn(node as HTMLDialogElement);
  });
}
