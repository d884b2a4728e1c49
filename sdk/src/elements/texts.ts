import type { Texts } from "./api";
import { columns, keys } from "languages";
import type en from "./languages/en.json";

export type Key = keyof typeof en;
export type Values = Readonly<Record<string, string | number>>;

const names = keys.split("\n");
const tableOf = (texts: string): Texts => {
  const lines = texts.split("\n");
  return Object.fromEntries(names.map((key, index) => [key, lines[index] || ""]));
};
const tables = new Map(Object.entries(columns).map(([language, texts]) => [language, tableOf(texts)]));
const english = tableOf(columns["en"] || "");

/** Replaces texts of a language, or adds a language. */
export function setTexts(language: string, texts: Texts): void {
  const code = tagOf(language).toLowerCase();
  tables.set(code, { ...tables.get(code), ...texts });
}

/** The language of the element's surroundings, or the browser's where the page names none. */
export function languageOf(element: Element): string {
  for (let at: Element | null = element; at; at = parent(at)) {
    const { lang } = at as HTMLElement;
    // What an element shows may be marked as English.
    if (lang && !isInElement(at)) return tagOf(lang);
  }
  return navigator.languages.find((language) => table(language)) || "en";
}

function isInElement(element: Element): boolean {
  return /^wishbone-/.test(String((element.getRootNode() as Partial<ShadowRoot>).host?.localName));
}

/** The language of the texts that are shown for this one. */
export function shownFor(language: string): string {
  return table(language) ? language : "en";
}

/** Some shops write de_DE, which is the form of locales outside of the web, and unknown to Intl. */
function tagOf(language: string): string {
  return language.replace(/_/g, "-");
}

/** What is around an element, also where that is in another tree. */
export function parent(element: Element): Element | null {
  const root = element.parentNode;
  return element.assignedSlot || (root instanceof ShadowRoot ? root.host : element.parentElement);
}

/** The text in this language, else in English. "one|other" are its forms for `count`. */
export function textIn(language: string, key: Key, values: Values = {}): string {
  const regional = tables.get(language.toLowerCase())?.[key];
  const text = regional || table(language)?.[key] || english[key] || "";
  const [one = "", other = one] = text.split("|");
  const form = "count" in values && pluralOf(language, Number(values["count"])) !== "one" ? other : one;
  return form.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? inserted(String(values[name])) : whole));
}

// Right-to-left letters, and characters that set a direction.
const TURNS = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** A name as part of a sentence: its direction must not turn the rest of the sentence around. */
function inserted(value: string): string {
  return TURNS.test(value) ? `\u2068${value}\u2069` : value;
}

function table(language: string): Texts | undefined {
  const code = language.toLowerCase();
  return tables.get(code) || tables.get(code.split("-")[0] || "");
}

function pluralOf(language: string, count: number): string {
  return formatted(() => new Intl.PluralRules(language).select(count), count === 1 ? "one" : "other");
}

/** A price as the page's language writes it; without a currency, as a plain number. */
export function priceIn(language: string, price: number, currency: string): string {
  const plain = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const options: Intl.NumberFormatOptions = currency ? { style: "currency", currency } : plain;
  return formatted(() => new Intl.NumberFormat(language, options).format(price), String(price));
}

export function numberIn(language: string, number: number): string {
  return formatted(() => new Intl.NumberFormat(language, { notation: "compact" } as object).format(number), String(number));
}

/** Languages and currencies come from the page, and Intl throws if one is malformed. */
function formatted(format: () => string, otherwise: string): string {
  try {
    return format();
  } catch {
    return otherwise;
  }
}
