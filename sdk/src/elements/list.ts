import type { List, ListItem, MergedList } from "../api";
import type { Variant } from "./api";
import type { Loaded } from "./collection";
import { CollectionView } from "./collection-view";
import { type Child, h, quietly } from "./dom";
import { features } from "./features";
import { hint, message } from "./frame";
import { icon } from "./icons";
import { quantityView, titleOf } from "./item";
import { editDialog, type Edited } from "./item-dialog";
import { DEFAULT_ORDER, type Order, orderControls } from "./order";
import { madeList, moveItem, replaced, replaceItem, variantsOf } from "./variants";

/** One list of the shopper: the default wishlist, or the one that `lid` names. */
export class ListElement extends CollectionView {
  static readonly observedAttributes = ["lid", "cart-url", "currency", "quantity", "comments", "lang"];
  protected readonly layout = "grid";
  private order: Order = DEFAULT_ORDER;
  private isOrdered = false;

  protected get calls() {
    return this.client.items;
  }

  /** The list that is shown in the place of the default wishlist, or of one that has become part of it. */
  private chosen: string | undefined;
  /** The wishlists, where the element is not about one of them. */
  private lists: List[] = [];

  protected override start(): void {
    // The list that is on the screen stays there after a login, under its new id.
    this.hears(/^log/, ({ lists = [] }: { lists?: MergedList[] }) => {
      const merged = lists.find(({ lid }) => lid === this.list?.lid);
      this.chosen = merged && (merged.into || merged.lid);
      this.lists = [];
    });
    this.hears(/^list-/, () => this.lists.length > 0 && this.load());
    super.start();
  }

  protected override needsLoad(attribute: string): boolean {
    if (attribute === "lid") this.chosen = undefined;
    return super.needsLoad(attribute);
  }

  protected async fetch(next: string | null): Promise<Loaded | undefined> {
    const { client } = this;
    // A visitor who has done nothing yet has no list, and costs no request.
    if (!client.shopper.current()) return undefined;
    const own = this.getAttribute("lid");
    if (!own) this.lists = await client.lists.fetch({ lty: "wl" });
    const lid = own ? this.chosen || own : (this.lists.find(({ lid }) => lid === this.chosen) || this.lists[0])?.lid;
    if (!lid) return undefined;
    this.isOrdered = (await features(this.client)).includes("sort-filter") && client.shopper.current()?.from !== "guest";
    if (this.isOrdered) {
      try {
        return await client.lists.page({ lid, next, ...this.order });
      } catch (error) {
        // A guest whom the shop's server has made, or a feature that was switched off meanwhile.
        if (!/^(sort-filter-disabled|user-not-logged-in)$/.test((error as { code: string }).code)) throw error;
        this.isOrdered = false;
      }
    }
    return client.lists.page({ lid, next });
  }

  /** In another order than newest first, the place of a new item is the server's to say. */
  protected override put(items: ListItem[], index?: number): void {
    if (index === 0 && this.order !== DEFAULT_ORDER) void this.load();
    else super.put(items, index);
  }

  protected get heading(): string {
    return this.list?.lname || this.t("list.title");
  }

  protected override get discussion() {
    const { anonRead, itemcmnts } = this.list || {};
    // A guest cannot share: nobody else would read them.
    const isRead = anonRead || itemcmnts || this.client.shopper.current()?.from !== "guest";
    return this.hasAttribute("comments") && isRead ? { "can-add": true, "can-delete": true } : undefined;
  }

  protected override controls(): Child {
    const isNeeded = this.isOrdered && (this.items.length > 1 || this.order !== DEFAULT_ORDER);
    return [
      this.lists.length > 1 && !this.getAttribute("lid") && this.switcher(),
      this.items.some(({ avl }) => avl !== "out") &&
        this.items.length > 1 &&
        h("button", { key: "all", class: "all", part: "button", "aria-disabled": this.inCart.size > 0 && "true", onclick: () => this.allToCart() }, this.t("cart.all")),
      isNeeded && orderControls(this, this.order, (order) => quietly(() => this.reorder(order))),
    ];
  }

  private switcher(): Child {
    const choose = ({ currentTarget }: Event) => {
      this.chosen = (currentTarget as HTMLSelectElement).value;
      this.reset();
    };
    const value = this.list?.lid || this.chosen;
    const options = this.lists.map(({ lid, lname }) => h("option", { key: lid, value: lid }, lname));
    return h("label", { key: "switcher", class: "switcher" }, this.t("item.list"), h("select", { value, onchange: choose }, options));
  }

  /** Shows the items in another order, or tells the shopper why not. */
  private async reorder(order: Order): Promise<void> {
    const before = this.order;
    this.order = order;
    this.problem = undefined;
    await this.load();
    if (!this.problem || this.order !== order) return;
    this.order = before;
    this.toast(`${this.t("error.load")} ${this.reason(this.problem)}`, { kind: "error" });
    this.update();
  }

  /** With a filter, the number of items is known when all of them are shown. */
  protected override get count(): number | undefined {
    if (!this.order.filterby) return super.count;
    return this.next ? undefined : this.items.length;
  }

  protected empty(): Child {
    if (this.order.filterby) return message("list", this.t("filter.none"));
    return message("heart", this.t("list.empty"), hint(this.t("list.hint")), h("slot", { name: "empty" }));
  }

  protected corner(item: ListItem): Child {
    const tool = (name: "edit" | "close", kind: string, text: string, onclick: () => unknown) => {
      const label = `${text}: ${titleOf(this, item)}`;
      return h("button", { key: kind, class: `icon ${kind}`, part: "button", "aria-label": label, title: text, onclick }, icon(name));
    };
    return h(
      "div",
      { class: "corner" },
      tool("edit", "edit", this.t("item.edit"), () => this.edit(item)),
      tool("close", "remove", this.t("item.remove"), () => this.discard(item)),
    );
  }

  protected actions(item: ListItem): Child {
    return [
      this.hasAttribute("quantity") && quantityView(this, item.qty || 1, (qty) => this.change(item, { qty })),
      this.cartButton(item, "cart.add", () => this.toCart(item)),
      this.results.has(item.epi) && h("p", { key: "result", class: "small result", part: "result", dir: "auto" }, this.results.get(item.epi)),
    ];
  }

  private async edit(item: ListItem): Promise<void> {
    // Without an answer, the item can at least stay where it is, and what it is.
    const [lists, variants] = await Promise.all([
      this.client.lists.fetch({ lty: "wl" }).catch(() => (this.list ? [this.list] : [])),
      variantsOf(this, item).catch(() => []),
    ]);
    const onsave = (edited: Edited) => this.save(item, edited);
    this.itemDialog((onclose) => editDialog(this, { item, lists, variants, onclose, onsave }));
  }

  private async save(item: ListItem, { noted, list, variant }: Edited): Promise<void> {
    let saved: ListItem | undefined = noted;
    if (variant) saved = await this.replace(noted, variant);
    else if (noted !== item) await this.change(item, { note: noted.note || "" });
    if (saved && list.lid !== item.lid) await this.move(saved, list);
  }

  /** Shows another variant in the same place. */
  private async replace(item: ListItem, variant: Variant): Promise<ListItem | undefined> {
    const index = this.items.findIndex(({ epi }) => epi === item.epi);
    const changed = { ...item, ...replaced(variant) };
    // It may be there already.
    this.drop([item.epi, changed.epi]);
    this.put([changed], index);
    return this.act(() => replaceItem(this.client, item, variant), () => quietly(() => this.load()));
  }

  private async move(item: ListItem, list: Edited["list"]): Promise<void> {
    try {
      const to = await madeList(this.client, list);
      const index = this.items.findIndex(({ epi }) => epi === item.epi);
      this.drop([item.epi]);
      const moved = await this.act(() => moveItem(this.client, item, to), () => this.put([item], index));
      if (moved) this.toast(this.t("item.moved", { list: to.lname }));
    } catch (error) {
      this.failed(error);
    }
  }
}
