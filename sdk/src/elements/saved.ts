import type { ListItem } from "../api";
import type { Loaded } from "./collection";
import { CollectionView } from "./collection-view";
import { type Child, h } from "./dom";
import { requireFeature } from "./features";
import { hint, message } from "./frame";
import { itemButton, quantityView } from "./item";

/** The shopper's save-for-later list. */
export class Saved extends CollectionView {
  static readonly observedAttributes = ["cart-url", "currency", "lang"];
  protected readonly layout = "rows";

  protected get calls() {
    return this.client.saveForLater;
  }

  protected get heading(): string {
    return this.t("saved.title");
  }

  protected async fetch(next: string | null): Promise<Loaded | undefined> {
    const { client } = this;
    await requireFeature(this.client, "save-for-later");
    if (!client.shopper.current()) return undefined;
    // saveForLater.fetch would create the list: looking at a cart must not write anything.
    const lists = await client.lists.fetch();
    if (!lists.some(({ lty }) => /^(_saveForLater|sfl)$/.test(lty || ""))) return undefined;
    const { list, items, pagination } = await client.saveForLater.fetch({ next });
    return { list: { ...list, cnt: pagination.totalcount }, items, next: pagination.next };
  }

  protected empty(): Child {
    return message("list", this.t("empty"), hint(this.t("saved.hint")), h("slot", { name: "empty" }));
  }

  protected corner(): Child {
    return undefined;
  }

  protected actions(item: ListItem): Child {
    return [
      quantityView(this, item.qty || 1, (qty) => this.change(item, { qty })),
      this.cartButton(item, "cart.move", () => this.moveToCart(item)),
      itemButton(this, item, "item.remove", { class: "quiet remove", onclick: () => this.discard(item) }),
    ];
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
