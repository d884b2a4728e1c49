import type { ShopperDetails } from "../api";
import { webUrl } from "../web-address";
import { deliver } from "./call";
import type { Context } from "./context";

const STORED = "wishbone.legacy ";

/** Functions about who the shopper is, and what a theme stores in the browser. */
export function shopper({ api, lower, value }: Context) {
  const { shopper, lists } = api;
  const key = { REGID: `${lower}-regid`, SESSIONID: `${lower}-session-id`, POSTLOGINRD: `${lower}-post-login` };
  // What the browser refuses to store lasts as long as the page.
  const unstored = new Map<string, string>();

  const kept = (name: string): string | null => unstored.get(name) ?? stored(name);

  const isLoggedIn = (): boolean => {
    const current = shopper.current();
    return Boolean(value("CustomerId")) || Boolean(current && current.from !== "guest");
  };

  const storage = {
    set(name: string, content: unknown): void {
      // JSON has no undefined: it removes the value.
      const text: string | undefined = typeof content === "string" ? content : JSON.stringify(content);
      unstored.delete(name);
      try {
        if (text === undefined) localStorage.removeItem(STORED + name);
        else localStorage.setItem(STORED + name, text);
      } catch {
        if (text !== undefined) unstored.set(name, text);
      }
    },
    remove: (name: string): void => storage.set(name, undefined),
    /** The text that was stored under this name, or the cookie of this name; null where there is neither. */
    getRaw(name: string): string | null {
      if (name === key.REGID) return shopper.current()?.regid || null;
      if (name === key.SESSIONID) return storage.getSessionId() || null;
      return kept(name) ?? cookie(name);
    },
    get(name: string): unknown {
      const text = storage.getRaw(name);
      try {
        return text === null ? null : JSON.parse(text);
      } catch {
        return text;
      }
    },
    /** "" as long as nobody needed a session. */
    getSessionId: (): string => shopper.current()?.sessionid || "",
  };

  /** Opens the page that the theme has stored before it sent the shopper to the login. */
  function openAfterLogin(): void {
    if (!isLoggedIn() || kept(key.POSTLOGINRD) === null) return;
    const address = webUrl(storage.get(key.POSTLOGINRD), location.href);
    storage.remove(key.POSTLOGINRD);
    // Whoever can make a theme store an address must not lead shoppers away from the shop.
    if (address?.origin === location.origin && address.href !== location.href) location.assign(address.href);
  }

  // The login of another tab is that tab's to follow up.
  api.on("login", () => document.hidden || openAfterLogin());

  async function authCheck() {
    if (!isLoggedIn()) return { authn: false };
    const [list] = await lists.fetch({ contents: true });
    const email = list?.userinfo?.em;
    return email ? { authn: true, email } : { authn: true };
  }

  return {
    key,
    storage,
    get: (name: string) => storage.getRaw(name),
    isLoggedIn,
    isAlreadyAuth: isLoggedIn,
    openAfterLogin,
    authCheck: (ok?: unknown, err?: unknown) => deliver(authCheck, ok, err),
    saveShopperContext: (details: ShopperDetails, ok?: unknown, err?: unknown) =>
      deliver(() => shopper.save(details), ok, err),
    disconnectShopperContext: (ok?: unknown, err?: unknown) => deliver(async () => api.logout(), ok, err),
  };
}

function stored(name: string): string | null {
  try {
    return localStorage.getItem(STORED + name);
  } catch {
    return null;
  }
}

function cookie(name: string): string | null {
  const pair = document.cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  return pair ? decode(pair.slice(name.length + 1)) : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
