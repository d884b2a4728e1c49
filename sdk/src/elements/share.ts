import type { ShareLink } from "../api";
import { webAddress } from "../web-address";
import { WishboneElement } from "./base";
import { dialog } from "./dialog";
import { type Child, h, quietly } from "./dom";
import { emailField, isEmail } from "./email";
import { hint, message, retryButton } from "./frame";
import { icon } from "./icons";

type State = "closed" | "loading" | "ready" | "login" | "error";

/** Shares a list of the shopper: by link, by e-mail, or with the device's own means. */
export class Share extends WishboneElement {
  static readonly observedAttributes = ["lid", "page", "login-url", "lang"];
  private state: State = "closed";
  private list = "";
  private link: ShareLink | undefined;
  private problem: unknown;
  private isCreating = false;
  private isMailing = false;
  private emailProblem = "";

  protected override start(): void {
    this.close();
    this.hears(/^log/, () => this.state !== "closed" && this.close());
    this.hears(/^unshared$/, ({ lid }) => lid === this.list && this.state === "ready" && this.load());
  }

  protected override needsLoad(attribute: string): boolean {
    return attribute === "lid" && this.state !== "closed";
  }

  private close(): void {
    this.state = "closed";
    this.link = undefined;
    this.emailProblem = "";
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
      if (this.state !== "closed") this.state = isGuest ? "login" : "error";
    }
    this.update();
  }

  /** Finds the list and the link that it has. */
  private async find(): Promise<State> {
    const { client } = this;
    const identity = client.shopper.current();
    if (!identity || identity.from === "guest") return "login";
    this.list = this.getAttribute("lid") || (await client.lists.ensure()).lid;
    const links = await client.sharing.links({ lid: this.list });
    this.link = links.filter(({ scope, expired }) => scope === "view" && !expired).pop();
    return "ready";
  }

  private get address(): string {
    return this.link ? addressOf(this.getAttribute("page") || "", this.link.key) : "";
  }

  private async create(): Promise<void> {
    const { list: lid } = this;
    if (this.isCreating) return;
    this.isCreating = true;
    this.update();
    const link = await this.act(() => this.client.sharing.createLink({ lid }));
    this.isCreating = false;
    this.update();
    if (!link || lid !== this.list) return;
    this.link = link;
    this.focusOn(".copy");
  }

  private async revoke(): Promise<void> {
    const { list: lid } = this;
    const revoked = await this.act(() => this.client.sharing.revokeLink({ lid, all: true }));
    if (!revoked) return;
    this.link = undefined;
    this.toast(this.t("share.revoked"));
    this.focusOn(".create");
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
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    if (this.isMailing) return;
    if (!isEmail(form)) return this.refuse(this.t("email.invalid"));
    const data = new FormData(form);
    const value = (name: string) => String(data.get(name) || "").trim();
    const email = value("email");
    this.isMailing = true;
    this.emailProblem = "";
    this.update();
    try {
      await this.client.sharing.mail({ lid: this.list, toemail: email, fromname: value("from"), note: value("note") });
      form.reset();
      this.toast(this.t("share.sent", { email }));
    } catch (error) {
      this.refuse(this.reason(error));
    } finally {
      this.isMailing = false;
      this.update();
    }
  }

  private refuse(problem: string): void {
    this.emailProblem = problem;
    this.focusOn("input[type=email]");
  }

  protected view(): Child[] {
    return [
      h(
        "button",
        { key: "open", part: "button", type: "button", "aria-haspopup": "dialog", onclick: () => this.open() },
        icon("share"),
        this.t("share"),
      ),
      this.state !== "closed" &&
        dialog(this, { title: this.t("share.title"), onclose: () => this.close() }, h("div", { class: "stack" }, this.content())),
    ];
  }

  private content(): Child {
    if (this.state === "loading") return h("p", { class: "muted", role: "status" }, this.t("loading"));
    if (this.state === "error") {
      return message("warning", this.t("list.error"), hint(this.reason(this.problem)), retryButton(this, () => this.open()));
    }
    if (this.state === "login") return this.login();
    return [this.linkView(), this.mailForm()];
  }

  private login(): Child {
    const address = webAddress(this.getAttribute("login-url"));
    return message("share", this.t("share.login"), address && h("a", { class: "button primary", href: address }, this.t("login")));
  }

  private linkView(): Child {
    const button = (name: string, label: string, onclick: () => unknown, isBusy = false) =>
      h("button", { key: name, class: name, part: "button", type: "button", "aria-disabled": isBusy && "true", onclick }, label);
    if (!this.link) {
      return h("div", { key: "create", class: "stack" }, hint(this.t("share.hint")), button("primary create", this.t("share.create"), () => this.create(), this.isCreating));
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
      h("p", { id: "link-hint", class: "muted small" }, this.t("share.hint")),
      h(
        "div",
        { class: "row" },
        button("primary copy", this.t("share.copy"), () => this.copy()),
        "share" in navigator && button("native", this.t("share.other"), () => this.shareNatively()),
        button("quiet danger", this.t("share.revoke"), () => this.revoke()),
      ),
    );
  }

  private mailForm(): Child {
    return h(
      "form",
      { key: "mail", class: "stack ruled", novalidate: true, onsubmit: (event: Event) => this.mail(event) },
      h("h3", null, this.t("share.mail")),
      emailField({ label: this.t("email"), problem: this.emailProblem, autocomplete: "off" }),
      h("label", { key: "from" }, this.t("share.from"), h("input", { name: "from", maxlength: 100, autocomplete: "name", dir: "auto" })),
      h("label", { key: "note" }, this.t("share.note"), h("textarea", { name: "note", maxlength: 1000, dir: "auto" })),
      h("button", { key: "send", part: "button", type: "submit", "aria-disabled": this.isMailing && "true" }, this.t("share.send")),
    );
  }
}

/** The page that shows the list to visitors: {key} of the template is replaced, or a parameter `wishlist` is added. */
export function addressOf(template: string, key: string): string {
  const page = location.origin + location.pathname;
  const address = webAddress(template.replace("{key}", encodeURIComponent(key))) || page;
  if (template.includes("{key}")) return address;
  const url = new URL(address);
  url.searchParams.set("wishlist", key);
  return webAddress(url);
}
