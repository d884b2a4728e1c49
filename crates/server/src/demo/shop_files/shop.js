// What every page of the shop has: cart, account menu, number of mails. Wishlists are all Wishbone's.
const CART = "fernweh-cart";
const SHOPPER = "fernweh-shopper";
const NAMES = { ann: "Ann", ben: "Ben" };
const MAIL_INTERVAL = 2_000;

const money = new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency: "EUR" });
export const price = (amount) => money.format(Number(amount));
const find = (name) => document.querySelector(`[data-${name}]`);
/** The client, which a script before this one has set up. */
const { wishbone } = window;

// ---- Cart: lines of {epi, empi, du, dt, vi, iu, pr, qty} in this browser. A real shop has it on its server. ----

export function cartLines() {
  try {
    return JSON.parse(localStorage.getItem(CART)) || [];
  } catch {
    return [];
  }
}

export function saveCart(lines) {
  localStorage.setItem(CART, JSON.stringify(lines));
  document.dispatchEvent(new Event("cart"));
}

export function addToCart({ epi, empi, du, dt, vi, iu, pr, qty = 1 }) {
  const lines = cartLines();
  const line = lines.find((line) => String(line.epi) === String(epi));
  if (line) line.qty = Math.min(line.qty + qty, 99);
  else lines.push({ epi, empi, du, dt, vi, iu, pr, qty });
  saveCart(lines);
}

function showCount(badge, count) {
  badge.hidden = count === 0;
  badge.textContent = String(count);
}

const showCart = () => showCount(find("cart-count"), cartLines().reduce((sum, { qty }) => sum + qty, 0));
document.addEventListener("cart", showCart);
// Another tab has changed it.
addEventListener("storage", ({ key }) => {
  if (key === CART) document.dispatchEvent(new Event("cart"));
  if (key === SHOPPER && wishbone) showAccount();
});
showCart();

// The elements ask the page to put something into the cart.
document.addEventListener("wishbone:add-to-cart", ({ detail: { item, quantity, respondWith } }) => {
  respondWith(addIfInStock({ ...item, qty: quantity }));
});

async function addIfInStock(line) {
  const answer = await fetch(`/demo/stock/${line.epi}`);
  const { stock } = await answer.json();
  // Elements show a string to the shopper.
  if (stock === 0) throw "Sold out";
  addToCart(line);
}

// They also ask which variants a product has: a heart without one, and the dialogs that change an item.
document.addEventListener("wishbone:variants", ({ detail: { item, respondWith } }) => respondWith(variantsOf(item)));

async function variantsOf({ empi }) {
  const answer = await fetch(`/demo/variants/${empi}`);
  if (!answer.ok) throw new Error(`The shop's server answered ${answer.status}.`);
  const variants = await answer.json();
  return variants.map(({ id, title, price }) => ({ epi: id, vi: title, pr: price }));
}

// ---- Account: the shop's server signs who has logged in, and Wishbone merges what the guest had. ----

async function login(name) {
  // First: other tabs hear of the login as soon as it is done.
  localStorage.setItem(SHOPPER, name);
  await wishbone.shopper.login(async ({ regid }) => {
    const answer = await fetch("/demo/login", { method: "POST", body: new URLSearchParams({ regid, shopper: name }) });
    if (!answer.ok) throw new Error(`The shop's server answered ${answer.status}.`);
    return answer.json();
  });
}

function showAccount() {
  const isKnown = wishbone.shopper.current()?.from === "login";
  const name = isKnown ? NAMES[localStorage.getItem(SHOPPER)] || "Account" : "";
  find("account-name").textContent = name || "Log in";
  find("account-text").textContent = name
    ? `You are logged in as ${name}.`
    : "Hearts of a guest stay in this browser. Log in to find them on every device.";
  for (const button of document.querySelectorAll("[data-login]")) button.hidden = isKnown;
  find("logout").hidden = !isKnown;
}

const account = find("account");

async function act(work) {
  find("account-error").textContent = "";
  try {
    await work();
    account.open = false;
    // The button that was pressed is hidden, and its focus is nowhere.
    if (document.activeElement === document.body) account.querySelector("summary").focus();
  } catch (error) {
    find("account-error").textContent = error.message;
  }
  showAccount();
}

if (wishbone) {
  for (const button of document.querySelectorAll("[data-login]")) {
    button.addEventListener("click", () => act(() => login(button.dataset.login)));
  }
  find("logout").addEventListener("click", () => act(async () => wishbone.shopper.logout()));
  wishbone.on("login", showAccount);
  wishbone.on("logout", showAccount);
  showAccount();
  // Where elements ask for a login, they link to this.
  if (new URLSearchParams(location.search).has("login") && !find("login").hidden) {
    account.open = true;
    find("login").focus();
  }
} else {
  find("account-error").textContent = "The client script could not be loaded. Check that the demo is running.";
}

addEventListener("click", ({ target }) => {
  if (!account.contains(target)) account.open = false;
});
account.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !account.open) return;
  account.open = false;
  account.querySelector("summary").focus();
});

// ---- Prices, and the number of mails in the outbox ----

for (const element of document.querySelectorAll("span[data-price]")) element.textContent = price(element.dataset.price);

export async function mails() {
  const answer = await fetch("/demo/mails");
  if (!answer.ok) throw new Error(`The demo answered ${answer.status}. Check that it is running.`);
  return answer.json();
}

async function countMails() {
  if (!document.hidden) {
    const found = await mails().catch(() => undefined);
    if (found) showCount(find("mail-count"), found.length);
  }
  setTimeout(countMails, MAIL_INTERVAL);
}
countMails();
