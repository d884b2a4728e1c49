import type { ItemCalls, MovedItems, Product } from "./api";
import { changeItems, changeOf, inOwnList, inParts, type Kind, numbers, orFailure } from "./changes";
import type { Checked, Core, Send } from "./core";
import { type EnsureList, findList, isOfType } from "./lists";
import { idOf, type Membership } from "./membership";
import { isMove, isUserLists } from "./shapes";

const kind = (field: string, event: Kind["event"], removes = false): Kind => ({
  path: "lists/update-ctx",
  field,
  answer: field,
  event,
  removes,
});
const NO_LIST = { lid: "" };
const KINDS = { add: kind("a", "added"), update: kind("u", "updated"), remove: kind("d", "removed", true) };

/** The namespace `items`. */
export function items(core: Core, ensure: EnsureList, membership: Membership): ItemCalls {
  // The default wishlist of each shopper, so that only the first change of a page looks for it.
  const defaults = new Map<string, string>();

  const change = (action: keyof typeof KINDS) => {
    const kind = KINDS[action];
    return core.write(
      `items.${action}`,
      (options: any, send) => {
        const change = changeOf(options);
        // What is not there needs no list to be removed from.
        const find = async () => ((await (kind.removes ? findList({}, send) : ensure({}, send))) || NO_LIST).lid;
        const work = async (lid: string) =>
          lid ? changeItems(core, kind, lid, change, send) : { lid, items: [], failed: [] };
        return change.lid ? work(change.lid) : inOwnList(defaults, core.session.scope(), find, work);
      },
      { validate: changeOf },
    );
  };

  const move = core.write("items.move", async (options: { fromlid: string; tolid: string; items: unknown }, send) => {
    const { fromlid, tolid } = options;
    const change = changeOf(options);
    const result: MovedItems = { fromlid, tolid, moved: [], already: [], failed: [] };
    await inParts(change, true, async (part, ifversion, index) => {
      const form = { fromlid, tolid, items: part, ifversion };
      const { moved, already, failed } = await send({ path: "lists/move-items", form, accepts: isMove }, `-${index}`);
      result.moved.push(...moved);
      result.already.push(...already);
      result.failed.push(...failed);
      const items = [...moved, ...already];
      if (items.length > 0) core.emit("moved", { fromlid, tolid, epis: numbers(items), items });
    });
    return orFailure(result, change);
  }, { validate: changeOf });

  /** Of the lists that have the variant, those that a heart is about. */
  async function wishlists(lids: string[], send: Send): Promise<string[]> {
    if (lids.length === 0) return lids;
    try {
      const { data } = await send({ path: "lists/fetch-user-lists", form: {}, accepts: isUserLists });
      const others = data.filter((list) => !isOfType(list, "wl")).map((list) => list.lid);
      return lids.filter((lid) => !others.includes(lid));
    } catch {
      // Offline: the shopper's wish can wait in the queue, but not the question what kind of list it is about.
      return lids;
    }
  }

  /** What the shopper wanted last, if it still waits to be sent, and of which list. */
  function wanted(epi: number, lid: string | undefined): { added: boolean; lid: string | undefined } | undefined {
    for (const { name, args } of core.sender.pending().reverse()) {
      if (name !== "items.add" && name !== "items.remove") continue;
      const change = changeOf(args);
      if ((!lid || lid === change.lid) && numbers(change.items).includes(epi)) {
        return { added: name === "items.add", lid: change.lid };
      }
    }
    return undefined;
  }

  /** Decides what the press of a heart means, and submits it. */
  async function decide(product: Product & { lid?: string }, call: Checked): Promise<[boolean, Promise<unknown>]> {
    const epi = idOf(product.epi, "epi");
    const waiting = wanted(epi, product.lid);
    const lids = waiting ? [] : await membership.get(epi);
    const inLists = product.lid ? lids.filter((lid) => lid === product.lid) : await wishlists(lids, core.reader(call));
    // The lists were the last shopper's, if another one has come meanwhile.
    call.check();
    const added = waiting ? !waiting.added : inLists.length === 0;
    const targets = added || waiting ? [waiting ? waiting.lid : product.lid] : inLists;
    const name = added ? "items.add" : "items.remove";
    return [added, Promise.all(targets.map((lid) => core.submit(name, { ...product, lid })))];
  }

  // One decision after the other: a second press is about what the first has decided, not about what it saw.
  let decided: Promise<unknown> = Promise.resolve();

  const press = async (product: Product & { lid?: string }, call: Checked): Promise<{ added: boolean }> => {
    const decision = decided.then(() => decide(product, call));
    decided = decision.catch(() => {});
    const [added, done] = await decision;
    await done;
    return { added };
  };

  return {
    add: change("add"),
    update: change("update"),
    remove: change("remove"),
    move,
    toggle: core.method("items.toggle", false, press),
    contains: core.method("items.contains", true, (epis: unknown) => membership.ask(epis)),
  };
}
