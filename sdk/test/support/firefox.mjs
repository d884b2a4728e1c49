// Firefox behind the part of Playwright's interface that the tests use. Playwright drives only its own build of Firefox;
// puppeteer drives any, over WebDriver BiDi.
import puppeteer from "puppeteer-core";
import { PATIENCE } from "./patience.mjs";

export async function launchFirefox() {
  const executablePath = process.env.WISHBONE_FIREFOX || "/usr/bin/firefox-esr";
  const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true, timeout: PATIENCE });
  return {
    newContext: async () => contextOf(await browser.createBrowserContext()),
    close: () => browser.close(),
  };
}

function contextOf(inner) {
  const context = {
    newPage: async () => pageOf(await inner.newPage(), context),
    close: () => inner.close(),
  };
  return context;
}

function pageOf(inner, context) {
  inner.setDefaultTimeout(PATIENCE);
  return {
    context: () => context,
    on: (name, listener) => inner.on(name, listener),
    addInitScript: (script) => inner.evaluateOnNewDocument(script),
    exposeFunction: (name, work) => inner.exposeFunction(name, work),
    goto: (address) => inner.goto(address),
    reload: () => inner.reload(),
    evaluate: (work, argument) => inner.evaluate(work, argument),
    waitForFunction: (work, argument) => inner.waitForFunction(work, {}, argument),
    close: () => inner.close(),
  };
}
