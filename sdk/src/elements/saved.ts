import type { ListItem } from "../api";
import { Collection, type Loaded } from "./collection";
import { type Child, h } from "./dom";
import { heading, hint, message, moreButton, retryButton, skeleton } from "./frame";
import { itemView, quantityView, titleOf } from "./item";

/** The shopper's save-for-later list. */
export class Saved extends Collection {
  static readonly observedAttributes = ["cart-url", "currency", "lang"];

  protected override needsLoad(): boolean {
    return false;
  }

  protected get calls() {
    return this.client.saveForLater;
  }

  protected async fetch(next: string | null): Promise<Loaded | undefined> {
    const { client } = this;
    if (!client.shopper.current()) return undefined;
    // saveForLater.fetch would create the list: looking at a cart must not write anything.
    const lists = await client.lists.fetch();
    if (!lists.some(({ lty }) => /^(_saveForLater|sfl)$/.test(lty || ""))) return undefined;
    const { list, items, pagination } = await client.saveForLater.fetch({ next });
    return { list: { ...list, cnt: pagination.totalcount }, items, next: pagination.next };
  }

  protected view(): Child[] {
    const title = this.t("saved.title");
    const isReady = this.state === "ready";
    return [
      h(
        "section",
        { class: "collection", part: "section", "aria-label": title, "aria-busy": String(this.state === "loading") },
        heading(this, title, isReady ? this.list?.cnt : undefined, h("slot", { name: "actions" })),
        this.body(),
      ),
    ];
  }

  private body(): Child {
    const { state } = this;
    if (state === "loading") return skeleton(this, "rows");
    if (state === "offline") return message("offline", this.t("list.offline"), hint(this.t("list.offline.hint")));
    if (state !== "ready") {
      return message("warning", this.t("list.error"), hint(this.reason(this.problem)), retryButton(this, () => this.reset()));
    }
    if (this.items.length === 0 && !this.next) {
      return message("list", this.t("saved.empty"), hint(this.t("saved.hint")), h("slot", { name: "empty" }));
    }
    return [
      h("ul", { key: "items", class: "items rows", part: "items" }, this.items.map((item) => this.item(item))),
      this.next && moreButton(this, this.isLoadingMore, () => this.more()),
    ];
  }

  private item(item: ListItem): Child {
    const product = titleOf(this, item);
    const isBusy = this.inCart.has(item.epi);
    return itemView(this, item, {
      actions: [
        quantityView(this, item.qty || 1, (qty) => this.change(item, { qty })),
        h(
          "button",
          { key: "cart", class: "primary cart", part: "button primary", type: "button", "aria-label": `${this.t("cart.move")}: ${product}`, "aria-disabled": isBusy && "true", onclick: () => this.moveToCart(item) },
          this.t("cart.move"),
        ),
        h(
          "button",
          { key: "remove", class: "quiet remove", part: "button", type: "button", "aria-label": `${this.t("item.remove")}: ${product}`, onclick: () => this.discard(item) },
          this.t("item.remove"),
        ),
      ],
    });
  }

  /** Nothing leaves the list unless the page says that it has arrived. */
  private async moveToCart(item: ListItem): Promise<void> {
    if (!(await this.toCart(item))) return;
    const { lid, epi, empi } = item;
    const index = this.items.findIndex((one) => one.epi === epi);
    this.drop([epi]);
    await this.act(() => this.client.saveForLater.movedToCart({ lid, epi, empi }), () => this.put([item], index));
  }
}
