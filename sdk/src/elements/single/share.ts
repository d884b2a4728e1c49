// `<wishbone-share>`.
import { installer } from "../install";
import { Share } from "../share";

export const install = installer({ "wishbone-share": Share });
