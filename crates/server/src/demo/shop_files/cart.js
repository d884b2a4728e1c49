// The cart page. Texts are inserted as text, and addresses only if they lead to a web page.
import { cartLines, price, saveCart } from "/demo/shop.js";

const { wishbone } = window;
const template = document.getElementById("line").content.firstElementChild;
const find = (name) => document.querySelector(`[data-${name}]`);
const webAddress = (text) => (/^(https?:\/\/|\/)/.test(text) ? text : "#");

function show() {
  const lines = cartLines();
  find("lines").replaceChildren(...lines.map(lineElement));
  find("empty").hidden = lines.length > 0;
  find("total").hidden = lines.length === 0;
  find("total-price").textContent = price(lines.reduce((sum, { pr, qty }) => sum + Number(pr) * qty, 0));
}

function lineElement(line) {
  const element = template.cloneNode(true);
  const [picture, title] = element.querySelectorAll("a");
  const quantity = element.querySelector("input");
  picture.href = title.href = webAddress(line.du);
  picture.querySelector("img").src = webAddress(line.iu);
  picture.tabIndex = -1;
  title.textContent = line.dt;
  element.querySelector(".variant").textContent = line.vi;
  element.querySelector(".price").textContent = price(line.pr);
  quantity.value = line.qty;
  quantity.addEventListener("change", () => {
    change(line, (found) => (found.qty = Math.min(Math.max(Math.trunc(quantity.value) || 1, 1), 99)));
  });
  element.querySelector("[data-remove]").addEventListener("click", () => remove(line));
  element.querySelector("[data-save]").addEventListener("click", () => saveForLater(line));
  return element;
}

function change({ epi }, work) {
  const lines = cartLines();
  lines.filter((line) => line.epi === epi).forEach(work);
  saveCart(lines);
}

function remove({ epi }) {
  saveCart(cartLines().filter((line) => line.epi !== epi));
  // Its button had the focus.
  document.querySelector("h1").tabIndex = -1;
  document.querySelector("h1").focus();
}

/** Offline, the change waits in the client's queue. */
async function saveForLater(line) {
  const { epi, empi, du, qty } = line;
  find("failure").textContent = "";
  remove(line);
  try {
    await wishbone.saveForLater.add({ epi, empi, du: new URL(du, location.href).href, qty });
  } catch (error) {
    saveCart([...cartLines(), line]);
    find("failure").textContent = error.message;
  }
}

document.addEventListener("cart", show);
show();
