/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */

import type { DefineComponent } from "vue";
import type { ElementAttributes } from "./wishbone-elements.js";

type Elements = { [Name in keyof ElementAttributes]: DefineComponent<ElementAttributes[Name]> };

declare module "vue" {
  interface GlobalComponents extends Elements {}
}
