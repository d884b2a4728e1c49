import type { ItemCalls, MovedItems, Product } from "./api";
import { changeItems, changeOf, inOwnList, inParts, type Kind, numbers, orFailure } from "./changes";
import type { Checked, Core } from "./core";
import { type EnsureList, findList } from "./lists";
import { forEach, idOf, Membership } from "./membership";
import { isMove, isRecord } from "./shapes";

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
export function items(core: Core, ensure: EnsureList): ItemCalls {
  const memberships = new Map<string, Membership>();
  // Before any listener of the page, which may ask again.
  core.events.on("*", (detail, name) => memberships.forEach((known) => known.follow(name, detail)));

  function membership(field: "epis" | "empis", lty?: string): Membership {
    const key = `${field} ${lty || ""}`;
    const known = memberships.get(key) || new Membership(core, field, lty);
    memberships.set(key, known);
    return known;
  }

  const lidsOf = async (epi: unknown, lty?: string) => (await membership("epis", lty).get(epi)).map(({ lid }) => lid);

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
      const answer = await send({ path: "lists/move-items", form, accepts: isMove }, `-${index}`);
      const { moved, already, failed, fromversion, toversion } = answer;
      result.moved.push(...moved);
      result.already.push(...already);
      result.failed.push(...failed);
      const items = [...moved, ...already];
      if (items.length > 0) {
        core.emit("moved", { fromlid, tolid, epis: numbers(items), items, fromversion, toversion });
      }
    });
    return orFailure(result, change);
  }, { validate: changeOf });

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
    // A heart is about wishlists, unless the page names a list of whichever type.
    const lids = waiting ? [] : await lidsOf(epi, product.lid ? undefined : "wl");
    const inLists = lids.filter((lid) => !product.lid || lid === product.lid);
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
    contains: core.method("items.contains", true, (options: any): Promise<any> => {
      const { epis, empis, lty } = isRecord(options) ? (options as any) : { epis: options };
      if (empis !== undefined) return forEach(empis, (empi) => membership("empis", lty).get(empi));
      return forEach(epis, (epi) => lidsOf(epi, lty));
    }),
  };
}
