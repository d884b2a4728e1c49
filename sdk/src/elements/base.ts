import type { EventName, Wishbone, WishboneError } from "../api";
import type { ToastOptions } from "./api";
import { type Child, patch, quietly } from "./dom";
import { explain, features } from "./features";
import { page } from "./page";
import { adopt } from "./styles";
import { type Key, languageOf, numberIn, parent, priceIn, shownFor, textIn, type Values } from "./texts";
import { toast } from "./toast";

// Bundles are imported on servers too, where there are no elements.
const Base = globalThis.HTMLElement || (class {} as typeof HTMLElement);

/** What views need of their element. */
export interface Words {
  t(key: Key, values?: Values): string;
  price(price: number): string;
  /** Why a call failed, and what the shopper can do about it. */
  reason(error: unknown): string;
}

/** The elements that are in the page now. */
export const shown = new Set<WishboneElement>();

/** Those whose store has no client yet. */
const waiting = new Set<WishboneElement>();

/** A client was installed: it may be the one that elements wait for. */
export function startWaiting(): void {
  waiting.forEach((element) => element.connectedCallback());
}

/** The client of the store that the element names, or an element around it; undefined if it is not installed yet. */
function clientOf(element: Element): Wishbone | undefined {
  for (let at: Element | null = element; at; at = parent(at)) {
    const name = at instanceof WishboneElement && at.getAttribute("store");
    if (name) return page.clients.find(({ settings }) => settings.store === name);
  }
  return page.clients[0];
}

/** An element that shows what `view` describes, in a shadow root, in the language of its surroundings. */
export abstract class WishboneElement extends Base implements Words {
  protected client!: Wishbone;
  protected readonly root = this.shadowRoot || this.attachShadow({ mode: "open" });
  private readonly stops: Array<() => void> = [];
  private scheduled = false;
  private reloads = false;
  private focusNext = "";
  /** The dialog about one item, while it is open. */
  private wanted: (() => Child) | undefined;

  constructor() {
    super();
    adopt(this.root);
  }

  /** What the element shows now. */
  protected abstract view(): Child[];

  /** Called when the element enters a page, or comes back: listens and loads. */
  protected start(): void {}

  /** Loads anew what the element shows. */
  protected load(): unknown {
    return undefined;
  }

  /** True for attributes whose change needs other data. */
  protected needsLoad(_attribute: string): boolean {
    return true;
  }

  connectedCallback(): void {
    if (shown.has(this)) return this.root.querySelectorAll("dialog").forEach(restoreModal);
    const client = clientOf(this);
    waiting[client ? "delete" : "add"](this);
    if (!client) return;
    this.client = client;
    shown.add(this);
    this.itemDialog();
    quietly(() => this.start());
  }

  disconnectedCallback(): void {
    // An element that is only moved is connected again at once, and goes on.
    queueMicrotask(() => {
      if (this.isConnected) return;
      shown.delete(this);
      waiting.delete(this);
      for (const stop of this.stops.splice(0)) stop();
    });
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (!shown.has(this) || before === now) return;
    this.reloads ||= this.needsLoad(name);
    this.update();
  }

  /** Shows the current state, once for all changes of the moment. */
  update(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      if (!shown.has(this)) return;
      if (this.reloads) quietly(() => this.load());
      this.reloads = false;
      quietly(() => patch(this.root, [this.view(), this.wanted?.()]));
      this.markLanguage();
      if (this.focusNext) this.root.querySelector<HTMLElement>(this.focusNext)?.focus();
      this.focusNext = "";
    });
  }

  /** Where there are no texts in the language of the page, English ones are marked as such, unlike what shops and shoppers have written. */
  private markLanguage(): void {
    const language = languageOf(this);
    for (const child of this.root.children) (child as HTMLElement).lang = shownFor(language);
    for (const text of this.root.querySelectorAll("bdi")) text.lang = language;
  }

  /** Opens a dialog about one item, in the place of the one that is open; without `show` none. */
  protected itemDialog(show?: (onclose: () => void) => Child): void {
    this.wanted = show && (() => show(() => this.itemDialog()));
    this.update();
  }

  /** Moves the focus to what the next update shows. */
  protected focusOn(selector: string): void {
    this.focusNext = selector;
    this.update();
  }

  /** Calls `listener` for these events of the client until the element leaves the page. */
  protected hears(names: RegExp, listener: (detail: any, name: EventName) => void): void {
    this.stops.push(this.client.on("*", (detail, name) => names.test(name) && quietly(() => listener(detail, name))));
  }

  protected listens(target: EventTarget, name: string, listener: () => void): void {
    target.addEventListener(name, listener);
    this.stops.push(() => target.removeEventListener(name, listener));
  }

  t(key: Key, values?: Values): string {
    return textIn(languageOf(this), key, values);
  }

  price(price: number): string {
    return priceIn(languageOf(this), price, this.getAttribute("currency") || page.currency);
  }

  protected number(value: number): string {
    return numberIn(languageOf(this), value);
  }

  protected toast(message: string, options: ToastOptions = {}): () => void {
    return toast(message, { ...options, from: this, lang: shownFor(languageOf(this)) });
  }

  /**
   * Makes a change. Returns its result; or undefined if it waits for the network; or, after `rollback`, if it failed,
   * which the shopper is told.
   */
  protected async act<T>(change: () => Promise<T>, rollback = () => {}): Promise<T | undefined> {
    return this.orQueued(() =>
      change().catch((error: WishboneError) => {
        rollback();
        this.failed(error);
        return undefined;
      }),
    );
  }

  /** Makes a change. Returns its result, or undefined if it waits for the network, which the shopper is told. */
  protected async orQueued<T>(change: () => Promise<T>): Promise<T | undefined> {
    let off = () => {};
    const waits = new Promise<undefined>((resolve) => {
      off = this.client.on("queued", () => {
        this.toast(this.t("queued"));
        // The network is perhaps not to blame.
        features(this.client).catch((error) => explain(this.client, this, error));
        resolve(undefined);
      });
    });
    try {
      return await Promise.race([change(), waits]);
    } finally {
      off();
    }
  }

  protected failed(error: unknown): void {
    // Another shopper's turn: nothing that this one could do about it.
    const { code } = error as WishboneError;
    if (code === "identity-changed") return;
    explain(this.client, this, error);
    this.toast(`${this.t("failed")} ${this.reason(error)}`, { kind: "error" });
  }

  reason(error: unknown): string {
    const { code = "", httpStatus = 0 } = error as Partial<WishboneError>;
    const key = Object.keys(REASONS).find((name) => REASONS[name]?.test(`${code} ${httpStatus}`));
    return this.t((key || "error.other") as Key);
  }
}

const REASONS: Record<string, RegExp> = {
  "error.network": /^(network|timeout) /,
  "error.busy": / (429|503)$/,
  "error.login": /^(user-not-logged-in|bad-regid) /,
  "error.limit": /^(limit-reached|queue-full) /,
  "error.gone": /^(list-not-found|forbidden|not-granted) /,
};

/** A dialog that is moved within the page stays open, but is not modal any more. */
function restoreModal(dialog: HTMLDialogElement): void {
  dialog.removeAttribute("open");
  quietly(() => dialog.showModal());
}
