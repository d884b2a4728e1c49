import type { InitOptions } from "./api";
import { webUrl } from "./web-address";

export interface Settings {
  readonly base: string;
  readonly store: string;
  readonly regid: string;
  readonly sessionid: string;
  readonly timeout: number;
  /** "" for the one in the page's language. */
  readonly listName: string;
}

const DEFAULT_TIMEOUT = 15_000;
// Browsers keep a timer's delay in 31 bits; a longer one would fire at once.
const MAX_TIMEOUT = 2 ** 31 - 1;
const SCRIPT_PATH = /\/sdk\/wishbone\.m?js$/;

export const UNSET: Settings = {
  base: "",
  store: "",
  regid: "",
  sessionid: "",
  timeout: DEFAULT_TIMEOUT,
  listName: "",
};

export interface ScriptTag {
  readonly global: string;
  /** The directory of the script, with a slash at the end; "" where there is no tag. */
  readonly directory: string;
  /** Parts to load at once. */
  readonly parts: string[];
  /** Names of the compatibility layer's globals, and what it shows; without a prefix it is not wanted. */
  readonly legacy: { readonly prefix: string; readonly command: string; readonly currency: string | undefined; readonly collections: string | undefined };
  readonly options: InitOptions;
}

/** Reads the script's own tag; there is none where a loader evaluates the text, and then init() must say it all. */
export function readTag(script: Element | null): ScriptTag {
  const attribute = (name: string) => script?.getAttribute(`data-${name}`) ?? undefined;
  const filled = (name: string) => text(attribute(name));
  const src = script && "src" in script ? String(script.src) : "";
  return {
    directory: src.replace(/[^/]*$/, ""),
    parts: (attribute("load") || "").split(/[\s,]+/).filter(Boolean),
    legacy: {
      prefix: filled("legacy-prefix"),
      command: filled("legacy-command") || "_swrc",
      currency: attribute("legacy-currency"),
      collections: attribute("legacy-collections"),
    },
    global: filled("global") || "wishbone",
    options: {
      base: filled("base") || baseOf(src) || undefined,
      store: attribute("store"),
      regid: attribute("regid"),
      sessionid: attribute("sessionid"),
      timeout: attribute("timeout") === undefined ? undefined : Number(attribute("timeout")),
      listName: attribute("list-name"),
    },
  };
}

/** The server's address, from where it served this script; it may live under a path of a larger site. */
export function baseOf(src: string): string {
  const url = webUrl(src);
  if (!url) return "";
  return SCRIPT_PATH.test(url.pathname) ? url.origin + url.pathname.replace(SCRIPT_PATH, "") : url.origin;
}

export function configure(before: Settings, options: InitOptions, page?: string): Settings {
  const given = (value: unknown, otherwise: string) => (value === undefined ? otherwise : text(value));
  return {
    base: options.base === undefined ? before.base : addressOf(text(options.base), page),
    store: given(options.store, before.store),
    regid: given(options.regid, before.regid),
    // A sessionid proves one regid: a new regid must not go out with the last shopper's.
    sessionid: given(options.sessionid, options.regid === undefined ? before.sessionid : ""),
    timeout: options.timeout === undefined ? before.timeout : milliseconds(options.timeout),
    listName: given(options.listName, before.listName),
  };
}

/** What is missing before a call can be made, in the words of who must add it; "" where all is there. */
export function missing({ base, store, regid, sessionid }: Settings): string {
  if (!store) return "No store is set. Add data-store to the script tag, or call init({store}) first.";
  if (!base) return "No server is set. Add data-base to the script tag, or call init({base}) first.";
  if (!/^https?:/.test(base)) return `The server's address must begin with https:// or http://; it is "${base}".`;
  if (!regid !== !sessionid) return "A regid needs its sessionid. Pass both, or neither for a guest.";
  return "";
}

/** Two settings with the same key see the same shopper's data. */
export function identityKey({ base, store, regid }: Settings): string {
  return `${base} ${store} ${regid}`;
}

function addressOf(value: string, page?: string): string {
  const url = webUrl(value, page);
  return url ? url.origin + url.pathname.replace(/\/+$/, "") : value;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

function milliseconds(value: unknown): number {
  const number = Number(value);
  return number > 0 ? Math.min(number, MAX_TIMEOUT) : DEFAULT_TIMEOUT;
}
