// `<wishbone-shared-list>`, and `<wishbone-heart>` and `<wishbone-notify>`, which it contains.
import { Heart } from "../heart";
import { installer } from "../install";
import { Notify } from "../notify";
import { SharedList } from "../shared-list";

export const install = installer({ "wishbone-heart": Heart, "wishbone-notify": Notify, "wishbone-shared-list": SharedList });
