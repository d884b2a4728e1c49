// `<wishbone-saved>`, and `<wishbone-notify>`, which it contains.
import { installer } from "../install";
import { Notify } from "../notify";
import { Saved } from "../saved";

export const install = installer({ "wishbone-notify": Notify, "wishbone-saved": Saved });
