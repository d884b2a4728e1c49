import { run } from "./call";
import type { Context } from "./context";
import { productReader } from "./products";
import { knownVariants } from "./variants";

const BUTTON = '[data-swaction="addToWishlist" i]';
// Frameworks that render a button anew write its class as they know it.
const ATTRIBUTES = ["class", "data-swaction", "data-product-id", "data-variant-id", "data-product-url", "data-with-epi"];

/** Buttons of the theme's markup: a click adds or removes the product, and a class tells what it is. */
export function actionButtons(context: Context) {
  const { api, lower } = context;
  const added = `${lower}-added`;
  const variants = knownVariants(context);
  const productOf = productReader(context, variants);
  const scopes = new Set<string | Element>();

  const isBound = (button: Element) =>
    [...scopes].some((scope) => (typeof scope === "string" ? button.closest(scope) : scope.contains(button)));
  const bound = () => [...document.querySelectorAll<HTMLElement>(BUTTON)].filter(isBound);

  /** What the shopper wanted last, of variants whose change still waits for the network; these become known too. */
  function waiting(): Map<string, boolean> {
    const wanted = new Map<string, boolean>();
    for (const { name, args } of api.queued()) {
      if (name !== "items.add" && name !== "items.remove") continue;
      const { items = args } = args as any;
      const changed = [items].flat();
      for (const { epi } of changed) wanted.set(String(epi), name === "items.add");
      variants.learn(changed);
    }
    return wanted;
  }

  const wishlistsWith = (epi: string) => api.items.contains({ epis: epi, lty: "wl" });

  /** What the class of each button says of its state. */
  const shown = new WeakMap<Element, boolean>();

  function show(button: Element, isAdded: boolean): void {
    shown.set(button, isAdded);
    button.classList.toggle(added, isAdded);
  }

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
        const { ofProduct, epis } = about;
        const showState = () => {
          const states = epis().map(async (epi) => wanted.get(epi) ?? (await wishlistsWith(epi)).length > 0);
          // Without an answer, what is shown stays.
          Promise.all(states).then((all) => mine === turn && show(button, all.includes(true)), () => {});
        };
        const count = epis().length;
        showState();
        if (ofProduct) variants.load().then(() => epis().length > count && showState(), () => {});
      }
    });
  }

  const fail = (error: Error) => api["ui"].showErrorNotification({ message: error.message });

  /** Where the variants are; undefined if the server cannot say. */
  async function placesOf(epis: string[]): Promise<Array<{ epi: string; lid: string }> | undefined> {
    const placesOf = async (epi: string) => (await wishlistsWith(epi)).map((lid) => ({ epi, lid }));
    return Promise.all(epis.map(placesOf)).then((all) => all.flat(), () => undefined);
  }

  async function toggle(button: HTMLElement): Promise<void> {
    const about = productOf(button);
    if (!about) throw new Error(`The button has no variant. Add data-variant-id, or fill ViewProducts: ${button.outerHTML}`);
    const { product, ofProduct, epis } = about;
    const wanted = waiting();
    const queued = epis().filter((epi) => wanted.has(epi));
    // What waits to be added is in no list yet, and will be in the default one.
    const coming = queued.filter((epi) => wanted.get(epi)).map((epi) => ({ epi }));
    if (ofProduct && queued.length === 0) await variants.load().catch(() => {});
    const places = queued.length > 0 ? coming : await placesOf(epis());
    const isAdded = places ? places.length > 0 : button.classList.contains(added);
    if (isAdded) {
      for (const place of places || [{}]) api["removeFromWishList"]({ ...product, ...place }, undefined, fail);
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

  const hasButton = (node: Node) => node instanceof Element && (node.matches(BUTTON) || node.querySelector(BUTTON));
  const isAbout = ({ addedNodes, attributeName, target }: MutationRecord): boolean => {
    if (!attributeName) return [...addedNodes].some(hasButton);
    const button = target as Element;
    return button.matches(BUTTON) && (attributeName !== "class" || shown.get(button) !== button.classList.contains(added));
  };
  const observed = { childList: true, subtree: true, attributeFilter: ATTRIBUTES };
  new MutationObserver((changes) => changes.some(isAbout) && refresh()).observe(document, observed);

  // Another tab has queued a change, or has taken it back; without a network, no event tells of it.
  addEventListener("storage", ({ key }) => /^wishbone\.queue /.test(key || "") && refresh());

  // A change that failed is undone, but a question that failed must not be asked again because of that.
  api.on("*", ({ name }) => !/^(items\.contains|lists\.fetch)$/.test(name) && refresh());

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
