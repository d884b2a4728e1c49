import { run } from "./call";
import { type Context, own } from "./context";
import { type Emit, JSEvents } from "./events";
import { placedButtons, showText } from "./placed";
import { noVariant, productReader } from "./products";
import { isId, knownVariants } from "./variants";
import { watchPress } from "./watch";

const BUTTON = '[data-swaction="addToWishlist" i]';
const WATCH = '[data-swaction="addToWatchlist" i]';
// Frameworks that render a button anew write its class as they know it.
const ATTRIBUTES = ["class", "data-swaction", "data-product-id", "data-variant-id", "data-product-url", "data-with-epi"];

/** Buttons of the theme's markup: a click adds or removes the product, and a class tells what it is. */
export function actionButtons(context: Context, emit: Emit) {
  const { api, lower, page } = context;
  const added = `${lower}-added`;
  const loaded = `${lower}-loaded`;
  const variants = knownVariants(context);
  const productOf = productReader(context, variants);
  /** What themes call their buttons. */
  const selectors = new Set([BUTTON]);
  /** The buttons that have been bound, and what the class of each says of its state. */
  const shown = new WeakMap<Element, boolean>();
  let isUsed = false;

  const anyOf = () => [...selectors].join();
  const bound = () => [...document.querySelectorAll<HTMLElement>(anyOf())].filter((one) => shown.has(one));

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

  function show(button: Element, isAdded: boolean): void {
    shown.set(button, isAdded);
    button.classList.toggle(added, isAdded);
    showText(api, button, isAdded);
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;

  /** Shows anew what all buttons are; the questions of one moment are one request. */
  function refresh(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const mine = (turn += 1);
      const wanted = waiting();
      const unknown: HTMLElement[] = [];
      for (const button of bound()) {
        const about = productOf(button);
        if (!about) {
          if (button.dataset["productUrl"]) unknown.push(button);
          continue;
        }
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
      // What the page does not say, the wishlists may.
      if (unknown.length > 0) variants.load().then(() => unknown.some(productOf) && refresh(), () => {});
    });
  }

  const fail = (error: Error) => api["ui"].showErrorNotification({ message: error.message });

  /** Where the variants are; undefined if the server cannot say. */
  async function placesOf(epis: string[]): Promise<Array<{ epi: string; lid: string }> | undefined> {
    const placesOf = async (epi: string) => (await wishlistsWith(epi)).map((lid) => ({ epi, lid }));
    return Promise.all(epis.map(placesOf)).then((all) => all.flat(), () => undefined);
  }

  /** What the button is about; where the page does not say, the shop does. */
  async function aboutOf(button: HTMLElement) {
    const { productUrl } = button.dataset;
    const known = productOf(button);
    if (known || !productUrl) return known;
    api["mapShopifyProducts"]([await api["getProductDetails"]({ du: productUrl })]);
    return productOf(button);
  }

  async function toggle(button: HTMLElement): Promise<void> {
    const about = await aboutOf(button);
    if (!about) throw new Error(noVariant(button));
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
    const button = event.currentTarget as HTMLElement;
    // A theme that takes its button over takes its attribute away.
    if (!button.matches(anyOf())) return;
    event.preventDefault();
    decided = decided.then(() => toggle(button)).catch((error) => console.error(error));
  }

  const pressWatch = watchPress(context, productOf);

  /** Binding twice is binding once. A clone of a bound button is not bound, even though it has its class. */
  function bindOne(button: Element, work: (event: Event) => void): void {
    if (work === press && !shown.has(button)) shown.set(button, button.classList.contains(added));
    button.classList.add(loaded);
    button.addEventListener("click", work);
  }

  const { fillBars, ...cards } = placedButtons(context, (button) => bindOne(button, press));

  const isAbout = ({ attributeName, target }: MutationRecord): boolean => {
    const button = target as Element;
    if (!shown.has(button)) return false;
    // To add it where it is there would be a change too, and be observed again.
    if (!button.classList.contains(loaded)) button.classList.add(loaded);
    return attributeName !== "class" || shown.get(button) !== button.classList.contains(added);
  };
  const observed = { subtree: true, attributeFilter: ATTRIBUTES };
  new MutationObserver((changes) => changes.filter(isAbout).length > 0 && refresh()).observe(document, observed);

  // Another tab has queued a change, or has taken it back; without a network, no event tells of it.
  addEventListener("storage", ({ key }) => /^wishbone\.queue /.test(key || "") && refresh());

  // A change that failed is undone, but a question that failed must not be asked again because of that.
  api.on("*", ({ name }) => !/^(items\.contains|lists\.fetch)$/.test(name) && refresh());

  /**
   * Binds the buttons that are now inside of what the selector matches; without one, those of the page. Of those that come
   * later, themes either say so with another call, or they have listeners of the theme.
   */
  function bind(scope?: unknown, selector?: unknown): void {
    isUsed = true;
    run(() => {
      const named = typeof selector === "string" && selector ? selector : BUTTON;
      const one = scope instanceof Element ? scope : document;
      const within = typeof scope === "string" ? [...document.querySelectorAll(scope)] : [one];
      const inside = (what: string) =>
        within.flatMap((one) => [one, ...one.querySelectorAll(what)] as Element[]).filter((one) => one.matches?.(what));
      fillBars();
      inside(named).forEach((one) => bindOne(one, press));
      inside(WATCH).forEach((one) => bindOne(one, pressWatch));
      selectors.add(named);
      refresh();
    });
    // The rest of the page's own markup is not "later".
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => bind(scope, selector));
  }

  return {
    bind,
    ...cards,

    /** True once a theme has said where its buttons are. */
    isUsed: () => isUsed,

    /** The shopper has chosen this variant: the buttons of its product are about it, unless one of them always is. */
    showVariant(given: unknown): void {
      const epi = String(given);
      if (!isId(epi)) return;
      const variant = own(page("ProductVariants"), epi);
      const all = bound().map((button) => ({ button, about: productOf(button) }));
      const known = all.find(({ about }) => about?.epis().includes(epi))?.about?.product["empi"];
      const empi = String(variant?.empi || known || page("PageData")["empi"]);
      const mine = all.filter(({ about }) => String(about?.product["empi"]) === empi).map(({ button }) => button.dataset);
      if (!mine.some(({ variantId }) => variantId === epi)) mine.forEach((data) => (data["variantId"] = epi));
      const ids = { epi: Number(epi), empi: Number(empi) };
      emit(JSEvents.variantChanged, { ...variant, ...ids, variant: { id: ids.epi }, product: { id: ids.empi } });
      refresh();
    },
  };
}
