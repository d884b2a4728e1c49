// A stand-in for a Shopify shop: pages of a theme, the cart, an app proxy and the Admin API, as far as the recipe uses them.
import { createHmac } from "node:crypto";
import { Liquid } from "liquidjs";
import { bodyOf, listen } from "./http.mjs";

export const APP_SECRET = "app secret";
export const ADMIN_TOKEN = "admin token";

/**
 * `theme` has files by path, `customers` their e-mail addresses by id. The cookie `customer` says who is logged in, and the
 * path of a page which snippet makes tokens. `shop.app` is the address behind the app proxy.
 */
export async function openShopify({ theme, customers, metafields }) {
  const cart = { attributes: {} };
  const shop = { cart, metafields, app: "", updates: [] };
  const partials = Object.entries(theme).filter(([path]) => path.startsWith("snippets/"));
  const templates = Object.fromEntries(partials.map(([path, text]) => [path.replace(/^snippets\/|\.liquid$/g, ""), text]));

  function render(text, request) {
    const id = customerOf(request);
    const customer = id ? { id: Number(id), email: customers[id] } : null;
    const globals = { cart, customer, shop: { metafields: shop.metafields } };
    const engine = new Liquid({ templates, globals, strictFilters: true });
    engine.registerFilter("hmac_sha256", (message, secret) => createHmac("sha256", secret).update(message).digest("hex"));
    return engine.parseAndRender(text);
  }

  async function updateCart(request) {
    const { attributes, sections } = JSON.parse(await bodyOf(request));
    Object.assign(cart.attributes, attributes);
    shop.updates.push(attributes);
    return { ...cart, sections: { [sections]: `<div class="shopify-section">${await render(theme[`sections/${sections}.liquid`], request)}</div>` } };
  }

  async function forward(request, path) {
    const body = await bodyOf(request);
    const answer = await fetch(`${shop.app}${path}?${signed({ logged_in_customer_id: customerOf(request) })}`, {
      method: request.method,
      headers: { "content-type": request.headers["content-type"] },
      body,
    });
    return [answer.status, await answer.text()];
  }

  async function admin(request) {
    if (request.headers["x-shopify-access-token"] !== ADMIN_TOKEN) return [401, "{}"];
    const { variables } = JSON.parse(await bodyOf(request));
    const emailAddress = customers[variables.id.replace("gid://shopify/Customer/", "")];
    return [200, JSON.stringify({ data: { customer: emailAddress ? { defaultEmailAddress: { emailAddress } } : null } })];
  }

  const server = await listen(async (request, response) => {
    const { url } = request;
    const send = (status, type, body) => response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(body);
    if (url === "/admin") return send(...json(await admin(request)));
    if (url === "/cart/update.js") return send(200, "application/json", JSON.stringify(await updateCart(request)));
    if (url.startsWith("/apps/wishbone/")) return send(...json(await forward(request, url.replace("/apps/wishbone", ""))));
    const layout = `<!doctype html><title>Shop</title>{% render '${url.slice(1)}' %}{% render 'wishbone' %}`;
    if (templates[url.slice(1)]) return send(200, "text/html", await render(layout, request));
    send(404, "text/plain", "");
  });
  return Object.assign(shop, { url: server.url, close: server.close });
}

/** A query as the app proxy signs it. */
export function signed(fields, secret = APP_SECRET) {
  const all = { shop: "shop.example", path_prefix: "/apps/wishbone", timestamp: Math.floor(Date.now() / 1000), ...fields };
  const message = Object.keys(all).sort().map((name) => `${name}=${all[name]}`).join("");
  return new URLSearchParams({ ...all, signature: createHmac("sha256", secret).update(message).digest("hex") });
}

const json = ([status, body]) => [status, "application/json", body];
const customerOf = ({ headers }) => headers.cookie?.match(/customer=(\d+)/)?.[1] ?? "";
