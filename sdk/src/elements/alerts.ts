import type { ListItem, SubscribeOptions, Subscription, Topic } from "../api";
import { WishboneElement } from "./base";
import { type Child, directed, h, quietly, sent } from "./dom";
import { emailField } from "./email";
import { explain, requireFeature } from "./features";
import { failure, heading, hint, message, skeleton } from "./frame";
import { itemButton, itemView, titleOf } from "./item";
import { MAX_KNOWN, SENT, TOPICS } from "./notify";

// The server tells a guest no address.
const REDACTED = "XXXXXX";

/** The shopper's alerts that wait for something to happen, and a way to end each. */
export class Alerts extends WishboneElement {
  static readonly observedAttributes = ["currency", "lang"];
  private alerts: Subscription[] = [];
  private state: "loading" | "ready" | "error" | "off" = "loading";
  private problem: unknown;
  private loads = 0;

  protected override start(): void {
    this.hears(/^(un)?subscribed$/, () => this.load());
    this.hears(/^log/, () => this.reset());
    // The link of a mail was perhaps opened elsewhere.
    this.listens(document, "visibilitychange", () => !document.hidden && this.alerts.some(({ unconfirmed }) => unconfirmed) && this.load());
    this.listens(window, "online", () => this.state === "error" && this.reset());
    quietly(() => this.load());
  }

  protected override needsLoad(): boolean {
    return false;
  }

  private reset(): void {
    this.alerts = [];
    this.state = "loading";
    this.update();
    quietly(() => this.load());
  }

  protected override async load(): Promise<void> {
    const load = (this.loads += 1);
    try {
      await requireFeature(this.client, "subscriptions");
      const alerts = await this.fetch();
      if (load !== this.loads) return;
      this.alerts = alerts;
      this.state = "ready";
    } catch (error) {
      if (load !== this.loads) return;
      explain(this.client, this, error);
      const { code } = error as { code?: string };
      if (code === "identity-changed") return;
      this.problem = error;
      this.state = code === "feature-not-enabled" ? "off" : "error";
    }
    this.update();
  }

  /** Newest first. */
  private async fetch(): Promise<Subscription[]> {
    const { client } = this;
    // A visitor who has done nothing yet has none.
    if (!client.shopper.current()) return [];
    const pages = await Promise.all(TOPICS.map((topic) => client.subscriptions.fetch({ topic, limit: MAX_KNOWN })));
    const all = pages.flatMap(({ subscriptions }) => subscriptions.filter(({ status }) => status !== SENT));
    return all.sort((one, other) => other.cts - one.cts);
  }

  private async end(alert: Subscription): Promise<void> {
    const { epi, topic } = alert;
    const index = this.alerts.indexOf(alert);
    this.alerts = this.alerts.filter((one) => one !== alert);
    this.focusOn("[tabindex='-1']");
    // Without a medium, both: a guest's is redacted.
    const removed = await this.act(
      () => this.client.subscriptions.remove({ epi, topic: topic as Topic }),
      () => {
        this.alerts.splice(index, 0, alert);
        this.update();
      },
    );
    if (removed) this.toast(this.t("item.removed", { product: titleOf(this, alert as unknown as ListItem) }));
  }

  private async resend(alert: Subscription, medium: string, mediumvalue: string): Promise<void> {
    const wanted = { ...alert, medium, mediumvalue } as unknown as SubscribeOptions;
    const added = await this.act(() => this.client.subscriptions.add(wanted));
    if (added) this.toast(this.t("share.sent", { email: mediumvalue }));
  }

  protected view(): Child[] {
    const { state, alerts } = this;
    if (state === "off") return [];
    const title = this.t("alerts.title");
    return [
      h(
        "section",
        { class: "collection", part: "section", "aria-label": title, "aria-busy": String(state === "loading") },
        heading(this, directed(title), undefined, h("slot", { name: "actions" })),
        state === "loading" && skeleton(this, "rows"),
        state === "error" && failure(this, this.problem, () => this.reset()),
        state === "ready" && alerts.length === 0 && message("mail", this.t("alerts.empty"), hint(this.t("alerts.hint")), h("slot", { name: "empty" })),
        state === "ready" && alerts.length > 0 && h("ul", { key: "alerts", class: "items rows", part: "items" }, alerts.map((alert) => this.row(alert))),
      ),
    ];
  }

  private row(alert: Subscription): Child {
    // A subscription has what an item shows of its product.
    const item = { ...alert, note: "" } as unknown as ListItem;
    const { topic, targetprice } = alert;
    const wish = targetprice ? this.t("alerts.target", { price: this.price(targetprice) }) : this.t(`alerts.${topic as Topic}`);
    const isKnown = alert.mediumvalue !== REDACTED;
    const details = [
      h("p", { key: "topic", class: "small", part: "topic" }, directed(wish)),
      alert.unconfirmed && h("p", { key: "unconfirmed", class: "muted small", part: "unconfirmed" }, this.t("notify.confirm.open")),
      alert.unconfirmed && !isKnown && this.againForm(alert, titleOf(this, item)),
    ];
    const actions = [
      alert.unconfirmed && isKnown && itemButton(this, item, "notify.again", { class: "quiet", onclick: () => this.resend(alert, alert.medium, alert.mediumvalue) }),
      itemButton(this, item, "notify.stop", { class: "quiet remove", onclick: () => this.end(alert) }),
    ];
    return itemView(this, item, { key: `${topic} ${alert.epi}`, details, actions });
  }

  /** Only the guest knows which address it was. */
  private againForm(alert: Subscription, title: string): Child {
    const onsubmit = (event: Event) => this.resend(alert, "email", sent(event).value("email"));
    return h(
      "details",
      { key: "again", class: "again" },
      h("summary", { "aria-label": `${this.t("notify.again")}: ${title}` }, this.t("notify.again")),
      h(
        "form",
        { class: "inline", onsubmit },
        emailField({ label: this.t("email"), problem: "" }),
        h("button", { class: "primary", part: "button primary", type: "submit" }, this.t("share.send")),
      ),
    );
  }
}
