import type { SaveForLater } from "./api";
import { changeItems, changeOf, inOwnList, type Kind } from "./changes";
import type { Core, Send } from "./core";
import { isList, isSavedPage } from "./shapes";
import { type Fields, pick } from "./transport";

const kind = (path: string, answer: string, event: Kind["event"], removes = false): Kind => ({
  path: `lists/sfl/${path}`,
  field: "items",
  answer,
  event,
  removes,
});

/** The namespace `saveForLater`. */
export function saveForLater(core: Core): SaveForLater {
  // The list of each shopper, so that only the first change of a page looks for it.
  const lists = new Map<string, string>();

  async function find(send: Send, form?: Fields): Promise<string> {
    // Gives the existing list where there is one.
    const { lid } = await send({ path: "lists/sfl/create", form, accepts: isList }, ".list");
    return lid;
  }

  async function fetch(options: object, send: Send) {
    const scope = core.session.scope();
    const form = pick(options, "next itemslimit");
    const page = await send({ path: "lists/sfl/fetch", form, accepts: isSavedPage });
    lists.set(scope, page.list.lid);
    return page;
  }

  const change = (name: string, kind: Kind) =>
    core.write(
      `saveForLater.${name}`,
      (options: any, send) => {
        const change = changeOf(options);
        // Updates must name the program that makes them.
        const agent = { "user-agent": globalThis.navigator?.userAgent || "wishbone" };
        const work = (lid: string) => changeItems(core, kind, lid, change, send, agent);
        return change.lid ? work(change.lid) : inOwnList(lists, core.session.scope(), () => find(send), work);
      },
      { validate: changeOf },
    );

  return {
    init: core.direct("saveForLater.init", async (options: { lname?: string; lnote?: string }, send) => {
      if (options.lname || options.lnote) await find(send, pick(options, "lname lnote"));
      return fetch({}, send);
    }),
    fetch: core.read("saveForLater.fetch", fetch),
    add: change("add", kind("add", "itemsadded", "saved-added")),
    update: change("update", kind("update", "itemsupdated", "saved-updated")),
    remove: change("remove", kind("remove", "itemsdeleted", "saved-removed", true)),
    movedToCart: change("movedToCart", kind("moved-to-cart", "itemsmoved", "saved-moved-to-cart", true)),
  };
}
