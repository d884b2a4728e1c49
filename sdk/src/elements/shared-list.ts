import type { ListItem } from "../api";
import { webUrl } from "../web-address";
import type { Loaded } from "./collection";
import { CollectionView } from "./collection-view";
import { type Child, directed, h, isolated } from "./dom";
import { hint, message } from "./frame";

/** A list of another shopper, opened by its share key. */
export class SharedList extends CollectionView {
  static readonly observedAttributes = ["key", "link-hosts", "cart-url", "currency", "lang"];
  protected readonly layout = "grid";
  private robots: HTMLMetaElement | undefined;

  protected get calls() {
    return this.client.items;
  }

  protected get heading(): string {
    return this.list?.lname || this.t("shared.title");
  }

  protected override byline(): Child {
    const { fromname: name, lnote } = this.list || {};
    return [
      name && h("p", { key: "owner", class: "owner muted", part: "owner" }, directed(this.t("shared.by", { name }))),
      lnote && h("p", { key: "note", class: "owner", part: "list-note" }, isolated(lnote)),
    ];
  }

  protected override get discussion() {
    const { canEdit, itemcmnts } = this.list || {};
    return canEdit || itemcmnts ? { "can-add": canEdit } : undefined;
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

  protected async fetch(next: string | null): Promise<Loaded | undefined> {
    const lid = this.linkKey();
    if (!lid) return undefined;
    const page = await this.client.lists.page({ lid, next, shared: true });
    return { ...page, items: page.items.map((item) => ({ ...item, du: this.shopAddress(item.du) })) };
  }

  private linkKey(): string | null {
    return this.getAttribute("key") || new URLSearchParams(location.search).get("wishlist");
  }

  /** The address if it is the shop's, else "". The owner of the list chose it, and could lead visitors anywhere. */
  private shopAddress(du: string): string {
    const hostOf = (address: string) => webUrl(address, document.baseURI)?.host;
    const named = (this.getAttribute("link-hosts") || "").split(/\s+/).map((name) => hostOf(`//${name}`));
    const host = hostOf(du);
    return host && [location.host, ...named].includes(host) ? du : "";
  }

  /** Somebody else's list: what happens to the visitor's own does not change it. */
  protected override follow(): void {}

  protected override gone(): Child {
    return message("warning", this.t("shared.gone"), hint(this.t("shared.gone.hint")));
  }

  protected empty(): Child {
    return this.list ? message("list", this.t("empty"), h("slot", { name: "empty" })) : this.gone();
  }

  protected corner({ epi, empi, du, dt, iu, vi, pr }: ListItem): Child {
    // An item needs an address. That of this page would put the list's key into the visitor's list.
    const product = { epi, empi, du: du || location.origin, dt, iu, vi, pr };
    return h("div", { class: "corner" }, h("wishbone-heart", { exportparts: "heart", ...product }));
  }

  protected actions(item: ListItem): Child {
    return this.cartButton(item, "cart.add", () => this.toCart(item));
  }
}
