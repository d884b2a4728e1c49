// The product page: colour and size choose a variant, which heart, price, picture and stock then show.
import { addToCart, price } from "/demo/shop.js";

const product = document.querySelector("[data-product]");
const find = (name) => product.querySelector(`[data-${name}]`);
const form = find("buy");
const owner = find("owner");
const variants = [...product.querySelectorAll("[data-variant]")].map(({ dataset }) => dataset);

const chosen = () => {
  const { colour, size } = Object.fromEntries(new FormData(form));
  return variants.find((variant) => variant.colour === colour && variant.size === (size ?? "")) || variants[0];
};
const isSoldOut = ({ stock }) => stock === "0";

function stockText({ stock }) {
  if (stock === "0") return "Sold out";
  return Number(stock) <= 3 ? `Only ${stock} left` : "In stock";
}

function show() {
  const variant = chosen();
  find("current-price").textContent = price(variant.price);
  find("picture").src = variant.picture;
  find("stock").textContent = stockText(variant);
  product.classList.toggle("sold-out", isSoldOut(variant));
  find("add").disabled = isSoldOut(variant);
  find("sold-out").hidden = !isSoldOut(variant);
  find("sell-out").hidden = isSoldOut(variant);
  find("restock").hidden = !isSoldOut(variant);
  owner.elements.pr.value = Number(variant.price).toFixed(2);
  for (const element of product.querySelectorAll("wishbone-heart, wishbone-notify")) {
    element.setAttribute("epi", variant.variant);
  }
}

/** Opens the variant that the address names, or else the first one. */
function choose(id) {
  const variant = variants.find((variant) => variant.variant === id);
  if (!variant) return;
  for (const name of ["colour", "size"]) {
    const input = [...form.elements].find((input) => input.name === name && input.value === variant[name]);
    if (input) input.checked = true;
  }
}

form.addEventListener("change", () => {
  history.replaceState(null, "", `?variant=${chosen().variant}`);
  find("owner-status").textContent = "";
  show();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { variant, variantTitle, picture, price } = chosen();
  const { product: empi, url: du, title: dt } = product.dataset;
  addToCart({ epi: variant, empi, du, dt, vi: variantTitle, iu: picture, pr: price });
  find("add").textContent = "Added to cart";
  setTimeout(() => (find("add").textContent = "Add to cart"), 1_500);
});

// ---- The shop's owner, whom every visitor of the demo can be ----

/** Asks the shop's server to change the variant, then shows what it answered. */
async function act(path, fields, told) {
  const variant = chosen();
  const status = find("owner-status");
  status.textContent = "";
  try {
    const answer = await fetch(path, { method: "POST", body: new URLSearchParams({ epi: variant.variant, ...fields }) });
    const changed = await answer.json();
    if (!answer.ok) throw new Error(changed["error-msg"]);
    if ("stock" in changed) variant.stock = String(changed.stock);
    if ("pr" in changed) variant.price = String(changed.pr);
    // The button, which had the focus, may be gone.
    if (chosen() === variant) show();
    if (document.activeElement === document.body) owner.elements.pr.focus();
    status.textContent = told;
  } catch (error) {
    status.textContent = error.message;
  }
}

const MAIL = "Mail to those who asked for it arrives in the outbox.";
find("restock").addEventListener("click", () => act("/demo/restock", {}, `Restocked. ${MAIL}`));
find("sell-out").addEventListener("click", () => act("/demo/restock", { stock: 0 }, "Sold out."));
owner.addEventListener("submit", (event) => {
  event.preventDefault();
  const { value } = owner.elements.pr;
  const isLower = Number(value) < Number(chosen().price);
  act("/demo/price", { pr: value }, isLower ? `The price is lower. ${MAIL}` : "The price was changed.");
});

choose(new URLSearchParams(location.search).get("variant"));
show();
