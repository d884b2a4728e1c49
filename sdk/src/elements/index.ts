import { Alerts } from "./alerts";
import { Comments } from "./comments";
import { Heart } from "./heart";
import { installer } from "./install";
import { ListElement } from "./list";
import { Lists } from "./lists";
import { Notify } from "./notify";
import { Saved } from "./saved";
import { Share } from "./share";
import { SharedList } from "./shared-list";

export const install = installer({
  "wishbone-heart": Heart,
  "wishbone-list": ListElement,
  "wishbone-saved": Saved,
  "wishbone-notify": Notify,
  "wishbone-alerts": Alerts,
  "wishbone-comments": Comments,
  "wishbone-share": Share,
  "wishbone-shared-list": SharedList,
  "wishbone-lists": Lists,
});
