// Stands between a page and the real server, and fails on demand: the request does not arrive, the answer is lost or cut
// off, or another one is given.
import { request as send } from "node:http";
import { bodyOf, listen } from "./http.mjs";

const CORS = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };

/** `fault(call)` decides per call: "refuse", "lose" (the answer), [status, body, headers], a Promise, or nothing. */
export async function openProxy(target) {
  const calls = [];
  /** Responses that have begun and not ended, such as streams of live lists. */
  const open = new Set();
  const proxy = { calls, open, fault: () => undefined, target };
  const server = await listen(async (request, response) => {
    const body = await bodyOf(request);
    const forward = () => pass(proxy.target, request, body, response).catch(() => undefined);
    if (request.method !== "POST") return answer(response, await forward());
    const name = new URL(request.url, "http://any").pathname.replace("/api/v3/", "");
    const form = Object.fromEntries(new URLSearchParams(body));
    const call = { name, form, key: request.headers["idempotency-key"] };
    calls.push(call);
    const fault = await proxy.fault(call);
    if (fault === "refuse") return response.destroy();
    if (Array.isArray(fault)) return response.writeHead(fault[0], { ...CORS, ...fault[2] }).end(fault[1]);
    const given = await forward();
    if (fault === "lose") return given ? given.resume().once("close", () => response.destroy()) : response.destroy();
    if (response.destroyed) return;
    open.add(response);
    response.once("close", () => open.delete(response));
    answer(response, given);
  });
  const of = (name) => calls.filter((call) => call.name === name);
  /** Cuts off all responses that have not ended. */
  const cut = () => open.forEach((response) => response.destroy());
  return Object.assign(proxy, server, { of, cut });
}

function answer(response, given) {
  if (!given) return response.destroy();
  response.writeHead(given.statusCode, given.headers);
  given.once("close", () => given.complete || response.destroy());
  given.pipe(response);
}

function pass(target, { method, url, headers }, body, response) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const outgoing = send({ hostname, port, path: url, method, headers, agent: false }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
    // A page that has gone needs no answer.
    response.once("close", () => outgoing.destroy());
  });
}
