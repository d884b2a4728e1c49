import { type Child, h } from "./dom";
import { icon } from "./icons";

interface Settings {
  readonly label: string;
  /** What is wrong with the address; "" if nothing is. */
  readonly problem: string;
  /** What browsers may fill in. */
  readonly autocomplete?: string;
}

/** A field for an e-mail address, with its error next to it. */
export function emailField({ label, problem, autocomplete = "email" }: Settings): Child {
  return h(
    "label",
    { key: "email" },
    label,
    h("input", {
      name: "email",
      type: "email",
      part: "input",
      required: true,
      autocomplete,
      dir: "ltr",
      "aria-invalid": problem !== "" && "true",
      "aria-describedby": problem !== "" && "email-error",
    }),
    problem && h("span", { key: "error", id: "email-error", class: "field-error", part: "error" }, icon("warning"), problem),
  );
}

export function isEmail(form: HTMLFormElement): boolean {
  const input = form.elements.namedItem("email") as HTMLInputElement;
  return input.value.trim() !== "" && input.checkValidity();
}
