// The style guide: the real elements, each bound to a made-up client that is always in one state.
import { install } from "/sdk/wishbone-elements.mjs";

const FEATURES = ["sort-filter", "save-for-later", "subscriptions"];
const CODES = { failed: ["internal", 500], offline: ["network", 0], gone: ["list-not-found", 404] };
const productOf = (epi) => Math.floor(epi / 100);
const picture = (name) => `/demo/pictures/${name}.svg`;
const product = (epi, slug, dt, iu, pr, more) => ({
  id: `item-${epi}`, lid: "list", epi, empi: productOf(epi), du: `/demo/products/${slug}`, dt, iu: picture(iu), pr,
  ct: "", vi: "", cts: 0, uts: 0, qty: 1, pid: "", _t: 2, ...more,
});
const ITEMS = [
  product(100101, "alpine-rain-jacket", "Alpine rain jacket", "rain-jacket-moss", 189.95, { vi: "Moss / XS", avl: "in" }),
  product(101401, "ost-bobble-hat", "Øst bobble hat", "beanie-rose", 34.95, { vi: "Rose", avl: "out" }),
  product(101501, "harbour-beanie", "Harbour beanie", "beanie-teal", 29.95, { vi: "Teal", avl: "low" }),
  product(104701, "storm-lantern", "Storm lantern", "lantern-coal", 36.95, { spr: 42.95, avl: "in", note: "For the hut.\nOr for the balcony." }),
  product(105201, "oelzweig-table-lamp", "Ölzweig table lamp, with a title that goes on for longer than its picture is wide", "nothing", 129.95, { spr: 119.95 }),
  product(102601, "day-pack", "Day pack", "backpack-clay", null),
];
const LISTS = [["list", "Everything I like", 6], ["birthday", "Birthday", 2], ["trip", "Summer in the Alps, hut to hut, second week of July", 1], ["none", "Kitchen, one day", 0]];
const record = (lid, lname, cnt) => ({ lid, lname, cnt, id: lid, lty: "wl", version: 1, st: 1, cts: 0, uts: 0, pid: "", lhash: "", _t: 1 });
const ALERTS = [
  { ...ITEMS[1], topic: "backinstock", status: 0, medium: "email", mediumvalue: "ann@fernweh.example", cts: 3 },
  { ...ITEMS[0], topic: "backinstock", status: 0, medium: "email", mediumvalue: "ann@fernweh.example", cts: 2 },
  { ...ITEMS[0], topic: "pricedrop", targetprice: 150, unconfirmed: true, status: 0, medium: "email", mediumvalue: "ann@fernweh.example", cts: 1 },
];
/** A guest is told no address. */
const REDACTED = ALERTS.map((alert) => ({ ...alert, medium: "XXXXXX", mediumvalue: "XXXXXX" }));
/** What waits for the network, where there is none. */
const QUEUE = [
  { key: "new", name: "lists.create", args: { lname: "Balcony" } },
  { key: "alert", name: "subscriptions.add", args: { epi: 100101, topic: "backinstock" } },
];
const COMMENTS = [
  { id: "one", text: "Mine is two years old, and still keeps the rain out.", fromname: "Ben", mine: false },
  { id: "two", text: "Then green it is.", cby: "ann@fernweh.example", mine: true },
];

/** Functions that do not matter here do nothing. */
const calls = (otherwise, known) => new Proxy(known, { get: (target, name) => target[name] || otherwise });
const failure = ([code, httpStatus]) => Promise.reject(Object.assign(new Error("This failure is made up."), { code, httpStatus }));

let isOnline = true;
Object.defineProperty(navigator, "onLine", { configurable: true, get: () => isOnline });

/** Elements ask the browser whether it is offline at the moment of a failure. */
async function failOffline() {
  await new Promise((resolve) => setTimeout(resolve, 300));
  isOnline = false;
  setTimeout(() => (isOnline = true));
  return failure(CODES.offline);
}

/** A client that is always in this state, which is also the name of its store. */
function clientIn(state) {
  const isFull = ["full", "guest", "shared"].includes(state);
  const from = state === "guest" ? "guest" : "login";
  const answer = (value) => async () => {
    if (state === "loading") return new Promise(() => {});
    if (state === "offline") return failOffline();
    return CODES[state] ? failure(CODES[state]) : structuredClone(value);
  };
  const items = isFull ? ITEMS : [];
  const list = record("list", { shared: "Ann’s birthday", guest: "My Wishlist", full: LISTS[0][1] }[state] || "Nothing yet", items.length);
  const lists = state === "guest" ? [list] : isFull ? LISTS.map((one) => record(...one)) : [];
  const saved = { ...record("saved", "Saved for later", 3), lty: "_saveForLater" };
  const page = answer({ list: { ...list, ...(state === "shared" && { fromname: "Ann", canEdit: true }) }, items, next: null });
  const nothing = answer({ items: [], subscriptions: [] });
  const alerts = { full: ALERTS, guest: REDACTED }[state] || [];
  // Hearts can be pressed until the page is left.
  const hearts = new Set(isFull ? [100101] : []);
  const press = (change) => async ({ items: given, ...one }) => {
    await nothing();
    const of = [given || one].flat();
    for (const { epi } of of) hearts[change](Number(epi));
    return { lid: "list", items: of.map((item) => ({ ...item, epi: Number(item.epi), lid: "list" })) };
  };
  return {
    settings: { store: state, base: location.origin, timeout: 0 },
    on: () => () => {},
    queued: () => (state === "offline" ? QUEUE : []),
    features: async () => (state === "off" ? [] : FEATURES),
    shopper: { current: () => ({ regid: state, from }) },
    request: ({ path }) => answer(path.endsWith("/list") ? { comments: isFull ? COMMENTS : [] } : { comment: COMMENTS[1] })(),
    counts: { social: async () => (isFull ? 1234 : 0) },
    lists: calls(nothing, {
      fetch: ({ lty: wanted } = {}) => answer((state === "empty" ? [] : isFull ? [...lists, saved] : [list]).filter(({ lty }) => !wanted || lty === wanted))(),
      page,
      details: async ({ lid }) => ({ items: structuredClone(ITEMS.slice(lid.length % 4).slice(0, 1)) }),
      ensure: answer(list),
    }),
    items: calls(nothing, {
      contains: async ({ epis, empis }) => {
        // Those that are refused are known until they are pressed.
        if (state !== "failed") await nothing();
        const places = [...hearts].filter((epi) => productOf(epi) === Number(empis)).map((epi) => ({ epi, lid: "list" }));
        return empis ? places : hearts.has(Number(epis)) ? ["list"] : [];
      },
      add: press("add"),
      remove: press("delete"),
    }),
    saveForLater: calls(nothing, { fetch: answer({ list: saved, items: items.slice(0, 3), pagination: { totalcount: 3, next: null } }) }),
    sharing: calls(nothing, {
      links: from === "guest" ? () => failure(["user-not-logged-in", 401]) : answer(isFull ? [{ key: "made-up", scope: "view", expired: false }] : []),
      createLink: answer({ key: "made-up", scope: "view" }),
      revokeLink: answer({}),
    }),
    subscriptions: calls(nothing, {
      fetch: ({ topic }) => answer({ subscriptions: alerts.filter((one) => one.topic === topic) })(),
      add: ({ topic, mediumvalue }) => answer([{ ...ALERTS[0], topic, mediumvalue }])(),
    }),
  };
}

// The script's own client comes first: it is that of the elements at the top of the page.
const { toast } = await window.wishbone.load("elements");
for (const state of ["empty", "full", "guest", "shared", "loading", "off", ...Object.keys(CODES)]) install(clientIn(state));

const TOASTS = {
  status: ["Added to cart: Alpine rain jacket"],
  action: ["Removed: Alpine rain jacket", { action: { label: "Undo", run: () => toast("Undone") } }],
  error: ["Your change was not saved. Check your connection and try again.", { kind: "error" }],
};
for (const button of document.querySelectorAll("[data-toast]")) {
  button.addEventListener("click", () => toast(...TOASTS[button.dataset.toast]));
}
