import { type Child, h } from "./dom";
import { icon } from "./icons";

interface Settings {
  readonly label: string;
  /** What is wrong with the address; "" if nothing is. */
  readonly problem: string;
  /** What browsers may fill in. */
  readonly autocomplete?: string;
  /** Takes several addresses. */
  readonly multiple?: boolean;
}

/** A field for an e-mail address, with its error next to it. */
export function emailField({ label, problem, autocomplete = "email", multiple }: Settings): Child {
  return h(
    "label",
    { key: "email" },
    label,
    h("input", {
      name: "email",
      type: "email",
      part: "input",
      required: true,
      multiple,
      autocomplete,
      dir: "ltr",
      "aria-invalid": problem !== "" && "true",
      "aria-describedby": problem !== "" && "email-error",
    }),
    problem && h("span", { key: "error", id: "email-error", class: "field-error", part: "error" }, icon("warning"), problem),
  );
}

/** The addresses of a field that takes several; none if one of them is not valid. */
export function emailsIn(form: HTMLFormElement): string[] {
  const input = form.elements.namedItem("email") as HTMLInputElement;
  const emails = [...new Set(input.value.split(/[\s,;]+/).filter(Boolean))];
  input.value = emails.join(",");
  return isEmail(form) ? emails : [];
}

export function isEmail(form: HTMLFormElement): boolean {
  const input = form.elements.namedItem("email") as HTMLInputElement;
  return input.value.trim() !== "" && input.checkValidity();
}
