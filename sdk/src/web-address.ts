// Letters that a URL may have, but that end an attribute, a string or a CSS url() in a page that is careless with it, and an
// "&" that HTML would read as the start of a character reference.
const UNSAFE = /[^\w.~:/?#[\]@!$*+,;=%&-]|&(?=#|\w+;|quot\b)/gi;

/** The URL, if it is one of the web: other schemes, such as javascript:, must not become links. */
export function webUrl(value: unknown, base?: string): URL | undefined {
  try {
    const url = new URL(String(value), base);
    return value && /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** An address of the web as any page may put it into its markup: absolute, and the same text in all places. Else "". */
export function webAddress(value: unknown): string {
  const url = webUrl(value, globalThis.document?.baseURI);
  return url ? url.href.replace(UNSAFE, escape) : "";
}

/** Makes the addresses in an answer such ones. Custom fields are the shop's own, and stay as they are. */
export function withWebAddresses(value: any): unknown {
  if (typeof value === "object") {
    for (const name in value) {
      if (name === "du" || name === "iu") value[name] = webAddress(value[name]);
      else if (!/^[cl]props$/.test(name)) withWebAddresses(value[name]);
    }
  }
  return value;
}
