// Compiled, never run: a shop's page in TypeScript against the published types.
import type { List, ListItem, UserList, WishboneError } from "../../dist/wishbone";

wishbone.init({ store: "pid", regid: "r", sessionid: "s", base: "https://lists.example", timeout: 5000 });
wishbone.init({ regid: null });
window.wishbone.q.push((ready) => ready.logout());

const nothing: void = wishbone.wishlist.fetchUserLists(
  (result) => {
    const lists: List[] = result.data;
    const status: "success" = result.status;
    // @ts-expect-error lists come without their items here
    lists[0]?.listcontents;
    return void status;
  },
  (error: WishboneError) => {
    const facts: [string, string, number, string, boolean] = [
      error.code,
      error.message,
      error.httpStatus,
      error.requestId,
      error.retryable,
    ];
    return void facts;
  },
);
wishbone.wishlist.fetchUserLists(null, (error) => error.code);

export async function allItems(lid: string): Promise<ListItem[]> {
  const items: ListItem[] = [];
  let next: string | null = null;
  do {
    const page: UserList = await wishbone.wishlist.fetchUserList({ lid, next, itemslimit: 100, sortby: "price" });
    items.push(...page.data.listcontents);
    next = page.pagination.next;
  } while (next);
  return items;
}

wishbone.wishlist.fetchListWithContents({ lid: "l", limit: 10, offset: 0 }, ({ list, items }) => {
  const price: number | null | undefined = items[0]?.pr;
  return void [list.lname, list.listcontents, price, nothing];
});

// @ts-expect-error which list?
wishbone.wishlist.fetchUserList({});
// @ts-expect-error not a way to sort
wishbone.wishlist.fetchUserList({ lid: "l", sortby: "colour" });
// @ts-expect-error the object is the script's
wishbone.wishlist = null;
