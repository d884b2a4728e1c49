import { pageAddress } from "../page-address";
import { webAddress } from "../web-address";
import { shown, WishboneElement } from "./base";
import { type Child, h, quietly } from "./dom";
import { icon } from "./icons";
import { wish, wishOf } from "./wishes";

const CHANGES = /^((saved-)?(added|removed)|moved|saved-moved-to-cart|lists?-|log|queued|synced)/;

/** Adds a product to the wishlist, or removes it. */
export class Heart extends WishboneElement {
  static readonly observedAttributes = ["epi", "empi", "dt", "lid", "variant", "count", "lang"];
  /** Whether the shopper has it, as the server says; undefined before it has answered. */
  private isIn: boolean | undefined;
  private total = 0;
  /** The shopper has pressed here, so that the next state may be animated. */
  private pressed = false;

  protected override start(): void {
    this.hears(CHANGES, () => this.load());
    this.hears(/^error$/, ({ replayed }) => replayed && this.load());
    this.listens(window, "online", () => quietly(() => this.load()));
    quietly(() => this.load());
  }

  protected override needsLoad(attribute: string): boolean {
    // Of another product nothing is known yet.
    if (/^(epi|lid)$/.test(attribute)) this.isIn = undefined;
    return /^(epi|empi|lid|count)$/.test(attribute);
  }

  /** Asks in which lists the product is. All hearts of a page share one request, and a cache. */
  protected override async load(): Promise<void> {
    const { epi, lid } = this.ids();
    // A heart without a list is about wishlists: what is only saved for later has an empty one.
    const { items } = this.client;
    const asked: Promise<string[]> = lid ? items.contains(epi) : items.contains({ epis: epi, lty: "wl" });
    const [lids] = await Promise.all([asked.catch(() => undefined), this.loadCount()]);
    // The attributes may have changed meanwhile; then another call brings the answer.
    if (this.ids().epi !== epi || this.ids().lid !== lid) return;
    if (lids) this.isIn = lid ? lids.includes(lid) : lids.length > 0;
    this.update();
  }

  private async loadCount(): Promise<void> {
    if (!this.hasAttribute("count")) return;
    this.total = await this.client.counts.social(this.getAttribute("empi") || "").catch(() => this.total);
  }

  private ids(): { epi: string; lid: string } {
    return { epi: this.getAttribute("epi") || "", lid: this.getAttribute("lid") || "" };
  }

  private get isPressed(): boolean {
    const { epi, lid } = this.ids();
    return wishOf(this.client, epi, lid) ?? this.isIn ?? false;
  }

  private async press(): Promise<void> {
    // A press is about what the shopper has: a heart that is not loaded yet would add what is there already.
    if (this.isIn === undefined) await this.load();
    const { epi, lid } = this.ids();
    const isIn = !this.isPressed;
    const end = wish(this.client, epi, lid, isIn);
    this.pressed = isIn;
    updateHearts();
    try {
      await this.client.items.toggle({ ...this.product(), epi, lid: lid || undefined });
    } catch (error) {
      this.failed(error);
    }
    await this.load();
    end();
    updateHearts();
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
    const label = product ? this.t("heart.product", { product }) : this.t("heart.add");
    const text = (isShown: boolean, text: string) => h("span", { class: !isShown && "off" }, text);
    return [
      h(
        "button",
        {
          class: `heart-button${isButton ? "" : " icon"}${this.pressed ? " pressed" : ""}`,
          part: isPressed ? "button pressed" : "button",
          type: "button",
          "aria-pressed": String(isPressed),
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
          h("span", { class: "both" }, text(!isPressed, this.t("heart.add")), text(isPressed, this.t("heart.added"))),
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
