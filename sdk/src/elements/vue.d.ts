// The custom elements in templates of Vue 3: the build publishes this file as dist/wishbone-vue.d.ts.

import type { DefineComponent } from "vue";
import type { ElementAttributes } from "./api";

type Elements = { [Name in keyof ElementAttributes]: DefineComponent<ElementAttributes[Name]> };

declare module "vue" {
  interface GlobalComponents extends Elements {}
}
