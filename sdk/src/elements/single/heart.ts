// `<wishbone-heart>`.
import { Heart } from "../heart";
import { installer } from "../install";

export const install = installer({ "wishbone-heart": Heart });
