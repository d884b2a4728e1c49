import type { Words } from "./base";
import { type Child, directed, h } from "./dom";
import { type Icon, icon } from "./icons";

/** A message in the place of items. */
export function message(name: Icon, title: string, ...more: Child[]): Child {
  return h("div", { key: title, class: "message", part: "message" }, icon(name), h("p", { class: "strong", dir: "auto" }, title), more);
}

export function hint(text: string): Child {
  return h("p", { class: "muted", dir: "auto" }, text);
}

/** Stands in the place of what could not be loaded. */
export function failure(words: Words, problem: unknown, retry: () => void): Child {
  const button = h("button", { part: "button", onclick: retry }, words.t("retry"));
  return message("warning", words.t("error.load"), hint(words.reason(problem)), button);
}

export function loading(words: Words): Child {
  return h("p", { key: "loading", class: "muted", role: "status" }, words.t("loading"));
}

/** Stands where items will be. */
export function skeleton(words: Words, layout: string): Child {
  const bar = (size: string) => h("div", { class: `bar ${size}` });
  const card = (key: number) =>
    h("li", { key, class: "item" }, h("div", { class: "picture bar" }), h("div", { class: "texts" }, bar("long"), bar("short")));
  return [
    h("p", { key: "loading", class: "hidden", role: "status" }, words.t("loading")),
    h("ul", { key: "skeleton", class: `items ${layout} skeleton`, "aria-hidden": "true" }, [1, 2, 3, 4].map(card)),
  ];
}

export function moreButton(words: Words, isBusy: boolean, onclick: () => void): Child {
  return h(
    "button",
    { key: "more", class: "more", part: "button more", "aria-disabled": isBusy && "true", onclick },
    words.t(isBusy ? "loading" : "more"),
  );
}

/** The name of a list. It can be focused, by the script alone, when the last item leaves. */
export function heading(words: Words, title: Child, count: number | undefined, ...more: Child[]): Child {
  return h(
    "div",
    { class: "heading", part: "header" },
    h(
      "div",
      { class: "name" },
      h("h2", { part: "title", tabindex: "-1" }, title),
      !!count && h("p", { class: "muted small", part: "count" }, directed(words.t("count", { count }))),
    ),
    more,
  );
}

/** Where shoppers may say who they are. */
export function nameField(words: Words, name = ""): Child {
  const input = { name: "from", maxlength: 100, autocomplete: "given-name", dir: "auto", value: name, "aria-describedby": "from-hint" };
  return [
    h("label", { key: "from" }, words.t("share.from"), h("input", input)),
    h("p", { key: "from-hint", id: "from-hint", class: "muted small" }, words.t("share.from.hint")),
  ];
}
