import type { Topic } from "../api";
import { webAddress } from "../web-address";
import { deliver, lidOf, run } from "./call";
import type { Context } from "./context";
import { productOf } from "./records";

interface MailOptions {
  toEmailId: string;
  fromName?: string;
  note?: string;
  lid?: unknown;
}

/** Where a list can be posted; `{{url}}` and `{{text}}` are filled in. */
export const SharingModes = [
  { type: "facebook", url: "https://www.facebook.com/sharer/sharer.php?u={{url}}" },
  { type: "twitter", url: "https://twitter.com/intent/tweet?text={{text}}&url={{url}}" },
];

/** Functions about sharing a list, and about product alerts. */
export function sharing({ api }: Context) {
  const { lists, sharing, subscriptions } = api;

  const orDefault = async (list: unknown) => lidOf(list) || (await lists.ensure()).lid;

  /** An address that shows the list to anybody: the hosted page with the key of a link. The same link each time. */
  async function address(lid: string): Promise<string> {
    const links = await sharing.links({ lid });
    const link = links.find(({ scope, expires }) => scope === "view" && !expires) || (await sharing.createLink({ lid }));
    const url = new URL(webAddress(api["utils"].getHostedURL()) || location.pathname, location.href);
    url.searchParams.set("lid", link.key);
    return webAddress(url);
  }

  async function mail({ toEmailId, fromName, note, lid }: MailOptions) {
    const options = { lid: await orDefault(lid), toemail: toEmailId, fromname: fromName || undefined, note };
    const { list, msg } = await sharing.mail(options);
    return { listinfo: list, msg };
  }

  /** Shows the list's address, filled into the template, in the window. */
  async function post(popup: Window | null, lid: string, text: string, template: string): Promise<string> {
    if (!popup) throw new Error("The browser has blocked the window. Call this function in a click.");
    const target = webAddress(fill(template, { url: await address(lid), text }));
    if (!target) throw new Error("The address template must begin with https:// or http://.");
    popup.location.replace(target);
    return target;
  }

  const subscribe = (
    mediumvalue: string,
    medium: "email" | "sms",
    product: any,
    ok: unknown,
    err: unknown,
    topic: Topic | undefined,
  ) => {
    const { epi, empi, du } = productOf(product);
    const options = { topic: topic || "backinstock", medium: medium || "email", mediumvalue, epi, empi, du };
    return deliver(() => subscriptions.add(options), ok, err);
  };

  return {
    generateSharedListURL(list?: unknown, ok?: unknown, err?: unknown) {
      let lid = "";
      const work = async () => address((lid = await orDefault(list)));
      return deliver(work, ok && ((url: string) => run(ok, url, lid)), err);
    },

    generateSharedWishlistURL: (...args: unknown[]) => api["generateSharedListURL"](...args),

    sendListViaEmail: (options: MailOptions, ok?: unknown, err?: unknown) => deliver(() => mail(options), ok, err),

    shareListSocial(list: unknown, name: string, template: string, medium: string, ...more: unknown[]) {
      // Some themes leave the note out.
      const err = more.find((one) => typeof one === "function");
      const note = typeof more[0] === "string" ? more[0] : "";
      // Opened now: browsers refuse it once the click is over.
      const popup = open("", "_blank");
      if (popup) popup.opener = null;
      const work = async () => {
        const lid = await orDefault(list);
        const target = await post(popup, lid, note || name || "", String(template));
        await sharing.reportSocial({ lid, medium: String(medium) });
        return target;
      };
      const close = (error: unknown) => {
        popup?.close();
        throw error;
      };
      return deliver(() => work().catch(close), undefined, err ?? "");
    },

    markListPublic: (list: unknown, ok?: unknown, err?: unknown) =>
      deliver(() => sharing.markPublic({ lid: lidOf(list) }), ok, err),

    sendWatchlist: (to: string, medium: "email", product: unknown, ok?: unknown, err?: unknown) =>
      subscribe(to, medium, product, ok, err, "backinstock"),

    // The sixth argument asks for a mailing list, which there is none of.
    subscribeForProductAlert: (
      to: string,
      medium: "email",
      product: unknown,
      ok?: unknown,
      err?: unknown,
      _mailingList?: unknown,
      topic?: Topic,
    ) => subscribe(to, medium, product, ok, err, topic),
  };
}

function fill(template: string, values: Record<string, string>): string {
  const encoded = (name: string) => encodeURIComponent(values[name.toLowerCase()] || "");
  const filled = template.replace(/\{\{?\s*(url|text)\s*\}?\}/gi, (_, name) => encoded(name));
  return filled === template ? template + encoded("url") : filled;
}
