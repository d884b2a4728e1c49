import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { listen } from "./http.mjs";
import { PATIENCE } from "./patience.mjs";

const DIST = new URL("../../dist/", import.meta.url);

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** `more`: options of Playwright. */
export async function launch(more) {
  const executablePath = process.env.WISHBONE_CHROMIUM || "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ARGS, timeout: PATIENCE, ...more });
  return browser.on("context", (context) => context.setDefaultTimeout(PATIENCE));
}

/**
 * A shop: another origin than the Wishbone server, with pages that include the client script.
 * `visit` opens one in a fresh profile; give it a `context` to stay in the same one. Without `src` the script comes from
 * the shop itself.
 */
export async function openShop(browser) {
  let html = "";
  let policy = "";
  const server = await listen(async (request, response) => {
    const file = request.url.match(/^\/(wishbone(-\w+)?\.m?js)$/)?.[1];
    const isPage = /^\/(\?|$)/.test(request.url);
    const type = file ? "text/javascript" : "text/html";
    const headers = { "content-type": `${type}; charset=utf-8`, ...(policy && { "content-security-policy": policy }) };
    response.writeHead(isPage || file ? 200 : 404, headers);
    response.end(file ? await readFile(new URL(file, DIST)) : isPage ? html : "");
  });

  async function visit({ src = `${server.url}/wishbone.js`, attributes = {}, before = "", prepare, context, csp = "" }) {
    policy = csp;
    const pairs = Object.entries(attributes).map(([name, value]) => ` data-${name}="${escape(value)}"`);
    html = `<!doctype html><title>Shop</title>${before}<script src="${escape(src)}"${pairs.join("")}></script>`;
    const page = await (context || (await browser.newContext())).newPage();
    const uncaught = [];
    page.on("pageerror", (error) => uncaught.push(error.message));
    await page.addInitScript(recorder);
    if (prepare) await page.addInitScript(prepare);
    await page.goto(`${server.url}/`);
    return Object.assign(page, { uncaught });
  }
  return { visit, url: server.url, close: server.close };
}

/**
 * Makes one call in the page and reports everything its callbacks saw, also what came too early or too often.
 * `meanwhile` names a method of the client, and its arguments, to be called while the answer is still out.
 */
export function outcome(page, { global = "wishbone", method = "fetchUserLists", options, meanwhile } = {}) {
  return page.evaluate((call) => window.record(call), { global, method, options, meanwhile });
}

/** Runs in the page. */
function recorder() {
  const plain = (error) => ({
    isError: error instanceof Error,
    ...Object.fromEntries(
      ["name", "code", "message", "httpStatus", "requestId", "retryable"].map((key) => [key, error[key]]),
    ),
  });
  window.record = ({ global, method, options, meanwhile }) =>
    new Promise((resolve) => {
      const seen = [];
      let returned = false;
      const saw = (kind, value) => {
        seen.push({ kind, value, late: returned });
        // Stay a while: a second callback would come soon after the first.
        if (seen.length === 1) setTimeout(() => resolve({ seen, result: result?.constructor.name }), 150);
      };
      const args = options === undefined ? [] : [options];
      const result = window[global].wishlist[method](
        ...args,
        (value) => saw("success", value),
        (error) => saw("error", plain(error)),
      );
      returned = true;
      if (meanwhile) window[global][meanwhile[0]](...meanwhile.slice(1));
    });
}

export function escape(text) {
  return String(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
