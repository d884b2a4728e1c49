// The demo's start page as the server serves it: placeholders filled, its own content security policy. Its API calls go
// on to the real server, unless a test answers them in its place to show the page a failing or a hostile one.
import { readFile } from "node:fs/promises";
import { escape } from "./browser.mjs";
import { bodyOf, listen } from "./http.mjs";

const PAGE = new URL("../../../crates/server/src/demo/page/", import.meta.url);
const FILES = {
  "/demo/style.css": [new URL("style.css", PAGE), "text/css"],
  "/demo/page.js": [new URL("page.js", PAGE), "text/javascript"],
  "/demo/icon.svg": [new URL("icon.svg", PAGE), "image/svg+xml"],
  "/sdk/wishbone.js": [new URL("../../dist/wishbone.js", import.meta.url), "text/javascript"],
};

export async function openDemo(server) {
  const demo = { instead: null, calls: [] };
  // The real one, and under another address than it was made for: as if one typed localhost for 127.0.0.1.
  const policy = (await fetch(server.url)).headers.get("content-security-policy");
  if (!policy) throw new Error(`${server.url} is no demo: its page has no content security policy`);

  async function page() {
    const curls = "# One\ncurl 1\n\n# Two\ncurl 2";
    const values = { ...server, base: server.url, shopper: "ann@example.com", version: "0.0.0", curls };
    const html = await readFile(new URL("index.html", PAGE), "utf8");
    return html.replace(/\{\{(\w+)\}\}/g, (_, name) => {
      if (!(name in values)) throw new Error(`the server knows no {{${name}}}`);
      return escape(values[name]);
    });
  }

  async function api(request) {
    const body = await bodyOf(request);
    const operation = new URL(request.url, "http://any").pathname.split("/").pop();
    const form = Object.fromEntries(new URLSearchParams(body));
    demo.calls.push({ operation, form });
    const scripted = await demo.instead?.(operation, form);
    if (scripted) return scripted;
    const headers = { "content-type": request.headers["content-type"] };
    const answer = await fetch(server.url + request.url, { method: "POST", headers, body });
    return [answer.status, await answer.text()];
  }

  const http = await listen(async (request, response) => {
    const send = (status, type, body) =>
      response
        .writeHead(status, { "content-type": `${type}; charset=utf-8`, "content-security-policy": policy })
        .end(body);
    if (request.url === "/") return send(200, "text/html", await page());
    if (FILES[request.url]) return send(200, FILES[request.url][1], await readFile(FILES[request.url][0]));
    if (request.url.startsWith("/demo/mails")) {
      const scripted = demo.mails?.(request.url);
      if (scripted) return response.writeHead(200, scripted.headers).end(scripted.body);
      const answer = await fetch(server.url + request.url);
      // What arrives here is no longer compressed, nor as long as it was on its way.
      const { "content-encoding": _1, "content-length": _2, "transfer-encoding": _3, ...headers } = Object.fromEntries(answer.headers);
      return response.writeHead(answer.status, headers).end(await answer.text());
    }
    if (!request.url.startsWith("/api/")) return send(404, "text/plain", "");
    const [status, body] = await api(request);
    send(status, "application/json", typeof body === "string" ? body : JSON.stringify(body));
  });
  return Object.assign(demo, http);
}

export const refusal = [503, { status: "error", "error-code": "overloaded", "error-msg": "too much to do; try again" }];

export function listRecord(lid, more = {}) {
  return { lid, lname: `List ${lid}`, lty: "wl", cts: 0, uts: Date.now(), cnt: 0, ...more };
}

export function itemRecord(epi, more = {}) {
  const texts = { du: "", dt: `Item ${epi}`, iu: "", ct: "", vi: "" };
  return { id: `i${epi}`, lid: "l", epi, empi: epi, pr: 1, clbls: [], ...texts, ...more };
}

export const userLists = (...lists) => [200, { status: "success", data: lists }];

export function userList(list, items, next = null) {
  return [200, { status: "success", data: { ...list, listcontents: items }, pagination: { next } }];
}
