// Accessibility and layout of a page that a test has opened.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const SCREENS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
];

/** What axe-core finds in the page itself; a frame is checked as a page of its own. */
export async function faults(page, options = {}) {
  // Evaluated by the browser, not loaded by the page, whose content security policy would refuse it.
  await page.evaluate(axe);
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
