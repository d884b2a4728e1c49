// The outbox. Mail has text of strangers, so it is shown in a frame without scripts. Without scripts it can safely be of
// this origin, so that the frame can be as high as its content.
import { mails } from "/demo/shop.js";

const INTERVAL = 1_500;
const template = document.getElementById("mail").content.firstElementChild;
const find = (name) => document.querySelector(`[data-${name}]`);
const shown = new Set();
const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" });

function mailElement({ id, subject, to, at, text }, isNew) {
  const element = template.cloneNode(true);
  element.querySelector(".subject").textContent = subject;
  element.querySelector(".to").textContent = `to ${to}`;
  element.querySelector("time").dateTime = new Date(at).toISOString();
  element.querySelector("time").textContent = time.format(at);
  const frame = element.querySelector("iframe");
  frame.addEventListener("load", () => fit(frame));
  frame.src = `/demo/mails/${encodeURIComponent(id)}`;
  element.querySelector("pre").textContent = text;
  element.open = isNew;
  return element;
}

/** Keeps a frame as high as its content, also when the screen becomes narrower. */
function fit(frame) {
  const { body } = frame.contentDocument;
  new ResizeObserver(() => (frame.style.height = `${body.scrollHeight}px`)).observe(body);
}

async function refresh() {
  try {
    const found = await mails();
    const isFirst = shown.size === 0;
    const fresh = found.filter(({ id }) => !shown.has(id));
    find("mails").prepend(...fresh.map((mail, index) => mailElement(mail, !isFirst || index === 0)));
    for (const { id } of fresh) shown.add(id);
    find("empty").hidden = found.length > 0;
    find("failure").textContent = "";
  } catch (error) {
    find("failure").textContent = error.message;
  }
  setTimeout(refresh, INTERVAL);
}
refresh();
