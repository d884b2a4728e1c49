import type { CreateListOptions, EnsureListOptions, FetchListsOptions, FetchListWithContentsOptions } from "./api";
import type { FetchUserListOptions, List, Lists, Page, PageOptions, UpdateListOptions, UserLists } from "./api";
import type { Core, Send } from "./core";
import { defaultName } from "./default-name";
import { hasCode } from "./errors";
import { areLists, isList, isListContents, isListWithItems, isUserList, isUserLists } from "./shapes";
import { pick } from "./transport";

const PAGE_LENGTH = 50;

/** The namespace `lists`. */
export function lists(core: Core, ensure: EnsureList): Lists {
  return {
    fetch: core.read("lists.fetch", ({ contents, ...form }: FetchListsOptions, send) => fetchLists(form, send, contents)),

    details: core.read("lists.details", details),

    page: core.read("lists.page", async (options: PageOptions, send): Promise<Page> => {
      const isOrdered = options.sortby || options.sortorder || options.filterby;
      const { from } = await core.session.identity();
      try {
        if (!options.shared && (from !== "guest" || isOrdered)) {
          const { data, pagination } = await cursorPage(options, send);
          return { list: data, items: data.listcontents, next: pagination.next };
        }
      } catch (error) {
        // A guest whom the shop's server made.
        if (isOrdered || !hasCode(error, "user-not-logged-in")) throw error;
      }
      return pageByOffset(options, send);
    }),

    create: core.write("lists.create", async (options: CreateListOptions, send) => {
      const form = pick(options, "lname lty lnote lprops ldesc fromlid");
      const list = await send({ path: "lists/create", form, accepts: isListWithItems }, "");
      core.emit("list-created", { list });
      return list;
    }, { once: true }),

    update: core.write("lists.update", async (options: UpdateListOptions, send) => {
      const form = pick(options, "lid lname lnote lprops ldesc archived ifversion");
      const list = await send({ path: "lists/update", form, accepts: isList }, "");
      core.emit("list-updated", { list });
      return list;
    }),

    delete: core.write("lists.delete", async (options: { lid: string; ifversion?: number }, send) => {
      const form = pick(options, "lid ifversion");
      const list = await send({ path: "lists/delete-list", form, accepts: isList }, "");
      core.emit("list-deleted", { list });
      return list;
    }),

    ensure: core.write("lists.ensure", (options: EnsureListOptions, send) => ensure(options, send)),
  };
}

/** One page of a logged-in shopper's own list. */
export function cursorPage(options: FetchUserListOptions, send: Send) {
  const form = pick(options, "lid next itemslimit sortby sortorder filterby");
  return send({ path: "lists/fetch-user-list", form, accepts: isUserList });
}

export function details(options: FetchListWithContentsOptions, send: Send) {
  const query = pick(options, "limit offset");
  const form = pick(options, "lid excludeArchived");
  return send({ path: "lists/fetch-list-with-contents", query, form, accepts: isListContents });
}

async function fetchLists(form: Omit<FetchListsOptions, "contents">, send: Send, contents = false): Promise<List[]> {
  const { lty, includeArchived } = form;
  if (contents) return send({ path: "lists/fetch-lists", form: { lty, includeArchived }, accepts: areLists });
  const { data } = await userLists({ includeArchived }, send);
  return lty ? data.filter((list) => isOfType(list, lty)) : data;
}

/** All lists without items. Those of a shopper who has very many come in several responses. */
export async function userLists(form: Pick<FetchListsOptions, "includeArchived">, send: Send): Promise<UserLists> {
  const data: List[] = [];
  let next: string | undefined;
  do {
    const part = await send({ path: "lists/fetch-user-lists", form: { ...form, next }, accepts: isUserLists });
    data.push(...part.data);
    next = part.next;
  } while (next);
  return { status: "success", data };
}

/** The server's cursors are for logged-in owners. A guest's list, and another shopper's, is paged by position. */
async function pageByOffset({ lid, next, itemslimit }: PageOptions, send: Send): Promise<Page> {
  const offset = Number(next) || 0;
  const limit = itemslimit || PAGE_LENGTH;
  const { list, items } = await details({ lid, limit, offset }, send);
  const end = offset + items.length;
  return { list, items, next: items.length > 0 && end < (list.cnt || 0) ? String(end) : null };
}

export type EnsureList = (options: EnsureListOptions, send: Send) => Promise<List>;

/**
 * Finds the shopper's list of this name and type, by default the first wishlist, or makes it. All tabs and devices of
 * the shopper use the same idempotency key, so that they make one list between them.
 */
export function listMaker(core: Core): EnsureList {
  return async ({ lname, lty }, send) => {
    const find = () => findList({ lname, lty }, send);
    const known = await find();
    if (known) return known;
    const form = { lname: lname || core.session.settings.listName || defaultName(), lty };
    const operation = { path: "lists/create", form, accepts: isListWithItems };
    const name = encodeURIComponent(`${lty || ""} ${form.lname}`).slice(-200);
    const made = await send(operation, { key: `wishbone.ensure ${name}` });
    core.transport.written();
    // The server repeats its answer for a day, also if the list was deleted meanwhile. Then another one is needed.
    const list = (await find()) || (await send(operation, ".list"));
    if (list.lid === made.lid || list.cnt === 0) core.emit("list-created", { list });
    return list;
  };
}

export async function findList({ lname, lty }: EnsureListOptions, send: Send): Promise<List | undefined> {
  const all = await fetchLists({ lty: lty || "wl" }, send);
  const fold = (name: string) => name.trim().toLowerCase();
  return lname ? all.find((list) => fold(list.lname) === fold(lname)) : all[0];
}

export function isOfType(list: List, lty: string): boolean {
  return (list.lty || "wl") === lty;
}
