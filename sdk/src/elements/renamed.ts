import { type Child, h } from "./dom";

/** The same with other class names, by tag, part or class: our own mean something else in the styles of a page. */
export function renamed(child: Child, names: Readonly<Record<string, string>>): Child {
  if (Array.isArray(child)) return child.map((one) => renamed(one, names));
  if (typeof child !== "object" || !child) return child;
  const { tag, props, children } = child;
  const name = [tag, props["part"], ...String(props["class"]).split(" ")].find((one) => names[String(one)]);
  return h(tag, { ...props, class: names[String(name)] }, renamed(children, names));
}
