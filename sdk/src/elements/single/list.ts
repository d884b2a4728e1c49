// `<wishbone-list>`, and `<wishbone-comments>` and `<wishbone-notify>`, which it contains.
import { Comments } from "../comments";
import { installer } from "../install";
import { ListElement } from "../list";
import { Notify } from "../notify";

export const install = installer({
  "wishbone-comments": Comments,
  "wishbone-list": ListElement,
  "wishbone-notify": Notify,
});
