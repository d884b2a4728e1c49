import type { List, ListItem } from "../api";
import type { Variant } from "./api";
import type { Words } from "./base";
import { closeDialog, dialog } from "./dialog";
import { type Child, h, sent } from "./dom";
import { titleOf } from "./item";

export interface Edited {
  /** The item with the note; the same object if that is unchanged. */
  noted: ListItem;
  /** Where the item belongs; a new list has no lid yet. */
  list: { lid?: string; lname: string };
  /** Another variant than the item is. */
  variant: Variant | undefined;
}

interface Settings {
  readonly item: ListItem;
  readonly lists: List[];
  /** Those of the product, as far as the page has told. */
  readonly variants: Variant[];
  readonly onclose: () => void;
  readonly onsave: (edited: Edited) => unknown;
}

const NEW = "new";

/** Asks for a note, the list that the item belongs to and, where there are several, the variant. */
export function editDialog(words: Words, { item, lists, variants, onclose, onsave }: Settings): Child {
  const isKnown = variants.some(({ epi }) => Number(epi) === item.epi);
  const options: Variant[] = isKnown ? variants : [{ epi: item.epi, vi: item.vi || "–" }, ...variants];
  const before = (item.note || "").trim();
  const submit = (event: Event) => {
    const { value } = sent(event);
    const list = value("list") === NEW ? { lname: value("name") } : lists.find(({ lid }) => lid === value("list")) || { lid: item.lid, lname: "" };
    const variant = variants.find(({ epi }) => String(epi) === value("variant") && Number(epi) !== item.epi);
    closeDialog(event);
    // An empty note counts as none, and would leave the old one.
    const noted = value("note") === before ? item : { ...item, note: value("note") || " " };
    return onsave({ noted, list, variant });
  };
  // The name is asked for only where it is needed.
  const choose = ({ currentTarget }: Event) => {
    const select = currentTarget as HTMLSelectElement;
    const name = select.form?.querySelector<HTMLElement>(".new-list");
    name?.toggleAttribute("hidden", select.value !== NEW);
    name?.querySelector("input")?.toggleAttribute("required", select.value === NEW);
  };
  return dialog(
    words,
    { title: titleOf(words, item), onclose },
    h(
      "form",
      { class: "stack", onsubmit: submit },
      options.length > 1 &&
        h(
          "label",
          { key: "variant" },
          words.t("item.variant"),
          h(
            "select",
            { name: "variant", value: String(item.epi) },
            options.map(({ epi, vi }) => h("option", { key: epi, value: String(epi) }, vi || String(epi))),
          ),
        ),
      h("label", { key: "note" }, words.t("item.note"), h("textarea", { name: "note", maxlength: 1000, dir: "auto", value: before })),
      h(
        "label",
        { key: "list" },
        words.t("item.list"),
        h(
          "select",
          { name: "list", value: item.lid, onchange: choose },
          lists.map(({ lid, lname }) => h("option", { key: lid, value: lid }, lname)),
          h("option", { key: NEW, value: NEW }, `${words.t("item.list.new")} …`),
        ),
      ),
      h("label", { key: "name", class: "new-list", hidden: true }, words.t("lists.name"), h("input", { name: "name", maxlength: 100, dir: "auto" })),
      h(
        "div",
        { class: "row end" },
        h("button", { key: "cancel", onclick: closeDialog }, words.t("cancel")),
        h("button", { key: "save", class: "primary", part: "button primary", type: "submit" }, words.t("save")),
      ),
    ),
  );
}
