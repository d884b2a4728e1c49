/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */

import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { ElementAttributes } from "./wishbone-elements.js";

type Elements = {
  [Name in keyof ElementAttributes]: DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & ElementAttributes[Name];
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
