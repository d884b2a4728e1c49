// Processor time of the page's main thread that the script takes while a listing page with 60 hearts loads, from the browser's own
// trace. Prints medians of several loads, each in a fresh profile. Run it on a quiet machine: npm run bench
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { launch } from "../test/support/browser.mjs";
import { listen } from "../test/support/http.mjs";

const LOADS = 15;
const HEARTS = 60;
const SCRIPT = /\/sdk\/wishbone[\w-]*\.m?js/;
const program = process.env.WISHBONE_TEST_PROGRAM;
if (!program) {
  console.error("WISHBONE_TEST_PROGRAM is not set. Build with `cargo build --release`, and set it to target/release/wishbone.");
  process.exit(1);
}

const demo = spawn(program, ["demo", "--listen", "127.0.0.1:0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
const { url, pid } = await new Promise((resolve, reject) => {
  createInterface(demo.stdout).once("line", (line) => resolve(JSON.parse(line)));
  demo.once("exit", (code) => reject(new Error(`wishbone demo exited with ${code}.`)));
});

const cards = Array.from({ length: HEARTS }, (_, index) => {
  const epi = 100101 + index * 100;
  return `<li><wishbone-heart epi="${epi}" empi="${1001 + index}" du="${url}/demo/products/${index}"></wishbone-heart> Product ${index}</li>`;
});
const pages = {
  "without the script": "",
  "the script": `<script src="${url}/sdk/wishbone.js" data-store="${pid}"></script>`,
  "the script, with 60 hearts": `<script src="${url}/sdk/wishbone.js" data-store="${pid}" data-load="elements"></script>`,
};
const shop = await listen((request, response) => {
  const script = pages[decodeURIComponent(request.url.slice(1))] ?? "";
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>Shop</title>${script}<ul>${cards.join("")}</ul>`);
});

const browser = await launch();
const results = new Map(Object.keys(pages).map((name) => [name, []]));
try {
  for (let load = 0; load < LOADS; load += 1) {
    // Interleaved, so that all pages meet the same machine.
    for (const name of results.keys()) results.get(name).push(await measure(`${shop.url}/${encodeURIComponent(name)}`));
  }
} finally {
  await browser.close();
  await shop.close();
  demo.kill();
}

console.log(`Medians of ${LOADS} loads, in milliseconds of the main thread.\n`);
console.log("page                        script    longest task   blocking (above 50 ms)");
for (const [name, loads] of results) {
  const column = (key) => median(loads.map((load) => load[key])).toFixed(1);
  console.log(`${name.padEnd(28)}${column("script").padEnd(10)}${column("longest").padEnd(15)}${column("blocking")}`);
}

async function measure(address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  const categories = ["devtools.timeline", "toplevel", "v8", "disabled-by-default-v8.compile"];
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: categories } });
  await page.goto(address);
  await page.waitForLoadState("networkidle");
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  await context.close();
  return evaluate(events, new URL(address).href);
}

function evaluate(events, address) {
  // The thread that parsed the page.
  const { pid, tid } = events.find(({ name, args }) => name === "ParseHTML" && args.beginData?.url === address);
  const spans = events.filter((event) => event.pid === pid && event.tid === tid && event.ph === "X" && event.dur);
  spans.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const tasks = spans.filter(({ name }) => /RunTask$/.test(name)).map(({ dur }) => dur / 1_000);
  let script = 0;
  let end = 0;
  for (const { ts, dur, tdur, args } of spans) {
    const source = args?.data?.url || args?.fileName || "";
    // Calls within calls are counted once.
    if (!SCRIPT.test(source) || ts < end) continue;
    // Time of the processor: on a busy machine the thread also waits for one.
    script += (tdur ?? dur) / 1_000;
    end = ts + dur;
  }
  const blocking = tasks.reduce((sum, dur) => sum + Math.max(dur - 50, 0), 0);
  return { script, longest: Math.max(0, ...tasks), blocking };
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
