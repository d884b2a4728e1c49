import { own } from "./context";

type Part = string | { kind: string; name: string; parts?: Part[] };

// A raw value in three braces, or the kind of a tag and its name.
const TAG = /\{\{(?:\{\s*([^}]+?)\s*\}|([#^/&!]?)\s*([\s\S]*?)\s*)\}\}/;
// Lines that have only a tag without an output leave no empty line behind.
const ALONE = /^[ \t]*(\{\{[#^/!][^}]*\}\})[ \t]*(?:\r?\n|$)/gm;

/** Renders a Mustache template: values, sections, inverted sections and comments. Partials are not supported. */
export function render(template: unknown, data: unknown): string {
  const tokens = String(template ?? "").replace(ALONE, "$1").split(TAG);
  const parts: Part[] = [];
  // A closing tag without its section ends nothing.
  while (tokens.length > 0) parts.push(...parse(tokens));
  return output(parts, [data]);
}

/** Takes the parts of a section, up to and including its closing tag, from the front of the tokens. */
function parse(tokens: string[]): Part[] {
  const parts: Part[] = [];
  while (tokens.length > 0) {
    const [text = "", raw, kind = "", name = ""] = tokens.splice(0, 4);
    parts.push(text);
    if (kind === "/") break;
    if (raw) parts.push({ kind: "&", name: raw });
    else if (kind === "#" || kind === "^") parts.push({ kind, name, parts: parse(tokens) });
    else if (name && kind !== "!") parts.push({ kind, name });
  }
  return parts;
}

function output(parts: Part[], stack: unknown[]): string {
  return parts.map((part) => (typeof part === "string" ? part : tag(part, stack))).join("");
}

function tag({ kind, name, parts }: Exclude<Part, string>, stack: unknown[]): string {
  const value = lookUp(name, stack);
  if (!parts) return kind === "&" ? text(value) : escape(text(value));
  const all = Array.isArray(value) ? value : value ? [value] : [];
  if (kind === "^") return all.length > 0 ? "" : output(parts, stack);
  return all.map((one) => output(parts, [...stack, one])).join("");
}

/** The value of a name such as "product.title": its first part is looked for from the innermost section outwards. */
function lookUp(name: string, stack: unknown[]): unknown {
  const [first, ...rest] = name.split(".");
  const around = [...stack].reverse();
  const context = name === "." ? undefined : around.find((one) => own(one, first) !== undefined);
  const value = name === "." ? around[0] : rest.reduce(own, own(context, first));
  return typeof value === "function" ? value.call(context) : value;
}

const text = (value: unknown) => String(value ?? "");

/** As usual for Mustache "=" too: a value must not become an attribute of its own where a template leaves the quotes out. */
function escape(value: string): string {
  return value.replace(/[&<>"'`=]/g, (character) => `&#${character.charCodeAt(0)};`);
}
