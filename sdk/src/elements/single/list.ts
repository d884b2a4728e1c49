// `<wishbone-list>`, and `<wishbone-notify>`, which it contains.
import { installer } from "../install";
import { ListElement } from "../list";
import { Notify } from "../notify";

export const install = installer({ "wishbone-list": ListElement, "wishbone-notify": Notify });
