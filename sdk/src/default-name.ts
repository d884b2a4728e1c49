// The server's merge takes lists with these names for default lists: crates/core/src/merging/plan.rs.
const NAMES: Readonly<Record<string, string>> = {
  en: "My Wishlist",
  de: "Meine Wunschliste",
  es: "Mi lista de deseos",
  fr: "Ma liste d’envies",
  it: "La mia lista dei desideri",
  ja: "マイほしい物リスト",
  nl: "Mijn verlanglijst",
  pt: "Minha lista de desejos",
};

/** The name of a default list, in the language of the page or, if it names none, of the browser. */
export function defaultName(): string {
  const language = globalThis.document?.documentElement.lang || globalThis.navigator?.language || "";
  return NAMES[language.slice(0, 2).toLowerCase()] || NAMES["en"]!;
}
