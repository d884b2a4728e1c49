// `<wishbone-shared-list>`, and `<wishbone-comments>`, `<wishbone-heart>` and `<wishbone-notify>`, which it contains.
import { Comments } from "../comments";
import { Heart } from "../heart";
import { installer } from "../install";
import { Notify } from "../notify";
import { SharedList } from "../shared-list";

export const install = installer({
  "wishbone-comments": Comments,
  "wishbone-heart": Heart,
  "wishbone-notify": Notify,
  "wishbone-shared-list": SharedList,
});
