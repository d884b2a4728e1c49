// `<wishbone-notify>`.
import { installer } from "../install";
import { Notify } from "../notify";

export const install = installer({ "wishbone-notify": Notify });
