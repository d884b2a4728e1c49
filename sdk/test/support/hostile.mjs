import { bodyOf, listen } from "./http.mjs";

const CORS = { "access-control-allow-origin": "*" };
const JSON_TYPE = { ...CORS, "content-type": "application/json" };

const reply = (status, headers, body) => (response) => response.writeHead(status, headers).end(body);
const json = (body) => reply(200, JSON_TYPE, body);

export const SLOW_REGISTRATION = 1000;
const REGISTERED = '{"regid":"guest","sessionid":"session-1"}';

/** Ways a server, or what stands before it, can fail. The first part of the path chooses one. */
const failures = {
  "html-with-200": reply(200, { ...CORS, "content-type": "text/html" }, "<!doctype html><h1>Welcome to the Wi-Fi</h1>"),
  "html-with-502": reply(502, { ...CORS, "content-type": "text/html" }, "<h1>Bad gateway</h1>"),
  "broken-json": json('{"status":"success","data":['),
  "empty-200": json(""),
  "null": json("null"),
  "empty-object": json("{}"),
  "array": json("[]"),
  "data-missing": json('{"status":"success"}'),
  "data-no-array": json('{"status":"success","data":{"lid":"x"}}'),
  "data-of-nulls": json('{"status":"success","data":[null]}'),
  "success-without-status": json('{"data":[]}'),
  "no-content": reply(204, CORS),
  "empty-500": reply(500, CORS),
  "null-401": reply(401, JSON_TYPE, "null"),
  "no-cors": reply(200, { "content-type": "application/json" }, '{"status":"success","data":[]}'),
  "reset": (response) => response.destroy(),
  "cut-short": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" }).write('{"status":"success","data":[');
    setTimeout(() => response.destroy(), 30);
  },
  "hangs": () => {},
  "hangs-in-the-body": (response) => response.writeHead(200, JSON_TYPE).write('{"status":'),
  "refuses-every-guest": (response, path) =>
    path.endsWith("/provider/register")
      ? json(REGISTERED)(response)
      : reply(401, JSON_TYPE, '{"status":"error","error-code":"bad-regid","error-msg":"unknown regid"}')(response),
  "hangs-after-a-slow-registration": (response, path) => {
    if (path.endsWith("/provider/register")) setTimeout(() => json(REGISTERED)(response), SLOW_REGISTRATION);
  },
  "register-nonsense": (response, path) => json(path.endsWith("/provider/register") ? "{}" : "null")(response),
};

export async function openHostile() {
  const requests = [];
  const server = await listen(async (request, response) => {
    const [, failure] = request.url.split("/");
    const path = new URL(request.url, "http://any").pathname;
    const { url, method, headers } = request;
    requests.push({ path, url, method, headers, body: await bodyOf(request) });
    (failures[failure] || failures["empty-500"])(response, path);
  });
  return { ...server, requests };
}
