import { WishboneElement } from "./base";
import { type Child, h, isolated, quietly, sent } from "./dom";
import { explain } from "./features";
import { failure, loading, nameField } from "./frame";

/** A comment as the server tells the caller. */
interface Comment {
  id: string;
  text: string;
  fromname?: string;
  mine: boolean;
  /** The author's address, for the owner of the list. */
  cby?: string;
}

/** The comments on one item of a list. */
export class Comments extends WishboneElement {
  static readonly observedAttributes = ["lid", "epi", "can-add", "can-delete", "lang"];
  private comments: Comment[] | undefined;
  private problem: unknown;
  private isSending = false;

  protected override start(): void {
    this.hears(/^log/, () => this.load());
    quietly(() => this.load());
  }

  protected override needsLoad(attribute: string): boolean {
    return /^(lid|epi)$/.test(attribute);
  }

  private call(name: string, fields: object, write = true): Promise<any> {
    const form = { lid: this.getAttribute("lid"), epi: this.getAttribute("epi"), ...fields };
    return this.client.request({ path: `lists/comments/${name}`, form, write });
  }

  protected override async load(): Promise<void> {
    this.comments = this.problem = undefined;
    this.update();
    try {
      // As many as a list can have.
      this.comments = (await this.call("list", { limit: 1000 }, false)).comments;
    } catch (error) {
      explain(this.client, this, error);
      this.problem = error;
    }
    this.update();
  }

  private async add(event: Event): Promise<void> {
    const { form, value } = sent(event);
    const text = value("text");
    if (!text || this.isSending) return;
    this.isSending = true;
    this.update();
    const added = await this.act(() => this.call("add", { text, fromname: value("from") }));
    this.isSending = false;
    if (added) {
      this.comments = [...(this.comments || []), added.comment];
      (form.elements.namedItem("text") as HTMLTextAreaElement).value = "";
    }
    this.update();
  }

  private async delete({ id }: Comment): Promise<void> {
    const deleted = await this.act(() => this.call("delete", { id }));
    if (!deleted) return;
    this.comments = this.comments?.filter((one) => one.id !== id);
    this.focusOn("[tabindex='-1']");
  }

  protected view(): Child[] {
    const { comments, problem } = this;
    if (problem) return [failure(this, problem, () => this.load())];
    if (!comments) return [loading(this)];
    return [
      h(
        "div",
        { class: "stack" },
        h("h3", { tabindex: "-1" }, `${this.t("comments")} (${this.number(comments.length)})`),
        comments.length > 0 && h("ul", { key: "comments", class: "stack", part: "comments" }, comments.map((comment) => this.row(comment))),
        this.hasAttribute("can-add") && this.form(),
      ),
    ];
  }

  private row(comment: Comment): Child {
    const { id, text, fromname, cby, mine } = comment;
    const who = fromname || cby;
    const remove = this.t("item.remove");
    const mayDelete = mine || this.hasAttribute("can-delete");
    return h(
      "li",
      { key: id, part: "comment" },
      who && h("p", { key: "who", class: "small strong" }, isolated(who)),
      h("p", { key: "text", class: "note", dir: "auto" }, text),
      mayDelete && h("button", { key: "remove", class: "quiet", part: "button", "aria-label": `${remove}: ${text}`, onclick: () => this.delete(comment) }, remove),
    );
  }

  private form(): Child {
    return h(
      "form",
      { key: "add", class: "stack", onsubmit: (event: Event) => this.add(event) },
      h("label", { key: "text" }, this.t("share.note"), h("textarea", { name: "text", required: true, maxlength: 1000, dir: "auto" })),
      nameField(this),
      h("button", { key: "send", class: "primary", part: "button primary", type: "submit", "aria-disabled": this.isSending && "true" }, this.t("share.send")),
    );
  }
}
