import type { Subscription, Topic } from "../api";
import { pageAddress } from "../page-address";
import { webAddress } from "../web-address";
import { WishboneElement } from "./base";
import { type Child, h, quietly, sent } from "./dom";
import { emailField, isEmail } from "./email";
import { explain, requireFeature } from "./features";
import { icon } from "./icons";
import type { Key } from "./texts";

type State = "form" | "confirm" | "subscribed" | "off";

export const TOPICS: readonly Topic[] = ["backinstock", "comingsoon", "pricedrop", "lowstock"];
export const SENT = 1;
// A shopper can have 1,000; those of one topic are rarely more than this.
export const MAX_KNOWN = 100;

/** Asks for an e-mail address, and subscribes it to news about a product. */
export class Notify extends WishboneElement {
  static readonly observedAttributes = ["epi", "empi", "topic", "targetprice", "lang"];
  private state: State = "form";
  /** The submission that is under way. */
  private sending: object | undefined;
  /** True while changes wait for the network, also since an earlier page. */
  private waits = false;
  private email = "";
  private problem = "";

  protected override start(): void {
    this.hears(/^log/, () => this.load());
    // What this element has asked for itself, it shows itself.
    this.hears(/^subscribed$/, ({ subscriptions }) => this.state === "form" && !this.sending && this.follow(subscriptions));
    this.hears(/^unsubscribed$/, ({ subscriptions }) => subscriptions.some(this.isAbout, this) && this.show("form"));
    this.hears(/^(queued|synced)$/, (_, name) => this.wait(name === "queued"));
    this.hears(/^error$/, () => this.update());
    this.wait(this.isQueued);
    // The link of the mail was perhaps opened elsewhere.
    this.listens(document, "visibilitychange", () => this.state === "confirm" && !document.hidden && this.find());
    quietly(() => this.load());
  }

  protected override needsLoad(attribute: string): boolean {
    return /^(epi|topic)$/.test(attribute);
  }

  private get subject(): Topic {
    return TOPICS.find((topic) => topic === this.getAttribute("topic")) || "backinstock";
  }

  private isAbout({ epi, topic }: Partial<Subscription>): boolean {
    return Number(epi) === Number(this.getAttribute("epi")) && topic === this.subject;
  }

  private wait(waits: boolean): void {
    this.waits = waits;
    this.update();
  }

  /** True if the alert is not sent yet. */
  private get isQueued(): boolean {
    const changes = this.client.queued().filter(({ name, args }) => /^subscriptions/.test(name) && this.isAbout(args as Partial<Subscription>));
    return changes.pop()?.name === "subscriptions.add";
  }

  private follow(subscriptions: Subscription[]): void {
    const alert = subscriptions.find((one) => this.isAbout(one) && one.status !== SENT);
    if (!alert) return;
    this.waits = false;
    // A guest's own address comes back redacted.
    if (/@/.test(alert.mediumvalue)) this.email = alert.mediumvalue;
    this.show(alert.unconfirmed ? "confirm" : "subscribed");
  }

  private show(state: State): void {
    this.state = state;
    this.update();
  }

  protected override async load(): Promise<void> {
    this.sending = undefined;
    this.show("form");
    // An unreachable server is no reason: the shopper is told when the form is sent.
    const isOff = await requireFeature(this.client, "subscriptions").catch((error) => (explain(this.client, this, error), error.code === "feature-not-enabled"));
    if (isOff) this.show("off");
    else await this.find();
  }

  /** Finds out whether the shopper has subscribed before. Elements of one topic share a request. */
  private async find(): Promise<void> {
    const { client, subject: topic, state } = this;
    if (!client.shopper.current()) return;
    // Where it cannot be found out, the form is right: subscribing twice does no harm.
    const known = await client.subscriptions.fetch({ topic, medium: "email", limit: MAX_KNOWN }).catch(() => undefined);
    if (!known || this.sending || this.state !== state || this.subject !== topic) return;
    this.show("form");
    this.follow(known.subscriptions);
  }

  private async subscribe(event: Event): Promise<void> {
    const { form, value } = sent(event);
    if (this.sending) return;
    this.email = value("email");
    if (!isEmail(form)) return this.refuse(this.t("email.invalid"));
    this.problem = "";
    const submission = (this.sending = {});
    this.update();
    // Meanwhile the element may have become one about another product, or of another shopper.
    const isCurrent = () => this.sending === submission;
    try {
      const subscriptions = await this.orQueued(() => this.client.subscriptions.add(this.subscription()));
      if (!isCurrent()) return;
      if (subscriptions) this.state = subscriptions.some(({ unconfirmed }) => unconfirmed) ? "confirm" : "subscribed";
      // The form, which had the focus, makes way.
      this.focusOn(".notice");
    } catch (error) {
      const isInvalid = (error as { code?: string }).code === "invalid-parameter";
      if (isCurrent()) this.refuse(isInvalid ? this.t("email.invalid") : this.reason(error));
    } finally {
      if (isCurrent()) this.sending = undefined;
      this.update();
    }
  }

  private subscription() {
    const targetprice = this.getAttribute("targetprice");
    return {
      epi: this.getAttribute("epi") || "",
      empi: this.getAttribute("empi") || "",
      du: webAddress(this.getAttribute("du")) || pageAddress(),
      topic: this.subject,
      medium: "email" as const,
      mediumvalue: this.email,
      ...(targetprice && { targetprice }),
    };
  }

  private refuse(problem: string): void {
    this.problem = problem;
    this.focusOn("input");
  }

  /** Has the mail sent again; to an address that is not known here, after the shopper has entered it. */
  private async resend(): Promise<void> {
    if (!this.email) {
      this.show("form");
      return this.focusOn("input");
    }
    const sent = await this.act(() => this.client.subscriptions.add(this.subscription()));
    if (sent) this.toast(this.t("share.sent", { email: this.email }));
  }

  private async unsubscribe(): Promise<void> {
    const options = { epi: this.getAttribute("epi") || "", topic: this.subject, medium: "email" as const };
    this.state = "form";
    await this.act(() => this.client.subscriptions.remove(options), () => (this.state = "subscribed"));
    this.focusOn("input");
  }

  protected view(): Child[] {
    if (this.state === "off") return [];
    if (this.waits && !this.sending && this.isQueued) return [this.notice("offline", "lists.pending", this.t("queued"))];
    if (this.state === "confirm") {
      const { email } = this;
      const text = email ? this.t("notify.confirm.hint", { email }) : this.t("notify.confirm.open");
      const resend = h("button", { key: "again", class: "quiet", part: "button", onclick: () => this.resend() }, this.t("notify.again"));
      return [this.notice("mail", "notify.confirm", text, resend)];
    }
    if (this.state === "subscribed") return [this.notice("check", "notify.done")];
    return [
      h(
        "form",
        { key: "form", class: "notify", part: "form", "aria-labelledby": "title", novalidate: true, onsubmit: (event: Event) => this.subscribe(event) },
        h("p", { id: "title", class: "strong", part: "title" }, this.t(`notify.${this.subject}` as Key)),
        h(
          "div",
          { class: "inline" },
          emailField({ label: this.t("email"), problem: this.problem }),
          h("button", { class: "primary", part: "button primary", type: "submit", "aria-disabled": this.sending && "true" }, this.t("notify.submit")),
        ),
      ),
    ];
  }

  private notice(name: "mail" | "check" | "offline", title: Key, text?: string, more?: Child): Child {
    return h(
      "div",
      { key: name, class: "notice", part: "notice", role: "status", tabindex: "-1" },
      icon(name),
      h(
        "div",
        null,
        h("p", { class: "strong" }, this.t(title)),
        text && h("p", { key: "text", class: "muted" }, text),
        more,
        h("button", { key: "stop", class: "quiet", part: "button", onclick: () => this.unsubscribe() }, this.t("notify.stop")),
      ),
    );
  }
}
