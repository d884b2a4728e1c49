import type { Items, ItemRef, List, ListItem, Product } from "../api";
import { webAddress } from "../web-address";
import type { ToastOptions } from "./api";
import { WishboneElement } from "./base";
import { addToCart } from "./cart";
import { quietly } from "./dom";
import { explain, features } from "./features";
import { titleOf } from "./item";
import { wishOf } from "./wishes";

export interface Loaded {
  list: List;
  items: ListItem[];
  next: string | null;
}

export type State = "loading" | "ready" | "error" | "offline" | "gone" | "off";

interface Calls {
  add(options: Items<Product>): Promise<unknown>;
  update(options: Items<Product>): Promise<{ items: ListItem[] }>;
  remove(options: Items<ItemRef>): Promise<unknown>;
}

// One call of the page each.
const MOST_TO_CART = 200;
const GONE = /^(list-not-found|forbidden|not-granted)$/;

/** The items of one list, loaded page by page, and kept true by the client's events. */
export abstract class Collection extends WishboneElement {
  protected list: List | undefined;
  protected items: ListItem[] = [];
  protected next: string | null = null;
  protected state: State = "loading";
  protected isLoadingMore = false;
  protected problem: unknown;
  /** Variants that are on their way into the cart. */
  protected readonly inCart = new Set<number>();
  /** What has become of each item that was put into the cart with others. */
  protected readonly results = new Map<number, string>();
  /** How many changes of a variant are under way. */
  private readonly changes = new Map<number, number>();
  private loads = 0;

  /** True if alerts can stand in for what is sold out. */
  protected hasAlerts = false;

  /** One page; undefined if there is no such list yet. */
  protected abstract fetch(next: string | null): Promise<Loaded | undefined>;

  /** How items of this kind of list are changed. */
  protected abstract get calls(): Calls;

  protected override start(): void {
    this.hears(/^(saved-)?(added|removed|updated|moved)/, (detail, name) => this.follow(name, detail));
    // Without a list, the event is about any of them.
    this.hears(/^lists?-/, ({ list }) => (!list || !this.list || list.lid === this.list.lid) && this.load());
    this.hears(/^log/, () => this.reset());
    this.listens(window, "online", () => this.state !== "ready" && this.reset());
    quietly(() => this.load());
  }

  /** Another list is another load; other attributes change only what is shown of it. */
  protected override needsLoad(attribute: string): boolean {
    if (/^(lid|key|link-hosts)$/.test(attribute)) this.reset();
    return false;
  }

  /** Shows nothing of what was loaded: it may be another shopper's. */
  protected reset(): void {
    this.itemDialog();
    this.list = undefined;
    this.results.clear();
    this.items = [];
    this.next = null;
    this.state = "loading";
    quietly(() => this.load());
  }

  protected override async load(): Promise<void> {
    const load = (this.loads += 1);
    // As many as were shown: a change on another device must not take the shopper back to the first page.
    const shown = this.items.length;
    try {
      const [page, known] = await Promise.all([this.fetch(null), features(this.client)]);
      this.hasAlerts = known.includes("subscriptions");
      let items = page ? this.current(page) : [];
      let next = page?.next ?? null;
      while (next && items.length < shown) {
        const more = await this.fetch(next);
        items = [...items, ...(more ? this.current(more) : [])];
        next = more?.next ?? null;
      }
      if (load !== this.loads) return;
      this.list = page?.list;
      this.items = items;
      this.next = next;
      this.state = "ready";
    } catch (error) {
      if (load === this.loads) this.fail(error);
    }
    this.update();
  }

  private fail(error: unknown): void {
    const { code } = error as { code?: string };
    // An event about the new shopper follows.
    if (code === "identity-changed") return;
    this.problem = error;
    explain(this.client, this, error);
    if (GONE.test(String(code))) this.state = "gone";
    else if (code === "feature-not-enabled") this.state = "off";
    // What is shown was true a moment ago: better than nothing.
    else if (!this.list) this.state = navigator.onLine ? "error" : "offline";
  }

  protected async more(): Promise<void> {
    if (this.isLoadingMore || !this.next) return;
    const load = this.loads;
    // Guests' lists are paged by position, and removed items have changed the position.
    const next = /^\d+$/.test(this.next) ? String(this.items.length) : this.next;
    this.isLoadingMore = true;
    this.update();
    try {
      const page = await this.fetch(next);
      if (page && load === this.loads) {
        const known = new Set(this.items.map(({ epi }) => epi));
        this.items = [...this.items, ...this.current(page).filter(({ epi }) => !known.has(epi))];
        this.next = page.next;
      }
    } catch (error) {
      this.toast(this.reason(error), { kind: "error" });
    }
    this.isLoadingMore = false;
    this.update();
  }

  /** Without those whose removal still waits to be sent. */
  private current({ list, items }: Loaded): ListItem[] {
    return items.filter(({ epi }) => wishOf(this.client, String(epi), list.lid) !== false);
  }

  protected follow(event: string, { lid, fromlid, tolid, epis, items, remote }: any): void {
    const name = event.replace("saved-", "");
    if (!this.list) return void this.load();
    if (name === "moved") {
      if (fromlid === this.list.lid) this.drop(epis);
      // Moved items keep their age, and so their place.
      if (tolid === this.list.lid) void this.load();
    } else if (lid !== this.list.lid) return;
    else if (name === "added") this.put(items.filter((item: ListItem) => !this.isFurtherBack(item)), 0);
    // What the shopper has changed since is newer than this.
    else if (name === "updated") this.put(items.filter(({ epi }: ListItem) => !this.changes.get(epi)));
    // The count is the server's to say if something has left that is not shown.
    else if (remote && !epis.every((epi: number) => this.items.some((item) => item.epi === epi))) void this.load();
    // What waits to be added again, after Undo, stays where it is.
    else this.drop(epis.filter((epi: number) => !wishOf(this.client, String(epi), lid)));
  }

  /** True for an item that was added again and belongs to a page that is not loaded. */
  private isFurtherBack({ cts }: ListItem): boolean {
    const last = this.items[this.items.length - 1];
    return this.next !== null && last !== undefined && cts < last.cts;
  }

  /** Replaces items that are there. Others are inserted at `index`, or left out without one. */
  protected put(items: ListItem[], index?: number): void {
    const given = new Map(items.map((item) => [item.epi, item]));
    this.items = this.items.map((item) => {
      const changed = given.get(item.epi);
      given.delete(item.epi);
      return changed || item;
    });
    if (index !== undefined) this.items.splice(index, 0, ...given.values());
    this.counted(index === undefined ? 0 : given.size);
  }

  protected drop(epis: number[]): void {
    this.keepFocus(epis);
    const before = this.items.length;
    this.items = this.items.filter(({ epi }) => !epis.includes(epi));
    this.counted(this.items.length - before);
    if (this.items.length === 0 && this.next) void this.more();
  }

  private counted(change: number): void {
    if (this.list) this.list = { ...this.list, cnt: (this.list.cnt || 0) + change };
    this.update();
  }

  protected discard(item: ListItem): void {
    const { calls } = this;
    const { lid, epi, empi } = item;
    const index = this.items.indexOf(item);
    const rollback = () => this.put([item], index);
    const undo = () => {
      rollback();
      return this.act(() => calls.add({ ...item, lid }), () => this.drop([epi]));
    };
    this.drop([epi]);
    const removed = this.t("item.removed", { product: titleOf(this, item) });
    const dismiss = this.toast(removed, { action: { label: this.t("undo"), run: undo } });
    const failed = () => {
      rollback();
      dismiss();
    };
    quietly(() => this.act(() => calls.remove({ epi, empi, lid }), failed));
  }

  /** Shows the change at once, and takes it back if it fails. */
  protected async change(item: ListItem, fields: Partial<Pick<ListItem, "qty" | "note">>): Promise<void> {
    const { calls } = this;
    const { epi } = item;
    const count = (change: number) => this.changes.set(epi, (this.changes.get(epi) || 0) + change);
    this.put([{ ...item, ...fields }]);
    count(1);
    const update = () => calls.update({ ...item, ...fields }).finally(() => count(-1));
    const updated = await this.act(update, () => this.put([item]));
    if (updated && !this.changes.get(epi)) this.put(updated.items);
  }

  /** True if the page has put the item into its cart. The shopper is told by a toast, or with the item if it is one of many. */
  protected async toCart(item: ListItem, oneOfMany = false): Promise<boolean> {
    if (this.inCart.has(item.epi)) return false;
    const product = titleOf(this, item);
    const say = (text: string, options?: ToastOptions) => (oneOfMany ? this.results.set(item.epi, text) : this.toast(text, options));
    this.inCart.add(item.epi);
    this.results.delete(item.epi);
    this.update();
    try {
      if (item.avl === "out") throw new Error("It is sold out.");
      const isAdded = await addToCart(this, item, oneOfMany);
      if (isAdded) say(this.t("cart.added", { product }), this.cartLink());
      return isAdded || false;
    } catch (reason) {
      say(typeof reason === "string" ? reason : this.t("cart.failed", { product }), { kind: "error" });
      return false;
    } finally {
      this.inCart.delete(item.epi);
      this.update();
    }
  }

  /** Puts all items into the cart, also those that are not shown yet, except what is sold out. */
  protected async allToCart(): Promise<void> {
    if (this.inCart.size > 0) return;
    while (this.next && this.items.length < MOST_TO_CART) {
      const { length } = this.items;
      await this.more();
      if (this.items.length === length) break;
    }
    this.results.clear();
    let added = 0;
    for (const item of this.items.slice(0, MOST_TO_CART)) added += Number(await this.toCart(item, true));
    const left = this.results.size - added;
    const product = (count: number) => ({ product: this.t("count", { count }) });
    if (added > 0) this.toast(this.t("cart.added", product(added)), this.cartLink());
    if (left > 0) this.toast(this.t("cart.failed", product(left)), { kind: "error" });
  }

  private cartLink(): { action?: { label: string; run: () => void } } {
    const address = webAddress(this.getAttribute("cart-url"));
    return address ? { action: { label: this.t("cart.view"), run: () => location.assign(address) } } : {};
  }

  /** The same control of the next item gets the focus of one that leaves. */
  private keepFocus(epis: number[]): void {
    const focused = this.root.activeElement || this.querySelector(":focus");
    const item = focused?.closest("[data-epi]");
    if (!item || !epis.includes(Number(item.getAttribute("data-epi")))) return;
    const sibling = item.nextElementSibling || item.previousElementSibling;
    const same = sibling?.querySelector<HTMLElement>(`[class="${focused?.className}"]`);
    (same || this.root.querySelector<HTMLElement>("[tabindex='-1']"))?.focus();
  }
}
