import type { CreateListOptions, List, QueuedWrite, UpdateListOptions } from "../api";

/** A list that the server does not have yet. Its lid is the key of the change that creates it. */
export type ShownList = Pick<List, "lid" | "lname" | "cnt"> & { isPending?: boolean };

/** The wishlists as they will be when all changes that wait are sent. */
export function withPending(lists: ShownList[], queued: QueuedWrite[]): ShownList[] {
  let shown = lists;
  for (const { name, args, key } of queued) {
    const { lid, lname, lty } = args as Partial<CreateListOptions & UpdateListOptions>;
    if (name === "lists.create" && lname && (lty || "wl") === "wl") shown = [...shown, { lid: key, lname, isPending: true }];
    if (name === "lists.update" && lname) shown = shown.map((list) => (list.lid === lid ? { ...list, lname } : list));
    if (name === "lists.delete") shown = shown.filter((list) => list.lid !== lid);
  }
  return shown;
}
