import type { List, ListItem } from "../api";
import { Collection, type Loaded } from "./collection";
import { type Child, h } from "./dom";
import { heading, hint, message, moreButton, retryButton, skeleton } from "./frame";
import { icon } from "./icons";
import { itemView, quantityView, titleOf } from "./item";
import { editDialog, type Edited } from "./item-dialog";
import { canOrder, DEFAULT_ORDER, type Order, orderControls, rememberOrder } from "./order";

/** One list of the shopper: the default wishlist, or the one that `lid` names. */
export class ListElement extends Collection {
  static readonly observedAttributes = ["lid", "cart-url", "currency", "quantity", "lang"];
  private order: Order = DEFAULT_ORDER;
  private isOrdered = false;
  private editing: { item: ListItem; lists: List[] } | undefined;

  protected override needsLoad(attribute: string): boolean {
    if (attribute === "lid") this.reset();
    return false;
  }

  protected get calls() {
    return this.client.items;
  }

  protected override start(): void {
    this.editing = undefined;
    super.start();
  }

  protected async fetch(next: string | null): Promise<Loaded | undefined> {
    const { client } = this;
    // A visitor who has done nothing yet has no list, and costs no request.
    if (!client.shopper.current()) return undefined;
    const lid = this.getAttribute("lid") || (await client.lists.fetch({ lty: "wl" }))[0]?.lid;
    if (!lid) return undefined;
    if (canOrder(client)) {
      try {
        const page = await client.lists.page({ lid, next, ...this.order });
        rememberOrder(client, (this.isOrdered = true));
        return page;
      } catch (error) {
        if (!/^(sort-filter-disabled|user-not-logged-in)$/.test((error as { code: string }).code)) throw error;
        rememberOrder(client, false);
      }
    }
    this.isOrdered = false;
    return client.lists.page({ lid, next });
  }

  /** In another order than newest first, the place of a new item is the server's to say. */
  protected override put(items: ListItem[], index?: number): void {
    if (index === 0 && this.order !== DEFAULT_ORDER) void this.load();
    else super.put(items, index);
  }

  protected view(): Child[] {
    const title = this.list?.lname || this.t("list.title");
    return [
      h(
        "section",
        { class: "collection", part: "section", "aria-label": title, "aria-busy": String(this.state === "loading") },
        heading(
          this,
          title,
          this.state === "ready" ? this.list?.cnt : undefined,
          h("slot", { name: "actions" }),
          this.isOrdered && (this.items.length > 1 || this.order !== DEFAULT_ORDER) && this.controls(),
        ),
        this.body(),
      ),
      this.editing && this.dialog(this.editing),
    ];
  }

  private controls(): Child {
    return orderControls(this, this.order, (order) => {
      this.order = order;
      void this.load();
    });
  }

  private body(): Child {
    const { state } = this;
    if (state === "loading") return skeleton(this, "grid");
    if (state === "gone") return message("warning", this.t("error.gone"));
    if (state === "offline") return message("offline", this.t("list.offline"), hint(this.t("list.offline.hint")));
    if (state === "error") {
      return message("warning", this.t("list.error"), hint(this.reason(this.problem)), retryButton(this, () => this.reset()));
    }
    if (this.items.length === 0 && !this.next) {
      return message("heart", this.t("list.empty"), hint(this.t("list.hint")), h("slot", { name: "empty" }));
    }
    return [
      h("ul", { key: "items", class: "items grid", part: "items" }, this.items.map((item) => this.item(item))),
      this.next && moreButton(this, this.isLoadingMore, () => this.more()),
    ];
  }

  private item(item: ListItem): Child {
    const product = titleOf(this, item);
    const isBusy = this.inCart.has(item.epi);
    const tool = (name: "edit" | "close", label: string, onclick: () => unknown) =>
      h("button", { key: name, class: `icon ${name === "close" ? "remove" : "edit"}`, part: "button", type: "button", "aria-label": `${label}: ${product}`, title: label, onclick }, icon(name));
    return itemView(this, item, {
      corner: h(
        "div",
        { class: "corner" },
        tool("edit", this.t("item.edit"), () => this.edit(item)),
        tool("close", this.t("item.remove"), () => this.discard(item)),
      ),
      actions: [
        this.hasAttribute("quantity") && quantityView(this, item.qty || 1, (qty) => this.change(item, { qty })),
        h(
          "button",
          { class: "primary cart", part: "button primary", type: "button", "aria-label": `${this.t("cart.add")}: ${product}`, "aria-disabled": isBusy && "true", onclick: () => this.toCart(item) },
          this.t("cart.add"),
        ),
      ],
    });
  }

  private async edit(item: ListItem): Promise<void> {
    const lists = await this.client.lists.fetch({ lty: "wl" }).catch(() => []);
    this.editing = { item, lists };
    this.update();
  }

  private dialog({ item, lists }: { item: ListItem; lists: List[] }): Child {
    const onclose = () => {
      this.editing = undefined;
      this.update();
    };
    return editDialog(this, { item, lists, onclose, onsave: (edited) => this.save(item, edited) });
  }

  private async save(item: ListItem, { note, list }: Edited): Promise<void> {
    // An empty note counts as none, and would leave the old one.
    if (note !== (item.note || "").trim()) await this.change(item, { note: note || " " });
    const target = list.lid ? list : await this.act(() => this.client.lists.create({ lname: list.lname }));
    if (target?.lid && target.lid !== item.lid) await this.move(item, target.lid, target.lname);
  }

  private async move(item: ListItem, tolid: string, list: string): Promise<void> {
    const { epi, empi, lid } = item;
    const index = this.items.findIndex((one) => one.epi === epi);
    this.drop([epi]);
    const change = () => this.client.items.move({ fromlid: lid, tolid, items: { epi, empi } });
    const moved = await this.act(change, () => this.put([item], index));
    if (moved) this.toast(this.t("item.moved", { list }));
  }
}
