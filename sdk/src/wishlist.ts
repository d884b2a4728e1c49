import type { FetchListWithContentsOptions, FetchUserListOptions, Wishlist } from "./api";
import type { Run } from "./client";
import { isListContents, isUserList, isUserLists } from "./shapes";

/** The namespace `wishlist`. What a value may be is the server's to say; here it is only put in its place. */
export function wishlist(run: Run): Wishlist {
  return {
    fetchUserLists: (onSuccess?: unknown, onError?: unknown) =>
      run({ path: "lists/fetch-user-lists", accepts: isUserLists }, onSuccess, onError),

    fetchUserList: (options: FetchUserListOptions, onSuccess?: unknown, onError?: unknown) => {
      const { lid, next, itemslimit, sortby, sortorder, filterby } = options || {};
      const form = { lid, next, itemslimit, sortby, sortorder, filterby };
      return run({ path: "lists/fetch-user-list", form, accepts: isUserList }, onSuccess, onError);
    },

    fetchListWithContents: (options: FetchListWithContentsOptions, onSuccess?: unknown, onError?: unknown) => {
      const { lid, limit, offset, excludeArchived } = options || {};
      const query = { limit, offset };
      const form = { lid, excludeArchived };
      return run({ path: "lists/fetch-list-with-contents", query, form, accepts: isListContents }, onSuccess, onError);
    },
  };
}
