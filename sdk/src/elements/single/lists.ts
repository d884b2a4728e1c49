// `<wishbone-lists>`, and `<wishbone-list>`, `<wishbone-notify>` and `<wishbone-share>`, which it contains.
import { installer } from "../install";
import { ListElement } from "../list";
import { Lists } from "../lists";
import { Notify } from "../notify";
import { Share } from "../share";

export const install = installer({ "wishbone-list": ListElement, "wishbone-lists": Lists, "wishbone-notify": Notify, "wishbone-share": Share });
