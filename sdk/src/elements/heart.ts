import type { ItemRef, ListItem, Place } from "../api";
import { pageAddress } from "../page-address";
import { webAddress } from "../web-address";
import type { Variant } from "./api";
import { shown, WishboneElement } from "./base";
import { type Child, h, quietly } from "./dom";
import { explain } from "./features";
import { icon } from "./icons";
import { editDialog, type Edited } from "./item-dialog";
import { madeList, moveItem, replaceItem, variantsOf } from "./variants";
import { pressed, wish, withQueued } from "./wishes";

const CHANGES = /^((saved-)?(added|removed)|moved|saved-moved-to-cart|lists?-|log|queued|synced)/;
// What a click in a dialog is for. Elsewhere it must not follow the link that the heart is in.
const CONTROLS = "button, label, input, select, textarea";

/** Products of which it is not known yet what a press means. */
const asking = new Set<string>();

/** Adds a product to the wishlist, or removes it. Without a variant it stands for all variants of the product. */
export class Heart extends WishboneElement {
  static readonly observedAttributes = ["epi", "empi", "dt", "lid", "variant", "count", "lang"];
  /** Where the product is, as the server says; undefined before it has answered. */
  private places: Place[] | undefined;
  private total = 0;
  /** The shopper has pressed here, so that the next state may be animated. */
  private pressed = false;
  /** Ends the offer to undo the last removal. */
  private endUndo = () => {};

  protected override start(): void {
    this.hears(CHANGES, () => this.load());
    this.hears(/^error$/, ({ replayed }) => replayed && this.load());
    this.hears(/^log/, () => this.itemDialog());
    this.listens(window, "online", () => quietly(() => this.load()));
    quietly(() => this.load());
  }

  protected override needsLoad(attribute: string): boolean {
    // Of another product nothing is known yet.
    if (/^(epi|empi|lid)$/.test(attribute)) this.places = undefined;
    return /^(epi|empi|lid|count)$/.test(attribute);
  }

  /** Asks in which lists the product is. All hearts of a page share one request, and a cache. */
  protected override async load(): Promise<void> {
    await Promise.all([this.ask().catch((error) => explain(this.client, this, error)), this.loadCount()]);
    this.update();
  }

  private async ask(): Promise<void> {
    const { epi, empi, lid, key } = this.ids();
    const { items } = this.client;
    // A heart without a list is about wishlists: what is only saved for later has an empty one.
    const lty = lid ? undefined : "wl";
    const places: Place[] =
      epi || !empi
        ? (await items.contains({ epis: epi, lty })).map((lid) => ({ epi: Number(epi), lid }))
        : await items.contains({ empis: empi, lty });
    // The attributes may have changed meanwhile; then another call brings the answer.
    if (this.ids().key === key) this.places = lid ? places.filter((place) => place.lid === lid) : places;
  }

  private async loadCount(): Promise<void> {
    if (!this.hasAttribute("count")) return;
    this.total = await this.client.counts.social(this.getAttribute("empi") || "").catch(() => this.total);
  }

  private ids() {
    const [epi = "", empi = "", lid = ""] = ["epi", "empi", "lid"].map((name) => this.getAttribute(name) || "");
    const id = epi || `of ${empi}`;
    return { epi, empi, lid, id, key: `${id} ${lid}` };
  }

  /** Where the product is once all that waits is sent. */
  private get current(): Place[] | undefined {
    const { epi, empi, lid } = this.ids();
    const isAbout = (item: ItemRef) => (epi ? String(item.epi) === epi : String(item.empi) === empi);
    return withQueued(this.client, this.places, isAbout, lid);
  }

  /** Undefined while it is not known. */
  private get isPressed(): boolean | undefined {
    const { id, lid } = this.ids();
    const { current } = this;
    return pressed(this.client, id, lid) ?? (current && current.length > 0);
  }

  private async press(): Promise<void> {
    const { client } = this;
    const { key } = this.ids();
    const asked = `${client.settings.store} ${key}`;
    if (asking.has(asked)) return;
    asking.add(asked);
    try {
      // A press is about what the shopper has: also what another heart has changed a moment ago.
      await this.ask().catch((error) => {
        if (!this.current) throw error;
      });
      if (this.isPressed) this.discard(this.current || []);
      else await this.add();
    } catch (error) {
      this.failed(error);
    } finally {
      asking.delete(asked);
    }
  }

  private async add(): Promise<void> {
    const { epi, lid } = this.ids();
    const product = this.product();
    this.endUndo();
    const variants = epi ? [] : await variantsOf(this, product);
    // Of a shop that does not tell its variants, the product is what is saved.
    const [variant = { epi: epi || product.empi }] = variants;
    const saved = { ...product, ...variant, lid: lid || undefined };
    quietly(async () => {
      const added = await this.change(true, () => this.client.items.add(saved));
      const item = added?.items[0];
      if (item && !lid) await this.offerChange(item, variants);
    });
  }

  private discard(places: Place[]): void {
    const { items } = this.client;
    const lids = [...new Set(places.map(({ lid }) => lid))];
    const remove = (lid: string) => items.remove({ lid: lid || undefined, items: places.filter((place) => place.lid === lid) });
    quietly(async () => {
      const removed = await this.change(false, () => Promise.all(lids.map(remove)));
      const lists = removed?.filter((list) => list.items.length > 0);
      if (!lists?.length) return;
      const undo = () => this.change(true, () => Promise.all(lists.map(({ lid, items: of }) => items.add({ lid, items: of }))));
      const product = this.getAttribute("dt") || this.t("product");
      this.endUndo = this.toast(this.t("item.removed", { product }), { action: { label: this.t("undo"), run: undo } });
    });
  }

  /** Makes a change that shows at once. */
  private async change<T>(isIn: boolean, change: () => Promise<T>): Promise<T | undefined> {
    const { id, lid } = this.ids();
    const end = wish(this.client, id, lid, isIn);
    this.pressed = isIn;
    updateHearts();
    const changed = await this.act(change, () => quietly(() => this.load()));
    await this.load();
    end();
    updateHearts();
    return changed;
  }

  /** It was saved where most shoppers want it: who has several lists is told which, and can choose another. */
  private async offerChange(item: ListItem, variants: Variant[]): Promise<void> {
    const lists = await this.client.lists.fetch({ lty: "wl" });
    const list = lists.find(({ lid }) => lid === item.lid);
    if (!list || (lists.length < 2 && variants.length < 2)) return;
    const onclick = (event: Event) => (event.target as Element).closest(CONTROLS) || event.preventDefault();
    const onsave = (edited: Edited) => this.save(item, edited);
    const run = () =>
      this.itemDialog((onclose) => h("div", { key: "place", class: "place", onclick }, editDialog(this, { item, lists, variants, onclose, onsave })));
    this.toast(this.t("heart.saved", { list: list.lname }), { action: { label: this.t("change"), run } });
  }

  private async save(item: ListItem, { noted, list, variant }: Edited): Promise<void> {
    const { client } = this;
    const changed = await this.act(async () => {
      const saved = variant ? await replaceItem(client, noted, variant) : noted;
      if (!variant && noted !== item) await client.items.update(noted);
      return list.lid === item.lid || moveItem(client, { ...saved, lid: item.lid }, await madeList(client, list));
    });
    if (changed && list.lid !== item.lid) this.toast(this.t("item.moved", { list: list.lname }));
  }

  private product() {
    const given = (name: string) => this.getAttribute(name) || undefined;
    return {
      empi: given("empi") || "",
      du: webAddress(given("du")) || pageAddress(),
      dt: given("dt"),
      iu: webAddress(given("iu")) || undefined,
      pr: given("pr"),
      vi: given("vi"),
    };
  }

  protected view(): Child[] {
    const product = this.getAttribute("dt");
    const isButton = this.getAttribute("variant") === "button";
    const isPressed = this.isPressed;
    const label = [this.t("heart.add"), product].filter(Boolean).join(": ");
    const text = (isShown: boolean, text: string) => h("span", { class: !isShown && "off" }, text);
    return [
      h(
        "button",
        {
          class: `heart-button${isButton ? "" : " icon"}${this.pressed ? " pressed" : ""}`,
          part: `button heart${isPressed ? " pressed" : ""}`,
          "aria-pressed": isPressed !== undefined && String(isPressed),
          "aria-label": !isButton && label,
          title: !isButton && label,
          onclick: (event: Event) => {
            // Cards of products are often links.
            event.preventDefault();
            return this.press();
          },
        },
        icon("heart"),
        isButton &&
          h("span", { class: "both" }, text(!isPressed, this.t("heart.add")), text(!!isPressed, this.t("heart.added"))),
      ),
      this.hasAttribute("count") && this.countView(),
    ];
  }

  private countView(): Child {
    const count = this.total;
    return h(
      "span",
      { class: "social", part: "count" },
      count > 0 && h("span", { "aria-hidden": "true" }, this.number(count)),
      count > 0 && h("span", { class: "hidden" }, this.t("heart.count", { count })),
    );
  }
}

/** A product can have several hearts on a page. */
function updateHearts(): void {
  shown.forEach((element) => element instanceof Heart && element.update());
}
