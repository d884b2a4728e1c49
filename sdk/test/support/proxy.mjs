// Stands between a page and the real server, and fails on demand: the request does not arrive, the answer is lost, or
// another one is given.
import { request as send } from "node:http";
import { bodyOf, listen } from "./http.mjs";

const CORS = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" };

/** `fault(call)` decides per call: "refuse", "lose" (the answer), [status, body, headers], a Promise, or nothing. */
export async function openProxy(target) {
  const calls = [];
  const proxy = { calls, fault: () => undefined, target };
  const server = await listen(async (request, response) => {
    const body = await bodyOf(request);
    const forward = () => pass(proxy.target, request, body);
    if (request.method !== "POST") return answer(response, await forward().catch(() => undefined));
    const name = new URL(request.url, "http://any").pathname.replace("/api/v3/", "");
    const form = Object.fromEntries(new URLSearchParams(body));
    const call = { name, form, key: request.headers["idempotency-key"] };
    calls.push(call);
    const fault = await proxy.fault(call);
    if (fault === "refuse") return response.destroy();
    if (Array.isArray(fault)) return answer(response, { status: fault[0], body: fault[1], headers: { ...CORS, ...fault[2] } });
    const given = await forward().catch(() => undefined);
    answer(response, fault === "lose" ? undefined : given);
  });
  const of = (name) => calls.filter((call) => call.name === name);
  return Object.assign(proxy, server, { of });
}

function answer(response, given) {
  if (!given) return response.destroy();
  response.writeHead(given.status, given.headers).end(given.body);
}

function pass(target, { method, url, headers }, body) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const outgoing = send({ hostname, port, path: url, method, headers, agent: false }, async (incoming) => {
      const chunks = [];
      for await (const chunk of incoming) chunks.push(chunk);
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
