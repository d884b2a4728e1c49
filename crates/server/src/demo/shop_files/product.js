// The product page: colour and size choose a variant, which heart, price, picture and stock then show.
import { addToCart, price } from "/demo/shop.js";

const product = document.querySelector("[data-product]");
const find = (name) => product.querySelector(`[data-${name}]`);
const form = find("buy");
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

find("restock").addEventListener("click", async ({ currentTarget: button }) => {
  const variant = chosen();
  button.disabled = true;
  try {
    const answer = await fetch("/demo/restock", { method: "POST", body: new URLSearchParams({ epi: variant.variant }) });
    const restocked = await answer.json();
    if (!answer.ok) throw new Error(restocked["error-msg"]);
    variant.stock = String(restocked.stock);
    show();
    // The button, which had the focus, is gone.
    find("add").focus();
    find("stock").textContent = "Restocked. Mail to those who asked for it arrives in the outbox.";
  } catch (error) {
    find("stock").textContent = error.message;
  }
  button.disabled = false;
});

choose(new URLSearchParams(location.search).get("variant"));
show();
