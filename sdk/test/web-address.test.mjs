// Addresses that the client hands to pages: of the web, absolute, and harmless wherever a page puts them.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { launch } from "./support/browser.mjs";
import { source } from "./support/source.mjs";

const { read, webAddress } = await source("transport", "web-address");
const SRC = new URL("../src/", import.meta.url);
let browser;

before(async () => {
  globalThis.document = { baseURI: "https://shop.example/collections/all" };
  browser = await launch();
});

after(() => browser?.close());

/** What a stranger may have saved as the address of a product. */
const HOSTILE = [
  "javascript:run()",
  " JavaScript:run()",
  "java\tscript:run()",
  "\u0001javascript:run()",
  "javascript&colon;run()",
  "javascript&#58;run()",
  "&#x6a;avascript:run()",
  "javascript&amp;colon;run()",
  "data:text/html,<script>run()</script>",
  'https://evil.example/"onmouseover="run()"',
  "https://evil.example/'onmouseover='run()'",
  "https://evil.example/?'-run()-'",
  "https://evil.example/?a&apos;-run()-&apos;",
  "https://evil.example/?a&#39;-run()-&#39;",
  "https://evil.example/?a&quot;-run()-&quot;",
  "https://evil.example/?a&quot-run()-&quot",
  "https://evil.example/#`${run()}`",
  "https://evil.example/?a\\",
  "https://evil.example/#</a><script>run()</script>",
  "https://evil.example/?a)}</style><img src=x onerror=run()>",
  "https://evil.example/?{{constructor.constructor('run()')()}}",
  "https://evil&sol;.example/",
  "https://user&colon;x@evil.example/",
];

test("only addresses of the web are given, absolute", () => {
  const given = {
    "https://shop.example/p/1?a=1&b=2#top": "https://shop.example/p/1?a=1&b=2#top",
    "/products/x": "https://shop.example/products/x",
    "products/x": "https://shop.example/collections/products/x",
    "//cdn.example/a b.png": "https://cdn.example/a%20b.png",
    " HTTPS://SHOP.example/ü\n": "https://shop.example/%C3%BC",
    "https://shop.example/?filter.v.price=1&filter[]=x&utm_source=a;b": "https://shop.example/?filter.v.price=1&filter[]=x&utm_source=a;b",
    "https://shop.example/it's (new)": "https://shop.example/it%27s%20%28new%29",
  };
  for (const [value, address] of Object.entries(given)) assert.equal(webAddress(value), address);
  for (const none of [undefined, null, "", 0, "http://[", "ftp://shop.example/", "blob:https://shop.example/1", "mailto:a@b.example"]) {
    assert.equal(webAddress(none), "");
  }
  for (const value of [...HOSTILE, ...Object.keys(given)]) {
    const address = webAddress(value);
    assert.match(address, /^(https?:\/\/[\w.~:/?#[\]@!$*+,;=%&-]+)?$/, value);
    assert.equal(webAddress(address), address, "the same again");
  }
});

test("they are harmless in every place of a page's markup", async () => {
  const page = await browser.newPage();
  const addresses = HOSTILE.map(webAddress).filter(Boolean);
  assert.ok(addresses.length > 12);
  const outcome = await page.evaluate(async (addresses) => {
    let ran = 0;
    window.run = () => (ran += 1);
    const found = [];
    for (const it of addresses) {
      document.body.innerHTML =
        `<a href="${it}">a</a><a href='${it}'>b</a><a href=${it}>c</a><p>${it}</p><p style="background: url(${it})">d</p>` +
        `<button onclick="window.last = '${it}'">e</button><button onclick='window.last = "${it}"'>f</button><b>end</b>`;
      for (const link of document.links) found.push(link.protocol, link.getAttributeNames().join());
      for (const button of document.querySelectorAll("button")) {
        window.last = "not set";
        button.click();
        found.push(new URL(window.last).protocol, button.getAttributeNames().join());
      }
      found.push(document.body.children.length, document.querySelectorAll("script, img").length);
    }
    return [ran, [...new Set(found)].sort()];
  }, addresses);
  assert.deepEqual(outcome, [0, [0, 8, "href", "https:", "onclick"]]);
});

test("every record of every answer has such ones, and custom fields are left alone", () => {
  const record = { epi: 1, du: "javascript&colon;run()", iu: "data:x", cprops: { du: "as it was" } };
  const answer = {
    status: "success",
    data: [{ lid: "l", lprops: { iu: "as it was" }, listcontents: [record] }],
    anything: { added: { tomorrow: [[record], { ...record, du: "/p/1", iu: null }] } },
  };
  const clean = { ...record, du: "https://shop.example/collections/javascript%26colon;run%28%29", iu: "" };
  const given = read({ base: "", accepts: () => true }, { httpStatus: 200, requestId: "", text: JSON.stringify(answer) });
  assert.deepEqual(given, {
    status: "success",
    data: [{ lid: "l", lprops: { iu: "as it was" }, listcontents: [clean] }],
    anything: { added: { tomorrow: [[clean], { ...clean, du: "https://shop.example/p/1" }] } },
  });
});

test("no other part of the client calls a server, parses addresses or writes markup by itself", async () => {
  const rules = {
    // The transport; events of live lists, which have no addresses; the shop's own cart and products.
    "await fetch\\(\\w+, \\{": ["legacy/shop.ts", "live/stream.ts", "transport.ts"],
    "\\.protocol\\b": ["web-address.ts"],
    "setAttribute\\(name": ["elements/dom.ts"],
    "innerHTML|insertAdjacentHTML|document\\.write|outerHTML =": [],
    "\\.(href|src) = ": [],
  };
  const files = (await readdir(SRC, { recursive: true })).filter((name) => name.endsWith(".ts"));
  assert.ok(files.length > 60);
  for (const [rule, allowed] of Object.entries(rules)) {
    const found = [];
    for (const name of files) if (new RegExp(rule).test(await readFile(new URL(name, SRC), "utf8"))) found.push(name);
    assert.deepEqual(found.sort(), allowed, rule);
  }
});
