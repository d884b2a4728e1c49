// The outbox. Mail has text of strangers, so it is shown in a frame without scripts.
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
  element.querySelector("iframe").src = `/demo/mails/${encodeURIComponent(id)}`;
  element.querySelector("pre").textContent = text;
  element.open = isNew;
  return element;
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
