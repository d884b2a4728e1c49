import type { List, ListContents } from "../api";
import { WishboneElement } from "./base";
import { dialog } from "./dialog";
import { type Child, directed, h, isolated, quietly, sent } from "./dom";
import { explain, features } from "./features";
import { failure, hint, loading, message } from "./frame";
import { icon } from "./icons";
import { image } from "./item";
import { type ShownList, withPending } from "./pending-lists";

// Events that come in a burst, such as those of a moved item, cause one request.
const PAUSE = 150;
// Each costs a small request. Further lists show the drawn picture.
const MAX_PICTURES = 12;

/** A button that opens a drawer with the shopper's wishlists. */
export class Lists extends WishboneElement {
  static readonly observedAttributes = ["currency", "cart-url", "comments", "page", "login-url", "lang"];
  private lists: List[] = [];
  private isLoaded = false;
  private problem: unknown;
  private isOpen = false;
  /** The list that is shown, renamed or about to be deleted, or whose options are shown. */
  private chosen: { lid: string; for: "items" | "options" | "name" | "deletion" } | undefined;
  /** The picture of the newest item of each list, and the version that it is of. */
  private readonly pictures = new Map<string, { version: number; iu: string }>();
  /** Changes with the shopper. */
  private shopper = {};
  private timer: ReturnType<typeof setTimeout> | undefined;

  protected override start(): void {
    this.isOpen = false;
    this.chosen = undefined;
    this.hears(/^(added|removed|moved$|lists?-)/, () => this.soon());
    // A change leaves the queue after its event: taken in before, a new list would be shown twice for a moment.
    this.hears(/^list-/, ({ list }, name) => {
      const { shopper } = this;
      setTimeout(() => shopper === this.shopper && this.follow(name, list));
    });
    this.hears(/^(queued|synced|error)$/, () => this.update());
    this.hears(/^log/, () => this.reset());
    this.listens(window, "online", () => this.problem && quietly(() => this.load()));
    quietly(() => this.load());
  }

  protected override needsLoad(): boolean {
    return false;
  }

  private reset(): void {
    this.shopper = {};
    this.lists = [];
    this.isLoaded = false;
    this.pictures.clear();
    this.chosen = undefined;
    this.update();
    quietly(() => this.load());
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => quietly(() => this.load()), PAUSE);
  }

  protected override async load(): Promise<void> {
    try {
      // A visitor who has done nothing yet has no lists, and costs no request before the drawer is open.
      const identity = this.client.shopper.current();
      if (!identity && this.isOpen) await features(this.client);
      this.lists = identity ? await this.client.lists.fetch({ lty: "wl" }) : [];
      this.problem = undefined;
      this.isLoaded = true;
    } catch (error) {
      explain(this.client, this, error);
      if ((error as { code?: string }).code !== "identity-changed") this.problem = error;
    }
    this.loadPictures();
    this.update();
  }

  private loadPictures(): void {
    if (!this.isOpen) return;
    const { pictures, shopper } = this;
    for (const { lid, version, cnt } of this.lists.slice(0, MAX_PICTURES)) {
      const known = pictures.get(lid);
      if (known?.version === version) continue;
      pictures.set(lid, { version, iu: (cnt && known?.iu) || "" });
      if (!cnt) continue;
      // Without an answer, the list has the picture that it had.
      const show = ({ items: [item] }: ListContents) => {
        if (shopper === this.shopper) pictures.set(lid, { version, iu: item?.iu || "" });
        this.update();
      };
      this.client.lists.details({ lid, limit: 1 }).then(show, () => {});
    }
  }

  private follow(event: string, list: List): void {
    const { lid, lname, lty } = list;
    const isKnown = this.lists.some((one) => one.lid === lid);
    if (event === "list-deleted") this.lists = this.lists.filter((one) => one.lid !== lid);
    else if (isKnown) this.lists = this.lists.map((one) => (one.lid === lid ? { ...one, ...list } : one));
    else if (event === "list-created" && lname && (lty || "wl") === "wl") this.lists = [...this.lists, list];
    this.update();
  }

  private choose(chosen: Lists["chosen"], focus: string): void {
    this.chosen = chosen;
    this.focusOn(focus);
  }

  private async create(event: Event): Promise<void> {
    const { form, value } = sent(event);
    const lname = value("name");
    if (!lname) return;
    form.reset();
    await this.save(() => this.client.lists.create({ lname }));
  }

  private async rename(event: Event, { lid, lname: before }: ShownList): Promise<void> {
    const lname = sent(event).value("name");
    this.choose(undefined, rowOf(lid));
    if (lname && lname !== before) await this.save(() => this.client.lists.update({ lid, lname }));
  }

  private async delete({ lid, lname }: ShownList): Promise<void> {
    this.choose(undefined, "#dialog-title");
    const deleted = await this.save(() => this.client.lists.delete({ lid }));
    if (deleted) this.toast(this.t("item.removed", { product: lname }));
  }

  /** Makes a change, which is shown as soon as it is in the queue, and no longer if the server rejects it. */
  private save<T>(change: () => Promise<T>): Promise<T | undefined> {
    const saved = this.act(change, () => this.update());
    this.update();
    return saved;
  }

  protected view(): Child[] {
    const count = this.lists.reduce((sum, { cnt = 0 }) => sum + cnt, 0);
    const label = [this.t("lists.title"), this.isLoaded && this.t("count", { count })].filter(Boolean).join(", ");
    const open = () => {
      this.isOpen = true;
      if (this.client.shopper.current()) this.loadPictures();
      else quietly(() => this.load());
      this.update();
    };
    return [
      h(
        "button",
        { key: "open", class: "open", part: "button", "aria-haspopup": "dialog", "aria-label": label, onclick: open },
        icon("heart"),
        h("span", { class: "badge", part: "badge", "aria-hidden": "true" }, count > 0 && this.number(count)),
      ),
      this.isOpen && this.drawer(),
    ];
  }

  private drawer(): Child {
    const { chosen } = this;
    const lid = chosen?.for === "items" ? chosen.lid : "";
    const onclose = () => {
      this.isOpen = false;
      this.chosen = undefined;
      this.update();
    };
    const back = () => this.choose(undefined, rowOf(lid));
    const before =
      lid && h("button", { key: "back", class: "icon back", "aria-label": this.t("lists.title"), onclick: back }, icon("forward"));
    return dialog(
      this,
      { title: directed(this.t("lists.title")), kind: "drawer", before, onclose },
      lid ? this.items(lid) : [this.overview(), this.createForm()],
    );
  }

  private items(lid: string): Child {
    const pass = (...names: string[]) => Object.fromEntries(names.map((name) => [name, this.getAttribute(name)]));
    return h(
      "wishbone-list",
      { key: lid, lid, ...pass("currency", "cart-url", "comments"), exportparts: "button, item, title" },
      this.hasAttribute("page") && h("wishbone-share", { slot: "actions", lid, ...pass("page", "login-url") }),
    );
  }

  private overview(): Child {
    const lists = withPending(this.lists, this.client.queued());
    const rows = lists.length > 0 && h("ul", { key: "lists", class: "lists" }, lists.map((list) => this.row(list)));
    const { problem } = this;
    if (problem && this.lists.length === 0) return [failure(this, problem, () => this.load()), rows];
    if (rows || this.isLoaded) return rows || message("heart", this.t("lists.empty"), hint(this.t("list.hint")));
    return loading(this);
  }

  private row(list: ShownList): Child {
    const { lid, lname, cnt = 0, isPending } = list;
    if (isPending) return h("li", { key: lid, class: "line" }, h("div", { class: "show" }, this.label(list, this.t("lists.pending"))));
    const mode = this.chosen?.lid === lid ? this.chosen.for : undefined;
    const tool = (name: "edit" | "trash", label: string, purpose: "name" | "deletion") =>
      h("button", { key: name, class: `quiet${purpose === "name" ? "" : " danger"}`, "aria-label": `${label}: ${lname}`, onclick: () => this.choose({ lid, for: purpose }, purpose === "name" ? "form.rename input" : ".keep") }, icon(name), label);
    const onkeydown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !mode) return;
      // The drawer stays open.
      event.preventDefault();
      this.choose(undefined, rowOf(lid));
    };
    if (mode === "name") return h("li", { key: lid, onkeydown }, this.renameForm(list));
    if (mode === "deletion") return h("li", { key: lid, onkeydown }, this.confirmation(list));
    const hasOptions = mode === "options";
    const options = `${this.t("lists.options")}: ${lname}`;
    const toggle = () => this.choose(hasOptions ? undefined : { lid, for: "options" }, "");
    return h(
      "li",
      { key: lid, class: "line", onkeydown },
      h(
        "button",
        { key: "show", class: "show", "data-lid": lid, onclick: () => this.choose({ lid, for: "items" }, ".back") },
        this.label(list, this.t("count", { count: cnt })),
        icon("forward"),
      ),
      h("button", { key: "options", class: "icon", "aria-label": options, "aria-expanded": String(hasOptions), title: this.t("lists.options"), onclick: toggle }, icon("options")),
      hasOptions &&
        h("div", { key: "tools", class: "tools" }, tool("edit", this.t("lists.rename"), "name"), tool("trash", this.t("lists.delete"), "deletion")),
    );
  }

  private label({ lid, lname }: ShownList, more: string): Child {
    const address = this.pictures.get(lid)?.iu;
    return [
      h("span", { key: "picture", class: "thumbnail" }, icon("heart"), image(address)),
      h("span", { class: "strong" }, isolated(lname)),
      h("span", { key: "more", class: "muted small" }, directed(more)),
    ];
  }

  private renameForm(list: ShownList): Child {
    const cancel = () => this.choose(undefined, rowOf(list.lid));
    return h(
      "form",
      { key: "rename", class: "rename inline", onsubmit: (event: Event) => this.rename(event, list) },
      h("label", null, this.t("lists.name"), h("input", { name: "name", required: true, maxlength: 100, dir: "auto", value: list.lname })),
      h("button", { key: "save", class: "primary", type: "submit" }, this.t("save")),
      h("button", { key: "cancel", class: "quiet", onclick: cancel }, this.t("cancel")),
    );
  }

  private confirmation(list: ShownList): Child {
    return h(
      "div",
      { key: "confirm", class: "confirm", role: "group", "aria-labelledby": "confirm-text" },
      h("p", { id: "confirm-text" }, this.t("lists.delete.confirm", { list: list.lname })),
      h(
        "div",
        { class: "row" },
        h("button", { key: "delete", class: "danger", onclick: () => this.delete(list) }, this.t("lists.delete")),
        h("button", { key: "keep", class: "quiet keep", "aria-describedby": "confirm-text", onclick: () => this.choose(undefined, rowOf(list.lid)) }, this.t("cancel")),
      ),
    );
  }

  private createForm(): Child {
    return h(
      "form",
      { key: "create", class: "inline ruled", "aria-labelledby": "create", onsubmit: (event: Event) => this.create(event) },
      h("h3", { id: "create" }, this.t("item.list.new")),
      h("label", null, this.t("lists.name"), h("input", { name: "name", required: true, maxlength: 100, dir: "auto" })),
      h("button", { class: "primary", part: "button primary", type: "submit" }, this.t("lists.create")),
    );
  }
}

const rowOf = (lid: string) => `[data-lid="${CSS.escape(lid)}"]`;
