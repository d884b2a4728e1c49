import type { InitOptions, MergedList, RequestOptions, Wishbone } from "./api";
import type { Call } from "./call";
import { type Message, openChannel } from "./channel";
import { configure, identityKey, missing, type Settings } from "./config";
import { Core } from "./core";
import { counts } from "./counts";
import { WishboneError } from "./errors";
import { Events, guarded } from "./events";
import { type Credentials, guestKey, Identities, shopperKey } from "./identity";
import { items } from "./items";
import { listMaker, lists } from "./lists";
import { oneTabAtATime } from "./lock";
import { Outbox } from "./outbox";
import { Parts } from "./parts";
import { saveForLater } from "./saved";
import { createSender, type Settled } from "./sender";
import { Session } from "./session";
import { isAnything } from "./shapes";
import { sharing } from "./sharing";
import { shopper } from "./shopper";
import { subscriptions } from "./subscriptions";
import { Transport } from "./transport";
import { wishlist } from "./wishlist";

declare const VERSION: string;

const page = typeof document === "undefined" ? undefined : document;
const storage = () => localStorage;

/** Makes a client. Outside of a browser too, so that a server can render pages; it keeps nothing there. */
export function createClient(options?: InitOptions, directory?: string): Wishbone {
  const identities = new Identities(storage);
  const outbox = new Outbox(storage);
  const transport = new Transport();
  const session = new Session(identities, transport, expel);
  let channel: ((message: Message) => void) | undefined;
  const tabs = () => (channel ||= openChannel(storage, receive));
  const core = new Core(session, transport, new Events(page), (name, detail) => tell({ name, detail }));
  core.sender = createSender(outbox, oneTabAtATime(storage), {
    scope: () => (missing(session.settings) ? undefined : session.scope()),
    execute: (entry, first) => core.execute(entry, first),
    once: (entry) => core.isOnce(entry),
    queued: (entry) => core.notify("queued", entry),
    synced: () => core.notify("synced", {}),
    lost: ({ name, args }, error) => core.report(error, name, args, true),
    tell: (settled) => tell({ settled: portable(settled) }),
  });
  if (page) {
    addEventListener("online", () => core.sender.wake());
    // A page that comes back from the browser's back/forward cache has heard nothing meanwhile.
    addEventListener("pageshow", ({ persisted }) => persisted && core.notify("lists-changed", {}));
  }

  /** Tells the tabs of the same shopper. */
  function tell(message: Message): void {
    if (page) tabs()({ ...message, scope: session.scope() });
  }

  /** Tells the tabs that use the script's own shopper, whoever that is. */
  function tellAll(name: string, detail?: object): void {
    if (page) tabs()({ name, detail, place: guestKey(session.settings), to: who() });
  }

  function receive({ name, detail, settled, scope, place, to }: Message): void {
    if (settled) core.sender.settle(revived(settled as Settled));
    else if (scope === session.scope()) core.notify(String(name), { ...(detail as object), remote: true });
    // A shopper that the page has named is the page's to change.
    else if (place === guestKey(session.settings) && !session.settings.regid) follow(String(name), detail as object, to, 50);
  }

  /** Tabs can be processes with a copy of localStorage each, which follows a moment later. */
  function follow(event: string, detail: object | undefined, to: unknown, attempts: number): void {
    if (who() === to || !attempts) change(session.settings, event, { ...detail, remote: true });
    else setTimeout(follow, 20, event, detail, to, attempts - 1);
  }

  /** The end of the current regid, "" if there is nobody. */
  function who(): string {
    return (session.current()?.regid || "").slice(-16);
  }

  /** Another shopper's turn: whatever is under way was the last one's. */
  function change(to: Settings, event = "", detail: object = {}, reason?: WishboneError, by?: Call<any>): void {
    session.settings = to;
    core.stop(reason, by);
    core.sender.restart();
    if (event) core.notify(event, detail);
  }

  function enter(credentials: Credentials, lists: MergedList[] | undefined, by: Call<any>): void {
    identities.keep(shopperKey(session.settings), credentials);
    identities.forget(guestKey(session.settings));
    change(nobody(session.settings), "login", { lists }, undefined, by);
    tellAll("login", { lists });
  }

  function leave(): void {
    // Nothing of this shopper is left for the next one on the device, nor of the guest.
    outbox.clear(session.scope());
    identities.forget(shopperKey(session.settings));
    identities.forget(guestKey(session.settings));
    const to = nobody(session.settings);
    change(to, "logout");
    outbox.clear(session.scope());
    tellAll("logout");
  }

  /** The server does not accept the logged-in shopper any more. */
  function expel(reason: WishboneError): void {
    identities.forget(shopperKey(session.settings));
    change(session.settings, "logout", {}, reason);
    tellAll("logout");
  }

  function init(options: InitOptions): void {
    const before = session.settings;
    const to = configure(before, options, page?.baseURI);
    if (before.store && identityKey(to) !== identityKey(before)) change(to, to.regid ? "login" : "logout");
    else session.settings = to;
    if (page && !before.store) setTimeout(start);
  }

  /** Takes up what earlier pages have left. Storage and channels are slow to open: not while the page waits for the script. */
  function start(): void {
    tabs();
    core.sender.wake();
  }

  const parts = new Parts(() => directory || `${session.settings.base}/sdk/`);
  const ensure = listMaker(core);
  const read = core.read("request", ({ path, query, form }: RequestOptions, send) =>
    send({ path, query, form, accepts: isAnything }),
  );
  const write = core.direct("request", async ({ path, query, form }: RequestOptions, send) => {
    const answer = await send({ path, query, form, accepts: isAnything }, "");
    transport.written();
    return answer;
  });

  const client: Wishbone = {
    version: VERSION,
    get settings() {
      const { base, store, timeout } = session.settings;
      return { base, store, timeout };
    },
    wishlist: wishlist(core),
    lists: lists(core, ensure),
    items: items(core, ensure),
    saveForLater: saveForLater(core),
    sharing: sharing(core),
    counts: counts(core),
    subscriptions: subscriptions(core),
    shopper: shopper(core, { enter, leave }),
    features: () => session.features(),
    init: (options) => init(options || {}),
    load: (name, options) => parts.load(client, name, options),
    logout: leave,
    request: (options, onSuccess, onError) => (options?.write ? write : read)(options, onSuccess, onError),
    on: (name: string, listener: (detail: any, name: any) => void) => core.events.on(name, listener),
    emit: (name, detail) => core.notify(name, detail),
    queued: () => core.sender.pending(),
    q: {
      push(...work) {
        for (const one of work) if (typeof one === "function") queueMicrotask(() => guarded(one)(client));
      },
    },
  };
  init(options || {});
  return client;
}

function nobody(settings: Settings): Settings {
  return { ...settings, regid: "", sessionid: "" };
}

/** Errors lose their fields on the way to another tab. */
function portable(settled: Settled): object {
  if (!("error" in settled)) return settled;
  // The message is not among the fields that can be enumerated.
  return { ...settled, error: { ...settled.error, message: settled.error.message } };
}

function revived(settled: Settled): Settled {
  if (!("error" in settled)) return settled;
  const { code, message, ...details } = settled.error;
  return { key: settled.key, error: new WishboneError(code, message, details) };
}
