import type { ListItem } from "../api";
import { Collection, type Loaded } from "./collection";
import { type Child, h } from "./dom";
import { heading, hint, message, moreButton, retryButton, skeleton } from "./frame";
import { itemView, titleOf } from "./item";

/** A list of another shopper, opened by its share key. */
export class SharedList extends Collection {
  static readonly observedAttributes = ["key", "cart-url", "currency", "lang"];
  private robots: HTMLMetaElement | undefined;

  protected override needsLoad(attribute: string): boolean {
    if (attribute === "key") this.reset();
    return false;
  }

  protected get calls() {
    return this.client.items;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.robots) return;
    // Whoever has the link can see the list; search engines must not hand it out.
    this.robots = document.createElement("meta");
    this.robots.name = "robots";
    this.robots.content = "noindex";
    document.head.append(this.robots);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.isConnected) return;
    this.robots?.remove();
    this.robots = undefined;
  }

  private get shareKey(): string {
    return this.getAttribute("key") || new URLSearchParams(location.search).get("wishlist") || "";
  }

  protected async fetch(next: string | null): Promise<Loaded | undefined> {
    const lid = this.shareKey;
    return lid ? this.client.lists.page({ lid, next, shared: true }) : undefined;
  }

  /** Somebody else's list: what happens to the visitor's own does not change it. */
  protected override follow(): void {}

  protected view(): Child[] {
    const title = this.list?.lname || this.t("shared.title");
    return [
      h(
        "section",
        { class: "collection", part: "section", "aria-label": title, "aria-busy": String(this.state === "loading") },
        heading(this, title, this.list?.cnt, h("slot", { name: "actions" })),
        this.body(),
      ),
    ];
  }

  private body(): Child {
    const { state } = this;
    if (state === "loading") return skeleton(this, "grid");
    if (state === "offline") return message("offline", this.t("list.offline"), hint(this.t("list.offline.hint")));
    if (state === "error") {
      return message("warning", this.t("list.error"), hint(this.reason(this.problem)), retryButton(this, () => this.reset()));
    }
    if (state === "gone" || !this.list) return message("warning", this.t("shared.gone"), hint(this.t("shared.gone.hint")));
    if (this.items.length === 0) return message("list", this.t("shared.empty"), h("slot", { name: "empty" }));
    return [
      h("ul", { key: "items", class: "items grid", part: "items" }, this.items.map((item) => this.item(item))),
      this.next && moreButton(this, this.isLoadingMore, () => this.more()),
    ];
  }

  private item(item: ListItem): Child {
    const product = titleOf(this, item);
    const isBusy = this.inCart.has(item.epi);
    const { epi, empi, du, dt, iu, vi, pr } = item;
    return itemView(this, item, {
      corner: h("div", { class: "corner" }, h("wishbone-heart", { exportparts: "button: heart", epi, empi, du, dt, iu, vi, pr })),
      actions: h(
        "button",
        { class: "primary cart", part: "button primary", type: "button", "aria-label": `${this.t("cart.add")}: ${product}`, "aria-disabled": isBusy && "true", onclick: () => this.toCart(item) },
        this.t("cart.add"),
      ),
    });
  }
}
