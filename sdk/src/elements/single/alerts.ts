// `<wishbone-alerts>`.
import { Alerts } from "../alerts";
import { installer } from "../install";

export const install = installer({ "wishbone-alerts": Alerts });
