// The custom elements in JSX of React 19: the build publishes this file as dist/wishbone-react.d.ts.

import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { ElementAttributes } from "./api";

type Elements = {
  [Name in keyof ElementAttributes]: DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & ElementAttributes[Name];
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
