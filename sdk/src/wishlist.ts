import type { Wishlist } from "./api";
import type { Core } from "./core";
import { cursorPage, details, userLists } from "./lists";

/** The namespace `wishlist`. What a value may be is the server's to say; here it is only put in its place. */
export function wishlist(core: Core): Wishlist {
  const fetchUserLists = core.read("wishlist.fetchUserLists", (_: unknown, send) => userLists({}, send));
  return {
    fetchUserLists: (onSuccess, onError) => fetchUserLists(undefined, onSuccess, onError),
    fetchUserList: core.read("wishlist.fetchUserList", cursorPage),
    fetchListWithContents: core.read("wishlist.fetchListWithContents", details),
  };
}
