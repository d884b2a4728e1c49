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

/** The addresses of a field that takes several, and which of them are not valid. */
export function emailsIn(form: HTMLFormElement): { emails: string[]; invalid: string[] } {
  const input = form.elements.namedItem("email") as HTMLInputElement;
  const emails = [...new Set(input.value.split(/[\s,;]+/).filter(Boolean))];
  const probe = Object.assign(document.createElement("input"), { type: "email" });
  const invalid = emails.filter((email) => {
    probe.value = email;
    return !probe.checkValidity();
  });
  input.value = emails.join(",");
  return { emails, invalid };
}

export function isEmail(form: HTMLFormElement): boolean {
  const input = form.elements.namedItem("email") as HTMLInputElement;
  return input.value.trim() !== "" && input.checkValidity();
}
