import type { List } from "../api";
import { WishboneElement } from "./base";
import { dialog } from "./dialog";
import { type Child, h, isolated, quietly } from "./dom";
import { hint, message, retryButton } from "./frame";
import { icon } from "./icons";

// Events that come in a burst, such as those of a moved item, cause one request.
const PAUSE = 150;

/** A button that opens a drawer with the shopper's wishlists. */
export class Lists extends WishboneElement {
  static readonly observedAttributes = ["currency", "cart-url", "page", "login-url", "lang"];
  private lists: List[] = [];
  private problem: unknown;
  private isOpen = false;
  /** The list that is shown, renamed or about to be deleted. */
  private chosen: { lid: string; for: "items" | "name" | "deletion" } | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  protected override start(): void {
    this.isOpen = false;
    this.chosen = undefined;
    this.hears(/^(added|removed|moved$|lists?-)/, () => this.soon());
    this.hears(/^log/, () => this.reset());
    this.listens(window, "online", () => this.problem && quietly(() => this.load()));
    quietly(() => this.load());
  }

  protected override needsLoad(): boolean {
    return false;
  }

  private reset(): void {
    this.lists = [];
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
      // A visitor who has done nothing yet has no lists, and costs no request.
      this.lists = this.client.shopper.current() ? await this.client.lists.fetch({ lty: "wl" }) : [];
      this.problem = undefined;
    } catch (error) {
      if ((error as { code?: string }).code !== "identity-changed") this.problem = error;
    }
    this.update();
  }

  private choose(chosen: Lists["chosen"], focus: string): void {
    this.chosen = chosen;
    this.focusOn(focus);
  }

  private async create(event: Event): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const lname = nameIn(form);
    if (!lname) return;
    form.reset();
    await this.act(() => this.client.lists.create({ lname }));
  }

  private async rename(event: Event, list: List): Promise<void> {
    event.preventDefault();
    const { lid, lname: before } = list;
    const lname = nameIn(event.currentTarget as HTMLFormElement);
    this.choose(undefined, rowOf(lid));
    if (!lname || lname === before) return;
    const show = (name: string) => {
      this.lists = this.lists.map((one) => (one.lid === lid ? { ...one, lname: name } : one));
      this.update();
    };
    show(lname);
    await this.act(() => this.client.lists.update({ lid, lname }), () => show(before));
  }

  private async delete(list: List): Promise<void> {
    const { lid, lname } = list;
    const before = this.lists;
    this.lists = before.filter((one) => one.lid !== lid);
    this.choose(undefined, "#dialog-title");
    const rollback = () => {
      this.lists = before;
      this.update();
    };
    const deleted = await this.act(() => this.client.lists.delete({ lid }), rollback);
    if (deleted) this.toast(this.t("lists.deleted", { list: lname }));
  }

  protected view(): Child[] {
    const count = this.lists.reduce((sum, { cnt = 0 }) => sum + cnt, 0);
    const open = () => {
      this.isOpen = true;
      this.update();
    };
    return [
      h(
        "button",
        { key: "open", class: "open", part: "button", type: "button", "aria-haspopup": "dialog", "aria-label": this.t("lists.button", { count }), onclick: open },
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
      lid && h("button", { key: "back", class: "icon back", type: "button", "aria-label": this.t("lists.back"), onclick: back }, icon("forward"));
    return dialog(
      this,
      { title: this.t("lists.title"), kind: "drawer", before, onclose },
      lid ? this.items(lid) : [this.overview(), this.createForm()],
    );
  }

  private items(lid: string): Child {
    const pass = (...names: string[]) => Object.fromEntries(names.map((name) => [name, this.getAttribute(name)]));
    return h(
      "wishbone-list",
      { key: lid, lid, ...pass("currency", "cart-url"), exportparts: "button, item, title" },
      this.hasAttribute("page") && h("wishbone-share", { slot: "actions", lid, ...pass("page", "login-url") }),
    );
  }

  private overview(): Child {
    if (this.lists.length > 0) return h("ul", { key: "lists", class: "lists" }, this.lists.map((list) => this.row(list)));
    if (!this.problem) return message("heart", this.t("lists.empty"), hint(this.t("list.hint")));
    return message("warning", this.t("list.error"), hint(this.reason(this.problem)), retryButton(this, () => this.load()));
  }

  private row(list: List): Child {
    const { lid, lname, cnt = 0 } = list;
    const mode = this.chosen?.lid === lid ? this.chosen.for : undefined;
    const tool = (name: "edit" | "trash", label: string, purpose: "name" | "deletion") =>
      h("button", { key: name, class: "icon", type: "button", "aria-label": `${label}: ${lname}`, title: label, onclick: () => this.choose({ lid, for: purpose }, purpose === "name" ? "form.rename input" : ".keep") }, icon(name));
    if (mode === "name") return h("li", { key: lid }, this.renameForm(list));
    if (mode === "deletion") return h("li", { key: lid }, this.confirmation(list));
    return h(
      "li",
      { key: lid, class: "line" },
      h(
        "button",
        { key: "show", class: "show", "data-lid": lid, type: "button", onclick: () => this.choose({ lid, for: "items" }, ".back") },
        h("span", { class: "strong" }, isolated(lname)),
        h("span", { class: "muted small" }, isolated(this.t("count", { count: cnt }))),
        icon("forward"),
      ),
      tool("edit", this.t("lists.rename"), "name"),
      tool("trash", this.t("lists.delete"), "deletion"),
    );
  }

  private renameForm(list: List): Child {
    const cancel = () => this.choose(undefined, rowOf(list.lid));
    return h(
      "form",
      { key: "rename", class: "rename inline", onsubmit: (event: Event) => this.rename(event, list) },
      h("label", null, this.t("lists.name"), h("input", { name: "name", required: true, maxlength: 100, dir: "auto", value: list.lname })),
      h("button", { key: "save", class: "primary", type: "submit" }, this.t("save")),
      h("button", { key: "cancel", class: "quiet", type: "button", onclick: cancel }, this.t("cancel")),
    );
  }

  private confirmation(list: List): Child {
    return h(
      "div",
      { key: "confirm", class: "confirm", role: "group", "aria-labelledby": "confirm-text" },
      h("p", { id: "confirm-text" }, this.t("lists.delete.confirm", { list: list.lname })),
      h(
        "div",
        { class: "row" },
        h("button", { key: "delete", class: "danger", type: "button", onclick: () => this.delete(list) }, this.t("lists.delete")),
        h("button", { key: "keep", class: "quiet keep", type: "button", "aria-describedby": "confirm-text", onclick: () => this.choose(undefined, rowOf(list.lid)) }, this.t("cancel")),
      ),
    );
  }

  private createForm(): Child {
    return h(
      "form",
      { key: "create", class: "inline ruled", onsubmit: (event: Event) => this.create(event) },
      h("label", null, this.t("lists.name"), h("input", { name: "name", required: true, maxlength: 100, dir: "auto" })),
      h("button", { class: "primary", part: "button primary", type: "submit" }, this.t("lists.create")),
    );
  }
}

const rowOf = (lid: string) => `[data-lid="${CSS.escape(lid)}"]`;

function nameIn(form: HTMLFormElement): string {
  return String(new FormData(form).get("name") || "").trim();
}
