import type { List, ShareLink } from "../api";
import { webAddress } from "../web-address";
import { WishboneElement } from "./base";
import { dialog } from "./dialog";
import { type Child, directed, h, isolated, quietly, sent } from "./dom";
import { emailField, emailsIn } from "./email";
import { explain, features } from "./features";
import { failure, hint, loading, message, nameField } from "./frame";
import { icon } from "./icons";

/** A shopper may mail as many in an hour, by default. */
const MAX_RECIPIENTS = 10;

type State = "closed" | "loading" | "ready" | "login" | "error";

/** Shares a list of the shopper: by link, by e-mail, or with the device's own means. */
export class Share extends WishboneElement {
  static readonly observedAttributes = ["lid", "page", "login-url", "lang"];
  private state: State = "closed";
  private list = "";
  private link: ShareLink | undefined;
  /** Other links of the list, such as those of mails. */
  private others: ShareLink[] = [];
  private sender = "";
  private problem: unknown;
  private isCreating = false;
  private isMailing = false;
  private emailProblem = "";

  protected override start(): void {
    this.close();
    this.hears(/^log/, () => (this.state === "login" ? this.open() : this.state !== "closed" && this.close()));
    this.hears(/^unshared$/, ({ lid }) => lid === this.list && this.state === "ready" && this.load());
  }

  protected override needsLoad(attribute: string): boolean {
    return attribute === "lid" && this.state !== "closed";
  }

  private close(): void {
    this.state = "closed";
    this.link = undefined;
    this.emailProblem = this.sender = "";
    this.update();
  }

  private open(): void {
    this.state = "loading";
    this.update();
    quietly(() => this.load());
  }

  protected override async load(): Promise<void> {
    try {
      const state = await this.find();
      if (this.state !== "closed") this.state = state;
    } catch (error) {
      this.problem = error;
      const isGuest = (error as { code?: string }).code === "user-not-logged-in";
      if (!isGuest) explain(this.client, this, error);
      if (this.state !== "closed") this.state = isGuest ? "login" : "error";
    }
    this.update();
  }

  /** Finds the list and the link that it has. */
  private async find(): Promise<State> {
    const { client } = this;
    const identity = client.shopper.current();
    if (!identity || identity.from === "guest") {
      await features(client);
      return "login";
    }
    // In a list, it is the one that is shown.
    const shown = (this.closest("wishbone-list") as { list?: List } | null)?.list;
    this.list = this.getAttribute("lid") || (shown || (await client.lists.ensure())).lid;
    const links = (await client.sharing.links({ lid: this.list })).filter(({ expired }) => !expired);
    this.link = links.filter(({ scope, label }) => scope === "view" && !label).pop();
    this.others = links.filter((link) => link !== this.link);
    return "ready";
  }

  private get address(): string {
    const page = this.getAttribute("page");
    return this.link ? (page ? addressOf(page, this.link.key) : webAddress(this.link.url)) : "";
  }

  private nameGiven(): string {
    this.sender = this.root.querySelector<HTMLInputElement>("input[name=from]")?.value.trim() || "";
    return this.sender;
  }

  private async create(): Promise<void> {
    const { list: lid } = this;
    if (this.isCreating) return;
    this.isCreating = true;
    this.update();
    const link = await this.act(() => this.client.sharing.createLink({ lid, fromname: this.nameGiven() }));
    this.isCreating = false;
    this.update();
    if (!link || lid !== this.list) return;
    this.link = link;
    this.focusOn(".copy");
  }

  private async revoke(link: ShareLink): Promise<void> {
    const { list: lid } = this;
    const revoked = await this.act(() => this.client.sharing.revokeLink({ lid, key: link.key }));
    if (!revoked) return;
    const isMain = link === this.link;
    if (isMain) this.link = undefined;
    this.others = this.others.filter((one) => one !== link);
    this.toast(this.t("share.revoked"));
    this.focusOn(isMain ? ".create" : "#dialog-title");
  }

  private async copy(): Promise<void> {
    const input = this.root.querySelector<HTMLInputElement>("input.address");
    try {
      await navigator.clipboard.writeText(this.address);
    } catch {
      // Without permission, or on a page without https, the older way may still work.
      input?.select();
      if (!document.execCommand("copy")) return;
    }
    this.toast(this.t("share.copied"));
  }

  private async shareNatively(): Promise<void> {
    const { list: lid } = this;
    // Rejected if the shopper changes their mind.
    const isShared = await navigator.share({ url: this.address }).then(() => true, () => false);
    if (isShared) await this.client.sharing.reportSocial({ lid, medium: "native" }).catch(() => {});
  }

  private async mail(event: Event): Promise<void> {
    const { form, value } = sent(event);
    if (this.isMailing) return;
    const { emails, invalid } = emailsIn(form);
    if (emails.length === 0 || invalid.length > 0) return this.refuse([...invalid, this.t("email.invalid")].join("\n"));
    const { list: lid } = this;
    const fromname = this.nameGiven();
    const note = value("note");
    this.isMailing = true;
    this.emailProblem = "";
    this.update();
    const unsent = emails.slice(MAX_RECIPIENTS);
    const problems = unsent.length > 0 ? [this.t("error.limit")] : [];
    const send = async (toemail: string) => {
      try {
        await this.client.sharing.mail({ lid, toemail, fromname, note });
      } catch (error) {
        unsent.push(toemail);
        problems.push(emails.length > 1 ? `${toemail}: ${this.reason(error)}` : this.reason(error));
      }
    };
    await Promise.all(emails.slice(0, MAX_RECIPIENTS).map(send));
    this.isMailing = false;
    this.update();
    const mailed = emails.filter((email) => !unsent.includes(email));
    if (mailed.length > 0) this.toast(this.t("share.sent", { email: mailed.join(", ") }));
    // Only what was sent leaves the form, and the name stays for the next mail.
    const clear = (name: string, left = "") => ((form.elements.namedItem(name) as HTMLInputElement).value = left);
    clear("email", unsent.join(","));
    if (problems.length > 0) this.refuse(problems.join("\n"));
    else clear("note");
    // The links of the mails.
    await this.find().catch(() => {});
    this.update();
  }

  private refuse(problem: string): void {
    this.emailProblem = problem;
    this.focusOn("input[type=email]");
  }

  protected view(): Child[] {
    return [
      h(
        "button",
        { key: "open", part: "button", "aria-haspopup": "dialog", onclick: () => this.open() },
        icon("share"),
        this.t("share"),
      ),
      this.state !== "closed" &&
        dialog(this, { title: directed(this.t("share.title")), onclose: () => this.close() }, h("div", { class: "stack" }, this.content())),
    ];
  }

  private content(): Child {
    if (this.state === "loading") return loading(this);
    if (this.state === "error") return failure(this, this.problem, () => this.open());
    if (this.state === "login") return this.login();
    return [
      this.linkView(),
      this.mailForm(),
      h("ul", { key: "others" }, this.others.map((link) => this.other(link))),
    ];
  }

  private login(): Child {
    const address = webAddress((this.getAttribute("login-url") || "").replace("{return}", encodeURIComponent(location.href)));
    const onclick = (event: Event) => {
      const wish = new CustomEvent("wishbone:login-request", { bubbles: true, composed: true, cancelable: true });
      if (!this.dispatchEvent(wish)) event.preventDefault();
    };
    return message("share", this.t("share.login"), address && h("a", { class: "button primary", href: address, onclick }, this.t("login")));
  }

  private other(link: ShareLink): Child {
    const name = link.label || this.t("share.link");
    const revoke = this.t("share.revoke");
    return h(
      "li",
      { key: link.key, class: "line" },
      h("span", { class: "show small" }, isolated(name)),
      h("button", { class: "quiet danger", part: "button", "aria-label": `${revoke}: ${name}`, onclick: () => this.revoke(link) }, revoke),
    );
  }

  private linkView(): Child {
    const button = (name: string, label: string, onclick: () => unknown, isBusy = false) =>
      h("button", { key: name, class: name, part: "button", "aria-disabled": isBusy && "true", onclick }, label);
    const { link } = this;
    if (!link) {
      return h("div", { key: "create", class: "stack" }, hint(this.t("share.hint")), nameField(this, this.sender), button("primary create", this.t("share.create"), () => this.create(), this.isCreating));
    }
    return h(
      "div",
      { key: "link", class: "stack" },
      h(
        "label",
        { key: "address" },
        this.t("share.link"),
        h("input", { class: "address", readonly: true, dir: "ltr", "aria-describedby": "link-hint", value: this.address, onfocus: (event: Event) => (event.target as HTMLInputElement).select() }),
      ),
      h("p", { id: "link-hint", class: "muted small" }, this.t("share.hint"), " ", link.fromname && directed(this.t("shared.by", { name: link.fromname }))),
      h(
        "div",
        { class: "row" },
        button("primary copy", this.t("share.copy"), () => this.copy()),
        "share" in navigator && button("native", this.t("share.other"), () => this.shareNatively()),
        button("quiet danger", this.t("share.revoke"), () => this.revoke(link)),
      ),
    );
  }

  private mailForm(): Child {
    return h(
      "form",
      { key: "mail", class: "stack ruled", novalidate: true, onsubmit: (event: Event) => this.mail(event) },
      h("h3", null, this.t("share.mail")),
      emailField({ label: this.t("share.emails"), problem: this.emailProblem, autocomplete: "off", multiple: true }),
      this.link && nameField(this, this.sender),
      h("label", { key: "note" }, this.t("share.note"), h("textarea", { name: "note", maxlength: 1000, dir: "auto" })),
      h("button", { key: "send", part: "button", type: "submit", "aria-disabled": this.isMailing && "true" }, this.t("share.send")),
    );
  }
}

/** The shop's page that shows the list to visitors: {key} of the template is replaced, or a parameter `wishlist` is added. */
function addressOf(template: string, key: string): string {
  const page = location.origin + location.pathname;
  const address = webAddress(template.replace("{key}", encodeURIComponent(key))) || page;
  if (template.includes("{key}")) return address;
  const url = new URL(address);
  url.searchParams.set("wishlist", key);
  return webAddress(url);
}
