import { type Child, h } from "./dom";

// Drawn on a grid of 24, with lines of the text's colour.
const PATHS = {
  heart: "M12 20.3 4.6 13a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.4.5.4-.5a4.9 4.9 0 0 1 7 0 4.9 4.9 0 0 1 0 7Z",
  close: "M6 6l12 12M18 6 6 18",
  edit: "M4 20h4L19 9a2.1 2.1 0 0 0-3-3L5 17ZM14 8l3 3",
  trash: "M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7",
  picture: "M4 5h16v14H4ZM4 16l4.5-4.5L12 15l3-3 5 5M15.5 9h.01",
  minus: "M6 12h12",
  plus: "M6 12h12M12 6v12",
  share: "M12 15V4M8 8l4-4 4 4M6 12v7h12v-7",
  mail: "M4 6h16v12H4ZM4 7l8 6 8-6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  options: "M5 12h.01M12 12h.01M19 12h.01",
  list: "M8 7h12M8 12h12M8 17h12M4 7h.01M4 12h.01M4 17h.01",
  forward: "M9 6l6 6-6 6",
  offline: "M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-5-2.7M12 19h.01",
  warning: "M12 4 3 19h18ZM12 10v4M12 16.5h.01",
};

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): Child {
  return h("svg", { class: `glyph ${name}`, viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: PATHS[name] }));
}
