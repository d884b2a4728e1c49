import type { Sharing } from "./api";
import type { Core } from "./core";
import { areLinks, isLink, isListWithItems, isMailed, isReport, isRevocation } from "./shapes";
import { pick } from "./transport";

type LinkOptions = { lid: string; scope?: string; expires?: number; label?: string; fromname?: string };
type MailOptions = { lid: string; toemail: string; fromname?: string; note?: string };
type SocialOptions = { lid: string; medium: string; fromname?: string };

/** The namespace `sharing`. A link and a mail are of use at once or not at all; the rest can wait for the network. */
export function sharing(core: Core): Sharing {
  return {
    createLink: core.direct("sharing.createLink", async (options: LinkOptions, send) => {
      const form = pick(options, "lid scope expires label fromname");
      const { link } = await send({ path: "lists/share-links/create", form, accepts: isLink }, "");
      core.emit("shared", { lid: options.lid, medium: "link" });
      return link;
    }),

    links: core.read("sharing.links", async ({ lid }: { lid: string }, send) => {
      const { links } = await send({ path: "lists/share-links/list", form: { lid }, accepts: areLinks });
      return links;
    }),

    revokeLink: core.write("sharing.revokeLink", async (options: { lid: string }, send) => {
      const form = pick(options, "lid key all");
      const { revoked } = await send({ path: "lists/share-links/revoke", form, accepts: isRevocation }, "");
      core.emit("unshared", { lid: options.lid });
      return { revoked };
    }),

    mail: core.direct("sharing.mail", async (options: MailOptions, send) => {
      const form = pick(options, "lid toemail fromname note");
      const { listinfo, msg } = await send({ path: "lists/emailList", form, accepts: isMailed }, "");
      core.emit("shared", { lid: options.lid, medium: "email" });
      return { list: listinfo, msg };
    }),

    reportSocial: core.write("sharing.reportSocial", async (options: SocialOptions, send) => {
      const form = pick(options, "lid medium fromname");
      const report = await send({ path: "lists/reportShare", form, accepts: isReport }, "");
      core.emit("shared", { lid: options.lid, medium: options.medium });
      return report;
    }, { once: true }),

    markPublic: core.write("sharing.markPublic", async (options: { lid: string; public?: boolean }, send) => {
      const { lid, public: open = true } = options;
      const form = { lid, public: open };
      const list = await send({ path: "lists/markPublic", form, accepts: isListWithItems }, "");
      if (open) core.emit("shared", { lid, medium: "public" });
      else core.emit("unshared", { lid });
      return list;
    }),
  };
}
