import type { Wishbone } from "../api";
import { actionButtons } from "./buttons";
import { run } from "./call";
import type { Api, Context } from "./context";
import { liveCounts } from "./counts";
import { currencies } from "./currency";
import { eventLayer, JSEvents } from "./events";
import { lists } from "./lists";
import { EventTypes } from "./records";
import { savedForLater } from "./saved";
import { sharing, SharingModes } from "./sharing";
import { shop } from "./shop";
import { shopper } from "./shopper";
import { storedShopper } from "./stored";
import { ui } from "./ui";
import { utils } from "./utils";
import { wishlist } from "./wishlist";

interface Options {
  prefix?: string;
  command?: string;
  /** "code" prints currencies as codes. */
  currency?: string;
  /** The store has several lists for a shopper, and the theme a dialog of its own for them. */
  collections?: boolean | string;
  /** Makes the client global, where the script tag has waited with that. */
  publish?: () => void;
}

/** Extends the client with the functions of an older script, under the global names that its themes use. */
export function install(client: Wishbone, options: Options = {}): void {
  const { prefix = "Wishbone", command = "_swrc", collections = "off", publish = () => {} } = options;
  const globals = window as unknown as Record<string, any>;
  const lower = prefix.toLowerCase();
  const api: Api = client;
  const { currency, setCurrency } = currencies(api, options.currency === "code");
  const context: Context = {
    api,
    lower,
    currency,
    wishlists: storedShopper(api, lower),
    notWishlists: new Set(),
    page: (name) => (globals[prefix + name] = globals[prefix + name] || {}),
    value: (name) => globals[lower + name],
  };

  const { evtLayer, emit } = eventLayer(api);
  const { cartIsKnown, isInDeviceCart, ...ofShop } = shop(context, emit);
  const { ofNamespace, ...ofWishlist } = wishlist(context, cartIsKnown);
  const { isLoggedIn, openAfterLogin, ...ofShopper } = shopper(context);
  // An attribute without a value is on, as in HTML.
  const isOn = !/^(false|off)$/.test(String(collections));
  const retailerSettings = { Wishlist: { EnableCollections: isOn, SharingModes }, Watchlist: {}, General: {}, UI: {} };
  setCurrency(globals["Shopify"]?.currency?.active);
  Object.assign(api.wishlist, ofNamespace);
  Object.assign(api, ofShop, ofWishlist, liveCounts(context), lists(context, cartIsKnown), sharing(context), ofShopper, {
    api,
    evtLayer,
    JSEvents,
    EventTypes,
    retailerSettings,
    platform: { isInDeviceCart, isLoggedIn },
    SaveForLater: savedForLater(context),
    utils: utils(context),
    isCollectionsEnabled: () => Boolean(api["retailerSettings"].Wishlist.EnableCollections),
    setCurrency,
  });
  api["ui"] = ui(context);

  const buttons = actionButtons(context, emit);
  const bindPage = () => buttons.bind();
  api["initializeActionButtons"] = buttons.bind;
  globals[`trigger${prefix}VariantEvent`] = buttons.showVariant;
  const initializeCollections = () => {
    buttons.addToCards();
    bindPage();
  };
  api["collectionsApi"] = { initializeCollections, removeCollectionsButtons: buttons.removeFromCards };
  // With the functions that a theme has replaced before the layer arrived.
  globals[`${prefix}Utils`] = Object.assign(api["utils"], globals[`${prefix}Utils`]);
  globals[`init${prefix}Shopify`] = bindPage;
  for (const name of ["ViewProducts", "ProductVariants", "WatchProducts", "PageData"]) context.page(name);

  publish();
  takeOverCommands(api, globals, command);
  takeOverCallbacks(api, globals, `${prefix}Callbacks`);
  // A theme whose only use of the script is its markup.
  if (!buttons.isUsed()) bindPage();
  api["utils"].onDOMReady(() => showReady(lower));
  emit(JSEvents.configLoaded);
  openAfterLogin();
}

/** Shows what a theme hides until the script is ready: the class is on the body, and on whatever is named after the script. */
function showReady(lower: string): void {
  run(() => {
    const named = document.querySelectorAll(`body, [id^="${lower}-"], [class^="${lower}-"], [class*=" ${lower}-"]`);
    named.forEach((element) => element.classList.add(`${lower}-ready`));
  });
}

/** The command function: `_swrc("RetailerId", pid)` and `_swrc("Callback", fn)`. */
function takeOverCommands(api: Api, globals: Record<string, any>, name: string): void {
  const execute = (key: unknown, value: any) => {
    // The script tag knows better: its store is this server's.
    if (key === "RetailerId" && !api.settings.store) api.init({ store: value });
    if (key === "Callback") run(value, api);
  };
  // A generated page brings a function of its own, which stores each command as a property.
  const before = globals[name];
  const queued: Array<[unknown, unknown]> = Array.isArray(before?.q) ? before.q : [];
  globals[name] = api["postLoader"] = execute;
  for (const key of ["RetailerId", "Callback"]) if (before) execute(key, before[key]);
  for (const [key, value] of queued) execute(key, value);
}

/** The array of callbacks: those that wait run now, and later ones at once. */
function takeOverCallbacks(api: Api, globals: Record<string, any>, name: string): void {
  const callbacks: unknown[] = Array.isArray(globals[name]) ? globals[name] : [];
  const queued = callbacks.splice(0);
  callbacks.push = (...work) => {
    work.forEach((one) => run(one, api));
    return callbacks.length;
  };
  globals[name] = callbacks;
  queued.forEach((one) => run(one, api));
}
