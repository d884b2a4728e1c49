// Compiled, never run: a shop's page in TypeScript against the published types.
import { createClient, WishboneError } from "../../dist/wishbone";
import type { ChangedItems, EventName, Identity, List, ListItem, ListWithItems, Page, Place } from "../../dist/wishbone";
import type { ShareLink, UserList, UserLists, Wishbone } from "../../dist/wishbone";

wishbone.init({ store: "pid", regid: "r", sessionid: "s", base: "https://lists.example", timeout: 5000 });
wishbone.init({ regid: null });
window.wishbone.q.push((ready) => ready.logout());

const lists: Promise<UserLists> = wishbone.wishlist.fetchUserLists(
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
  return void [list.lname, list.listcontents, price, lists];
});

// The other calls: options, callbacks that may be empty, and a Promise.
export async function everything({ lists, items, saveForLater, sharing, counts, subscriptions, shopper }: Wishbone) {
  const product = { epi: "1", empi: 2, du: "/p" };
  const all: List[] = await lists.fetch();
  lists.fetch((found) => found[0]?.listcontents?.length, "");
  lists.fetch(null, "", (error) => error.retryAfter);
  const { next }: Page = await lists.page({ lid: "l", shared: true });
  const made: ListWithItems = await lists.create({ lname: "n", fromlid: "l" });
  await lists.update({ lid: made.lid, archived: true });
  await lists.ensure();
  const { failed }: ChangedItems = await items.add({ items: [product, product], lid: "l" });
  await items.add({ ...product, cprops: { a: 1 } }, "", "");
  const [item] = (await items.update(product)).items;
  if (item) await items.remove(item);
  const { added }: { added: boolean } = await items.toggle(product);
  await items.move({ fromlid: "a", tolid: "b", items: { epi: 1 } });
  const one: string[] = await items.contains(1);
  const many: Record<string, string[]> = await items.contains([1, "2"]);
  const hearts: Record<string, string[]> = await items.contains({ epis: [1, "2"], lty: "wl" });
  const places: Place[] = await items.contains({ empis: 47, lty: "wl" });
  const products: Record<string, Place[]> = await items.contains({ empis: [47, "48"] });
  await saveForLater.movedToCart((await saveForLater.init()).items[0] ?? product);
  const { key }: ShareLink = await sharing.createLink({ lid: "l", scope: "edit" });
  await sharing.revokeLink({ lid: "l", key });
  await sharing.revokeLink({ lid: "l", all: true });
  const count: number = await counts.social("1");
  await subscriptions.add({ ...product, topic: "pricedrop", medium: "email", mediumvalue: "a@example.com", targetprice: 9 });
  const identity: Identity = await shopper.login(async ({ regid }) => ({ extuid: 1, useremail: "a", expires: 1, token: regid }));
  const failure = await items.add(product).catch((error: unknown) => error instanceof WishboneError && error.code);
  return [all, next, failed, added, one, many, hearts, places, products, count, identity, failure, wishbone.queued()[0]?.name];
}

const off: () => void = wishbone.on("added", ({ lid, epis, items, remote }, name) => {
  const known: [string, number[], ListItem[], boolean | undefined, "added"] = [lid, epis, items, remote, name];
  return void known;
});
off();
document.addEventListener("wishbone:added", ({ detail }) => {
  const known: [string, number[], ListItem[], boolean | undefined] = [detail.lid, detail.epis, detail.items, detail.remote];
  return void known;
});
document.addEventListener("wishbone:list-created", ({ detail }) => detail.list.lname);
// @ts-expect-error a list that was created has no epis
document.addEventListener("wishbone:list-created", ({ detail }) => detail.epis);
wishbone.on("*", (detail, name: EventName) => void [detail, name]);
wishbone.emit("removed", { lid: "l", epis: [1], items: [], remote: true });
const separate: Wishbone = createClient({ store: "p", base: "https://lists.example" });
// @ts-expect-error without a script tag it knows no server
createClient({ store: "p" });
// @ts-expect-error nor without any options
createClient();
separate.request({ path: "lists/comments/add", form: { lid: "l", epi: 1, text: "t" }, write: true });

// @ts-expect-error a product has an address
wishbone.items.add({ epi: 1, empi: 2 });
// @ts-expect-error not an event
wishbone.on("exploded", () => {});
// @ts-expect-error not a topic
wishbone.subscriptions.fetch({ topic: "sale" });
// @ts-expect-error which list?
wishbone.wishlist.fetchUserList({});
// @ts-expect-error not a way to sort
wishbone.wishlist.fetchUserList({ lid: "l", sortby: "colour" });
// @ts-expect-error the object is the script's
wishbone.wishlist = null;
