import { deliver, run } from "./call";
import type { Context } from "./context";

// Events that come in a burst, such as those of a new list and its first item, cause one request.
const PAUSE = 150;

/** The numbers of items that themes show. Each follows all changes as long as its element is in the page. */
export function liveCounts({ api }: Context) {
  const shown = new Map<string | Element, (count: number) => void>();

  /** Asks through the object, since themes replace the function; theirs call back or give a Promise. */
  const count = () =>
    new Promise<number>((resolve, reject) => {
      api["wishlistCount"](resolve, reject)?.then?.(resolve, reject);
    });

  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;

  function refresh(): void {
    for (const [key] of shown) if (typeof key !== "string" && !key.isConnected) shown.delete(key);
    if (shown.size === 0) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const mine = (turn += 1);
      // Without an answer, what is shown stays.
      count().then((number) => mine === turn && shown.forEach((show) => show(number)), () => {});
    }, PAUSE);
  }

  api.on("*", (_, name: string) => /^(added|removed|moved|list|log)/.test(name) && refresh());

  return {
    renderWishlistCount(element: any, ok?: unknown, err?: unknown) {
      // A selector and a list of elements do as well.
      const find = (): Element[] =>
        [...(typeof element === "string" ? document.querySelectorAll(element) : element?.nodeType ? [element] : element || [])];
      const show = (number: number) => {
        for (const one of find()) one.textContent = String(number);
        run(ok, number, element);
      };
      const key = typeof element === "string" ? element : find()[0];
      if (key) shown.set(key, show);
      // Some themes pass a number of milliseconds third.
      return deliver(count, show, typeof err === "function" ? err : "");
    },
  };
}
