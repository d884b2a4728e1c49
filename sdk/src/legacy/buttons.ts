import { run } from "./call";
import type { Context } from "./context";
import { productReader } from "./products";

const BUTTON = '[data-swaction="addToWishlist" i]';
const ATTRIBUTES = ["data-swaction", "data-product-id", "data-variant-id", "data-product-url", "data-with-epi"];

/** Buttons of the theme's markup: a click adds or removes the product, and a class tells what it is. */
export function actionButtons(context: Context) {
  const { api, lower } = context;
  const { items, lists } = api;
  const added = `${lower}-added`;
  const productOf = productReader(context);
  const scopes = new Set<string | Element>();
  /** Whether a list is a wishlist, as far as it had to be asked. */
  const isWishlist = new Map<string, boolean>();

  const isBound = (button: Element) =>
    [...scopes].some((scope) => (typeof scope === "string" ? button.closest(scope) : scope.contains(button)));
  const bound = () => [...document.querySelectorAll<HTMLElement>(BUTTON)].filter(isBound);

  /** What the shopper wanted last, of variants whose change still waits for the network. */
  function waiting(): Map<string, boolean> {
    const wanted = new Map<string, boolean>();
    for (const { name, args } of api.queued()) {
      if (name !== "items.add" && name !== "items.remove") continue;
      const { items = args } = args as any;
      for (const { epi } of [items].flat()) wanted.set(String(epi), name === "items.add");
    }
    return wanted;
  }

  /** The lists that have the variant, except those that are known to be of another kind. */
  const listsWith = async (epi: string) => (await items.contains(epi)).filter((lid) => isWishlist.get(lid) !== false);

  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;

  /** Shows anew what all buttons are; the questions of one moment are one request. */
  function refresh(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const mine = (turn += 1);
      const wanted = waiting();
      for (const button of bound()) {
        const about = productOf(button);
        if (!about) continue;
        const states = about.epis.map(async (epi) => wanted.get(epi) ?? (await listsWith(epi)).length > 0);
        // Without an answer, what is shown stays.
        Promise.all(states).then((all) => mine === turn && button.classList.toggle(added, all.includes(true)), () => {});
      }
    });
  }

  async function learnKinds(lids: string[]): Promise<void> {
    if (lids.every((lid) => isWishlist.has(lid))) return;
    try {
      for (const { lid, lty } of await lists.fetch()) isWishlist.set(lid, (lty || "wl") === "wl");
    } catch {
      // Offline: the change can wait in the queue, but not the question what kind of list it is about.
    }
  }

  const fail = (error: Error) => api["ui"].showErrorNotification({ message: error.message });

  /** The wishlists that have one of the variants; undefined where the server cannot say. */
  async function placesOf(epis: string[]): Promise<Array<{ epi: string; lid: string }> | undefined> {
    try {
      const all = await Promise.all(epis.map(async (epi) => (await items.contains(epi)).map((lid) => ({ epi, lid }))));
      const places = all.flat();
      await learnKinds(places.map(({ lid }) => lid));
      return places.filter(({ lid }) => isWishlist.get(lid) !== false);
    } catch {
      return undefined;
    }
  }

  async function toggle(button: HTMLElement): Promise<void> {
    const about = productOf(button);
    if (!about) throw new Error(`The button has no variant. Add data-variant-id, or fill ViewProducts: ${button.outerHTML}`);
    const { product, epis } = about;
    const wanted = waiting();
    const queued = epis.filter((epi) => wanted.has(epi));
    const places = queued.length > 0 ? [] : await placesOf(epis);
    const isIn = places ? places.length > 0 : button.classList.contains(added);
    const isAdded = queued.length > 0 ? queued.some((epi) => wanted.get(epi)) : isIn;
    if (isAdded) {
      // What waits to be added is in no list yet, and will be in the default one.
      const from = places && places.length > 0 ? places : [{}];
      for (const place of from) api["removeFromWishList"]({ ...product, ...place }, undefined, fail);
    } else {
      api["ui"].uiRef.addToWishlist(product, undefined, fail);
    }
    refresh();
  }

  // One press after the other: the second is about what the first has decided.
  let decided: Promise<unknown> = Promise.resolve();

  function press(event: Event): void {
    event.preventDefault();
    const button = event.currentTarget as HTMLElement;
    decided = decided.then(() => toggle(button)).catch((error) => console.error(error));
  }

  // Bound when the click is on its way to the button: later buttons work too, a dialog around it that stops clicks does no
  // harm, and listeners of the theme come first. Binding twice is binding once.
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element && target.closest(BUTTON);
    if (button && isBound(button)) button.addEventListener("click", press);
  }, true);

  new MutationObserver((changes) => {
    const isAbout = (node: Node) => node instanceof Element && (node.matches(BUTTON) || node.querySelector(BUTTON));
    if (changes.some(({ type, addedNodes }) => type === "attributes" || [...addedNodes].some(isAbout))) refresh();
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ATTRIBUTES });

  api.on("*", (detail, name) => {
    if (/^saved-/.test(name)) isWishlist.set(detail.lid, false);
    refresh();
  });

  return {
    /** True once a theme has said where its buttons are. */
    isUsed: () => scopes.size > 0,

    /** Binds the buttons inside of what the selector matches, now and later; without one, those of the page. */
    bind(scope?: unknown): void {
      run(() => {
        // Throws what is wrong with a selector, here and not at each click.
        if (typeof scope === "string") document.querySelector(scope);
        scopes.add(typeof scope === "string" || scope instanceof Element ? scope : document.documentElement);
        refresh();
      });
    },
  };
}
