// Pages with custom elements, on top of the fixture.
import { escape } from "./browser.mjs";
import { openFixture } from "./fixture.mjs";
import { until } from "./patience.mjs";

/** As strict as a policy can be that still loads the script, calls the server and shows pictures. */
export const strict = (server, shop) =>
  `default-src 'none'; script-src ${shop}; connect-src ${server}; img-src https: http:; ` +
  "style-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

const TITLES = ["Desk lamp", "Linen shirt", "Oak stool", "Wool throw", "Stoneware mug", "Brass hook"];

/** What the shop says about a variant. */
export function record(epi) {
  return {
    epi,
    empi: 1000 + epi,
    du: `https://shop.example/products/${epi}`,
    dt: TITLES[epi % 6],
    vi: epi % 2 ? "Natural" : "",
    iu: `https://shop.example/pictures/${epi}.svg`,
    pr: 19.5 + epi,
  };
}

/** The attributes of an element about a product. */
export function product(epi, more = {}) {
  return Object.entries({ ...record(epi), ...more })
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(" ");
}

export async function openElements(...features) {
  const shop = await openFixture(...features);
  let shoppers = 0;

  /** A logged-in shopper with these variants on the default wishlist, the last one newest. */
  async function newShopper(epis = [], list = "My Wishlist") {
    const email = `shopper-${(shoppers += 1)}@example.com`;
    const shopper = await shop.shopper(email);
    if (epis.length > 0) await fill({ ...shopper, list }, epis);
    return { ...shopper, email };
  }

  /** Makes a list with these variants, as another device of the shopper. */
  async function fill({ list: lname, ...shopper }, epis, more) {
    const { lid } = await shop.call(shopper, "lists/create", { lname });
    await shop.call(shopper, "lists/update-ctx", { lid, a: epis.map((epi) => ({ ...record(epi), ...more })) });
    return lid;
  }

  /** A shopper with a list of these variants, and the key of its share link. */
  async function newSharer(epis, more) {
    const shopper = await newShopper();
    const lid = await fill({ ...shopper, list: "Ann's <b>birthday</b>" }, epis, more);
    const { link } = await shop.call(shopper, "lists/share-links/create", { lid });
    return { shopper, lid, key: link.key };
  }

  /** Opens a page with this content and the elements, as a guest unless a shopper is given. */
  async function open(html, { shopper, ...options } = {}) {
    shop.proxy.calls.length = 0;
    shop.proxy.fault = () => undefined;
    const { regid, sessionid } = shopper || {};
    const attributes = { load: "elements", ...(shopper && { regid, sessionid }), ...options.attributes };
    const page = await shop.visit({ ...options, attributes, before: `${options.head || ""}<main>${html}</main>` });
    await page.evaluate(() => customElements.whenDefined("wishbone-heart"));
    return page;
  }

  /** Waits until the page's shopper has exactly these variants on wishlists, as another device sees it. */
  async function has(page, epis) {
    const wanted = JSON.stringify([...epis].sort());
    let found;
    const holds = async () => {
      const shopper = await page.evaluate(() => wishbone.shopper.current());
      const lists = shopper ? await shop.lists(shopper) : [];
      found = JSON.stringify(lists.filter(({ lty }) => lty === "wl").flatMap((list) => list.epis).sort());
      return found === wanted;
    };
    await until(holds, () => `the wishlists have ${found}, not ${wanted}`);
  }

  return Object.assign(shop, { newShopper, newSharer, fill, open, has });
}

/** Presses one of the options of a list in the drawer, such as "Rename". */
export async function chooseOption(drawer, option, list) {
  await drawer.getByRole("button", { name: `Options: ${list}` }).click();
  await drawer.getByRole("button", { name: `${option}: ${list}` }).click();
}

/** The name of what has the focus. */
export const focused = (page) =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.getAttribute("aria-label") || at?.textContent || at?.name;
  });
