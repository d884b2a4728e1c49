import type { ListItem } from "../api";
import { Collection } from "./collection";
import { dialog } from "./dialog";
import { type Child, type Described, h, patch } from "./dom";
import { heading, hint, message, moreButton, retryButton, skeleton } from "./frame";
import { itemView, titleOf } from "./item";
import { renamed } from "./renamed";
import type { Key } from "./texts";

/** What a collection shows in each of its states. */
export abstract class CollectionView extends Collection {
  /**
   * Set by the compatibility layer: class names that a theme has styles for. The items are then children of the element,
   * where these apply, and not in the shadow root.
   */
  declare classNames?: Readonly<Record<string, string>>;
  private outside: Child[] = [];

  /** "grid": pictures above texts; "rows": beside them. */
  protected abstract readonly layout: "grid" | "rows";

  /** The item that a dialog is about: its return, or its comments. */
  private wanted: { item: ListItem; for: "return" | "comments" } | undefined;

  protected abstract get heading(): string;

  /** Stands in the place of a list without items. */
  protected abstract empty(): Child;

  /** Buttons of an item: over its picture, and below its texts. */
  protected abstract corner(item: ListItem): Child;
  protected abstract actions(item: ListItem): Child;

  /** Beside the heading; undefined if it is not known. */
  protected get count(): number | undefined {
    return this.list?.cnt;
  }

  /** Stands beside the heading. */
  protected controls(): Child {
    return undefined;
  }

  /** Stands below the heading. */
  protected byline(): Child {
    return undefined;
  }

  /** What the caller may do with comments; undefined if they are not shown. */
  protected get discussion(): Readonly<Record<string, unknown>> | undefined {
    return undefined;
  }

  protected gone(): Child {
    return message("warning", this.t("error.gone"));
  }

  protected view(): Child[] {
    const { state, heading: title } = this;
    this.outside = [];
    const section = state !== "off" && [
      h(
        "section",
        { class: "collection", part: "section", "aria-label": title, "aria-busy": String(state === "loading") },
        heading(this, title, state === "ready" ? this.count : undefined, h("slot", { name: "actions", class: !this.list?.cnt && "vacant" }), this.controls()),
        this.byline(),
        this.body(),
      ),
      this.wanted && this.itemDialog(this.wanted),
    ];
    // Also where nothing is left to show: what was there may be another shopper's.
    if (this.classNames) patch(this, this.outside);
    return [section];
  }

  private body(): Child {
    const { state, items, next, layout } = this;
    if (state === "loading") return skeleton(this, layout);
    if (state === "gone") return this.gone();
    if (state === "offline") return message("offline", this.t("list.offline"), hint(this.t("list.offline.hint")));
    if (state === "error") {
      return message("warning", this.t("error.load"), hint(this.reason(this.problem)), retryButton(this, () => this.reset()));
    }
    if (items.length === 0 && !next) return this.empty();
    return [
      this.placed(h("ul", { key: "items", class: `items ${layout}`, part: "items", slot: "items" }, items.map((item) => this.item(item)))),
      next && moreButton(this, this.isLoadingMore, () => this.more()),
    ];
  }

  /** The items, or the place for them. */
  private placed(items: Described): Child {
    if (!this.classNames) return items;
    this.outside = [renamed(items, this.classNames)];
    return h("slot", { key: "items", name: "items" });
  }

  private item(item: ListItem): Child {
    const comments = this.discussion && this.dialogButton("comments", item, this.t("comments"), "comments");
    return itemView(this, item, { corner: this.corner(item), actions: [this.actions(item), comments] });
  }

  /** What is sold out cannot go into a cart, but its return can be told. */
  protected cartButton(item: ListItem, text: Key, onclick: () => unknown): Child {
    if (item.avl === "out") return this.hasAlerts && this.dialogButton("notify", item, this.t("notify.submit"), "return");
    const label = `${this.t(text)}: ${titleOf(this, item)}`;
    const isBusy = this.inCart.has(item.epi) && "true";
    const props = { class: "primary cart", part: "button primary", type: "button", "aria-label": label, "aria-disabled": isBusy };
    return h("button", { key: "cart", ...props, onclick }, this.t(text));
  }

  private dialogButton(key: string, item: ListItem, text: string, purpose: "return" | "comments"): Child {
    const label = `${text}: ${titleOf(this, item)}`;
    const onclick = () => {
      this.wanted = { item, for: purpose };
      this.update();
    };
    return h("button", { key, class: purpose === "return" ? "cart" : "quiet comments", part: "button", type: "button", "aria-label": label, onclick }, text);
  }

  private itemDialog({ item, for: purpose }: NonNullable<CollectionView["wanted"]>): Child {
    const onclose = () => {
      this.wanted = undefined;
      this.update();
    };
    const { lid, epi, empi, du } = item;
    const title = titleOf(this, item);
    const content =
      purpose === "return" ? h("wishbone-notify", { epi, empi, du }) : h("wishbone-comments", { key: "comments", lid, epi, ...this.discussion });
    return dialog(this, { title, onclose }, content);
  }
}
