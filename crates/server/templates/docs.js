
const search = document.getElementById("search");
const nothing = document.getElementById("nothing");
const texts = new Map();
for (const article of document.querySelectorAll("article")) texts.set(article, article.textContent.toLowerCase());
search.hidden = false;

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const [article, text] of texts) {
    const fits = words.every((word) => text.includes(word));
    article.hidden = !fits;
    const link = document.querySelector(`nav a[href="#${article.id}"]`);
    if (link) link.hidden = !fits;
    if (fits) found += 1;
  }
  for (const link of document.querySelectorAll("nav .introductory a")) link.hidden = words.length > 0;
  for (const group of document.querySelectorAll(".group")) group.hidden = !group.querySelector("article:not([hidden])");
  for (const group of document.querySelectorAll("nav details")) group.hidden = words.length > 0 && !group.querySelector("a[href]:not([hidden])");
  document.querySelector(".introduction").hidden = words.length > 0;
  nothing.hidden = found > 0;
}

search.addEventListener("input", () => {
  filter();
  // Results begin at the top, wherever the reader was.
  scrollTo(0, 0);
});
// The target of a link can be hidden by the search.
addEventListener("hashchange", () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target && target.closest("[hidden]")) {
    search.value = "";
    filter();
    target.scrollIntoView();
  }
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.matches("input, textarea")) {
    event.preventDefault();
    search.focus();
  }
});

// On a narrow screen the contents come before the text, so they start collapsed.
if (matchMedia("(max-width: 55rem)").matches) {
  for (const details of document.querySelectorAll("nav details")) details.open = false;
}

for (const pre of document.querySelectorAll("pre:not(.sample)")) {
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "code";
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  const title = pre.closest("article")?.querySelector("h3").textContent ?? "variables";
  button.setAttribute("aria-label", `Copy: ${title}`);
  button.addEventListener("click", async () => {
    const text = pre.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // The clipboard requires HTTPS or localhost.
      getSelection().selectAllChildren(pre);
      button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl+C";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  pre.replaceWith(frame);
  frame.append(pre, button);
}

// ---- Requests from the page, with the reader's own keys. Those are in these fields only, and gone with the page. ----

const TIMEOUT = 15_000;
const MAX_SHOWN = 200_000;
const keys = document.getElementById("keys");
keys.hidden = false;

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function field({ name, place, required, example }) {
  const isLong = place === "body";
  const input = element(isLong ? "textarea" : "input", { name, value: example || "", required: required !== undefined, autocomplete: "off", spellcheck: false });
  input.dataset.place = place;
  // What the reader has entered above goes into every form that is opened later.
  const key = keys.elements[name];
  if (key?.value) input.value = key.value;
  return element("label", { className: isLong ? "wide" : "" }, isLong ? "Request body" : `${name}${input.required ? " *" : ""}`, input);
}

/** The request that a filled form describes. Empty fields are left out. */
function requestOf(form, { method, path, auth }) {
  const filled = [...form.elements].filter((input) => input.dataset.place && input.value);
  const at = (place) => filled.filter((input) => input.dataset.place === place).map(({ name, value }) => [name, value]);
  const url = new URL(location.pathname.replace(/\/docs\/?$/, "") + path, location.origin);
  url.search = new URLSearchParams(at("query"));
  const headers = new Headers(at("header"));
  const { pid, apikey } = Object.fromEntries(new FormData(keys));
  if (auth !== undefined) headers.set("authorization", `Basic ${btoa(`${pid}:${apikey}`)}`);
  const [json] = at("body");
  if (json) headers.set("content-type", "application/json");
  const body = method === "POST" ? (json ? json[1] : new URLSearchParams(at("form"))) : undefined;
  // Without credentials the browser asks for no password of its own.
  return [url, { method, headers, body, credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) }];
}

/** The text of a response, as far as it is shown. A stream of events ends with the time that a request may take. */
async function textOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let part = await reader.read(); !part.done && text.length <= MAX_SHOWN; part = await reader.read()) text += part.value;
  } catch (error) {
    if (!text) throw error;
  }
  reader.cancel().catch(() => {});
  if (text.length > MAX_SHOWN) return `${text.slice(0, MAX_SHOWN)}…`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form, operation, output, button) {
  const pre = element("pre", { className: "sample", tabIndex: 0 });
  const show = (title, text) => {
    pre.textContent = text;
    output.replaceChildren(element("h4", { textContent: title }), pre);
  };
  button.disabled = true;
  const start = performance.now();
  try {
    const response = await fetch(...requestOf(form, operation));
    const text = await textOf(response);
    show(`${response.status} ${response.statusText}, ${Math.round(performance.now() - start)} ms`, text);
  } catch (error) {
    show("No response", error.name === "TimeoutError" ? `The server did not respond within ${TIMEOUT / 1_000} seconds.` : error.message);
  }
  button.disabled = false;
}

for (const details of document.querySelectorAll(".try")) {
  details.hidden = false;
  const { dataset } = details;
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("form")) return;
    const described = [...details.closest("article").querySelectorAll(".fields > [data-name]")].map((row) => ({ ...row.dataset }));
    if (dataset.body !== undefined) described.push({ name: "body", place: "body", example: dataset.body, required: "" });
    const button = element("button", { className: "send", textContent: "Send request" });
    const output = element("output", {});
    const form = element("form", {}, ...described.map(field), element("div", { className: "wide" }, button));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form, dataset, output, button);
    });
    details.append(form, output);
  });
}

// Forms that are open follow what is entered.
keys.addEventListener("submit", (event) => event.preventDefault());
keys.addEventListener("input", ({ target: { name, value } }) => {
  for (const input of document.querySelectorAll(`.try [name="${name}"]`)) input.value = value;
});
