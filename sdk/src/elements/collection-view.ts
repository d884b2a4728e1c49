import type { ListItem } from "../api";
import { Collection } from "./collection";
import { dialog } from "./dialog";
import { type Child, type Described, directed, h, isolated, patch } from "./dom";
import { failure, heading, hint, message, moreButton, skeleton } from "./frame";
import { itemButton, itemView, titleOf } from "./item";
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
        heading(this, (title === this.list?.lname ? isolated : directed)(title), state === "ready" ? this.count : undefined, h("slot", { name: "actions", class: !this.list?.cnt && "vacant" }), this.controls()),
        this.byline(),
        this.body(),
      ),
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
    if (state === "error") return failure(this, this.problem, () => this.reset());
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
    const { lid, epi } = item;
    const content = () => h("wishbone-comments", { key: "comments", lid, epi, ...this.discussion });
    const comments = this.discussion && this.dialogButton("quiet comments", item, "comments", content);
    return itemView(this, item, { corner: this.corner(item), actions: [this.actions(item), comments] });
  }

  /** What is sold out cannot go into a cart, but its return can be told. */
  protected cartButton(item: ListItem, text: Key, onclick: () => unknown): Child {
    const { epi, empi, du } = item;
    if (item.avl === "out") return this.hasAlerts && this.dialogButton("cart", item, "notify.submit", () => h("wishbone-notify", { epi, empi, du }));
    const isBusy = this.inCart.has(epi) && "true";
    return itemButton(this, item, text, { class: "primary cart", part: "button primary", "aria-disabled": isBusy, onclick });
  }

  /** A button that opens a dialog about the item. */
  private dialogButton(name: string, item: ListItem, text: Key, content: () => Child): Child {
    const title = titleOf(this, item);
    const onclick = () => this.itemDialog((onclose) => dialog(this, { title, onclose }, content()));
    return itemButton(this, item, text, { class: name, onclick });
  }
}
