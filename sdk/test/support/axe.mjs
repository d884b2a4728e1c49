// Accessibility and layout of a page that a test has opened.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { progress } from "./progress.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const SCREENS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
];

/** Calls `use` in the page with its animations, those in shadow trees too: `document.getAnimations()` leaves them out. */
const withAnimations = (page, use) =>
  page.evaluate(`(${use})((${(root) => {
    const all = [];
    const visit = (root) => {
      all.push(...root.getAnimations());
      for (const element of root.querySelectorAll("*")) if (element.shadowRoot) visit(element.shadowRoot);
    };
    visit(root);
    return all;
  }})(document))`);

/** How many animations run in the page. */
export const animations = (page) => withAnimations(page, (all) => all.length);

/** Waits for the animations that end by themselves. */
const rests = (page) => withAnimations(page, (all) => Promise.allSettled(all.filter((one) => one.effect.getTiming().iterations === 1).map((one) => one.finished)).then(() => {}));

/** What axe-core finds in the page itself at rest: animations change colours. A frame is checked as a page of its own. */
export async function faults(page, options = {}) {
  await rests(page);
  // Evaluated by the browser, not loaded by the page, whose content security policy would refuse it.
  await page.evaluate(axe);
  progress(`in axe-core on ${page.url()}`);
  const { violations } = await page.evaluate((options) => window.axe.run({ exclude: ["iframe"] }, options), options);
  return violations.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0].html.slice(0, 200)}`);
}

/** Elements that widen the page, if it is wider than the screen. */
export function tooWide(page) {
  return page.evaluate(() => {
    const wide = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= wide) return [];
    const reach = (element) => Math.round(element.getBoundingClientRect().right);
    const far = [...document.body.querySelectorAll("*")].filter((element) => reach(element) > wide);
    far.sort((a, b) => reach(b) - reach(a));
    return far.slice(0, 5).map((element) => `${element.tagName}.${element.className} reaches ${reach(element)} of ${wide}`);
  });
}
