import { webAddress } from "../web-address";

/**
 * A description of an element. Elements with the same tag and key are reused, so that focus and what the shopper types
 * survive an update. Everything becomes text, attributes or listeners: nothing is parsed as HTML.
 */
export interface Described {
  readonly tag: string;
  readonly props: Props;
  readonly children: Child[];
}
export type Child = Described | string | number | false | null | undefined | Child[];
export type Props = Readonly<Record<string, unknown>>;

const SVG = "http://www.w3.org/2000/svg";
// What the shopper changes lives in properties: their attributes are only the initial values.
const PROPERTIES = ["value", "checked"];
// Whatever an element describes, no other than an address of the web becomes a link or is loaded.
const ADDRESSES = ["href", "src", "action", "formaction"];
/** The nodes that `patch` has made, with what they were made from. It leaves all others alone. */
const made = new WeakMap<Node, Described | string>();

/** `on…` props are listeners; `ref` is called once with the new element; `key` tells siblings apart. */
export function h(tag: string, props?: Props | null, ...children: Child[]): Described {
  return { tag, props: props || {}, children };
}

/** A text of a shop or a shopper: it has its own direction, and its place is where the page's direction puts it. */
export function isolated(text: string): Described {
  return h("bdi", null, text);
}

/** The same of one of our texts, which may be in English. */
export function directed(text: string): Described {
  return h("span", { dir: "auto" }, text);
}

/** Makes the children of `parent` what is described. */
export function patch(parent: Node, children: Child[]): void {
  const pool = new Map<string, Node[]>();
  for (const node of parent.childNodes) {
    const from = made.get(node);
    if (from === undefined) continue;
    const same = pool.get(identity(from));
    if (same) same.push(node);
    else pool.set(identity(from), [node]);
  }
  const nodes = flat(children).map((child) => {
    const node = pool.get(identity(child))?.shift() || create(child);
    fill(node, child);
    return node;
  });
  pool.forEach((unused) => unused.forEach((node) => (node as ChildNode).remove()));
  let next = parent.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}

function flat(children: Child[]): Array<Described | string> {
  return children.flatMap((child) => {
    if (Array.isArray(child)) return flat(child);
    if (typeof child === "object" && child) return [child];
    return child || child === 0 ? [String(child)] : [];
  });
}

function identity(from: Described | string): string {
  return typeof from === "string" ? "" : `${from.tag} ${from.props["key"] ?? ""}`;
}

function create(child: Described | string): Node {
  if (typeof child === "string") return document.createTextNode("");
  const { tag, props } = child;
  const node = /^(svg|path)$/.test(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  // The default of HTML would send the form around it.
  if (tag === "button") (node as HTMLButtonElement).type = "button";
  if (props["ref"]) (props["ref"] as (node: Element) => void)(node);
  return node;
}

function fill(node: Node, child: Described | string): void {
  const before = made.get(node);
  made.set(node, child);
  if (typeof child === "string") {
    if (before !== child) (node as Text).data = child;
    return;
  }
  const old = typeof before === "object" ? before.props : {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(child.props)])) {
    if (old[name] !== child.props[name]) set(node as Element, name, child.props[name], name in old);
  }
  patch(node, child.children);
  // After the children: a select has its value only once it has the options.
  for (const name of PROPERTIES) {
    if (name in child.props && old[name] !== child.props[name]) (node as any)[name] = child.props[name];
  }
}

function set(node: Element, name: string, value: unknown, known: boolean): void {
  if (name === "key" || name === "ref" || PROPERTIES.includes(name)) return;
  if (name.startsWith("on")) {
    // One listener for all updates: it looks up what the last one said.
    if (!known) node.addEventListener(name.slice(2), (event) => handle(node, name, event));
  } else if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : ADDRESSES.includes(name) ? webAddress(value) : String(value));
}

function handle(node: Element, name: string, event: Event): void {
  const work = (made.get(node) as Described).props[name];
  if (typeof work === "function") quietly(() => work(event));
}

/** The form of a "submit", which the browser does not send, and what is in its fields. */
export function sent(event: Event): { form: HTMLFormElement; value: (name: string) => string } {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  const data = new FormData(form);
  return { form, value: (name) => String(data.get(name) || "").trim() };
}

/** Runs work of an element. What goes wrong there is for the console, not for the page's error handlers. */
export function quietly(work: () => unknown): void {
  void (async () => work())().catch((error) => console.error(error));
}
