// The demo's shop front. All data comes through the client script, all text goes in as text: what shoppers and
// catalogues write is never read as HTML, and an address is only used where it is http or https.
(() => {
  "use strict";

  const PAGE_SIZE = 50;
  const TYPES = new Map([
    ["wl", "Wishlist"],
    ["_saveForLater", "Save for later"],
    ["sfl", "Save for later"],
    ["_recommends", "Recommended"],
  ]);

  const at = (id) => document.getElementById(id);
  const shop = at("shop");
  const controls = at("controls");

  let lists = [];
  let open = null; // the list on show
  let next = null; // the token of its next page
  let shown = 0;
  let latest = 0; // of the loads that were started; answers to any other come too late to be shown

  function loadLists() {
    const current = ++latest;
    shop.dataset.state = "loading";
    at("bar").hidden = true;
    showMore("");
    fill("lists", ghosts("loading-list-template", 4));
    fill("items", ghosts("loading-item-template", 8));
    fill("notice");
    say("Loading the lists");
    if (!window.wishbone) {
      const error = { message: "The client script did not arrive. Is the demo still running?", code: "no-script" };
      listsFailed(error, () => location.reload());
      return;
    }
    window.wishbone.wishlist.fetchUserLists(
      (result) => current === latest && showLists(result.data),
      (error) => current === latest && listsFailed(error, loadLists),
    );
  }

  function listsFailed(error, retry) {
    shop.dataset.state = "failed";
    fill("lists");
    fill("items");
    fill("notice", failure("The lists could not be loaded", error, "Try again", retry));
    say("");
  }

  function showLists(found) {
    lists = found;
    shop.dataset.state = lists.length > 0 ? "ready" : "empty";
    fill("lists", lists.map(listLink));
    fill("items");
    if (lists.length === 0) {
      fill("notice", emptiness("No lists yet", "This shopper has not made a list. A new one shows up here on the next load."));
      say("No lists yet");
      return;
    }
    openList(chosen() || lists[0]);
  }

  function openList(list) {
    open = list;
    document.title = `${list.lname} · Wishbone demo`;
    at("list-name").textContent = list.lname;
    at("list-about").textContent = [typeOf(list), count(list), `updated ${ago(list.uts)}`].filter(Boolean).join(" · ");
    at("bar").hidden = false;
    for (const link of at("lists").querySelectorAll("a")) {
      if (link.dataset.lid === list.lid) {
        link.setAttribute("aria-current", "true");
        // On a phone the lists are a strip that scrolls sideways; the page itself stays where it is.
        at("lists").scrollTo({ left: link.parentElement.offsetLeft - 16 });
      } else {
        link.removeAttribute("aria-current");
      }
    }
    loadItems();
  }

  function loadItems() {
    shown = 0;
    next = null;
    showMore("");
    at("contents").setAttribute("aria-busy", "true");
    fill("items", ghosts("loading-item-template", Math.min(open.cnt ?? 8, 8)));
    fill("notice");
    say(`Loading ${open.lname}`);
    fetchPage((items) => {
      fill("items", items.map(itemCard));
      if (items.length === 0) showNoItems();
    }, itemsFailed);
  }

  function loadMore() {
    showMore("Loading…");
    fill("notice");
    fetchPage(
      (items) => {
        const cards = items.map(itemCard);
        at("items").append(...cards);
        // The button may be gone now; go on where the new items begin.
        cards[0]?.querySelector("a").focus({ preventScroll: true });
      },
      (error) => {
        showMore("");
        // What is already shown stays; only the page that did not come is asked for again.
        const again = error.code === "invalid-next-token" ? loadItems : loadMore;
        fill("notice", failure("The next items could not be loaded", error, "Try again", again));
      },
    );
  }

  /** Fetches the page after what is shown, in the order and filter that the controls say. */
  function fetchPage(onItems, onError) {
    const current = ++latest;
    const [sortby, sortorder] = controls.sort.value.split(" ");
    const filterby = controls.instock.checked ? "instock" : "";
    window.wishbone.wishlist.fetchUserList(
      { lid: open.lid, next, itemslimit: PAGE_SIZE, sortby, sortorder, filterby },
      (page) => {
        if (current !== latest) return;
        at("contents").removeAttribute("aria-busy");
        const items = page.data.listcontents;
        shown += items.length;
        next = page.pagination.next;
        onItems(items);
        showProgress();
      },
      (error) => {
        if (current !== latest) return;
        at("contents").removeAttribute("aria-busy");
        onError(error);
      },
    );
  }

  function itemsFailed(error) {
    fill("items");
    say("");
    const title = "This list could not be loaded";
    if (error.code === "sort-filter-disabled") {
      fill("notice", failure(title, error, "Show newest first", showEverything));
    } else {
      fill("notice", failure(title, error, "Try again", loadItems));
    }
  }

  function showNoItems() {
    if (controls.instock.checked) {
      const text = "Everything in this list is out of stock right now.";
      fill("notice", emptiness("Nothing in stock", text, "Show all items", showEverything));
    } else {
      fill("notice", emptiness("This list is empty", "Items show up here as soon as the shopper saves some."));
    }
  }

  function showEverything() {
    controls.reset();
    loadItems();
  }

  function showProgress() {
    const whole = !controls.instock.checked && typeof open.cnt === "number" ? open.cnt : null;
    const words = next
      ? `${shown}${whole ? ` of ${whole}` : ""} items shown`
      : `${shown === 1 ? "The only item" : `All ${shown} items`} shown`;
    at("progress").textContent = words;
    showMore(next ? "Load more" : "");
    // That all are there is worth a word where it took more than one page.
    at("more").hidden = !next && shown <= PAGE_SIZE;
    say(shown === 0 ? "No items" : `${open.lname}: ${words}`);
  }

  /** The button under the items says this, and waits while it says that it is loading; without words it is not there. */
  function showMore(words) {
    const button = at("load-more");
    button.textContent = words;
    button.disabled = words !== "Load more";
    button.hidden = words === "";
    at("more").hidden = words === "";
  }

  function listLink(list) {
    const row = copyOf("list-template");
    const link = row.querySelector("a");
    link.href = `#list=${encodeURIComponent(list.lid)}`;
    link.dataset.lid = list.lid;
    link.querySelector(".list-name").textContent = list.lname;
    link.querySelector(".list-type").textContent = typeOf(list);
    if (typeof list.cnt === "number") {
      const unit = element("span", "unseen", list.cnt === 1 ? " item" : " items");
      link.querySelector(".list-count").append(String(list.cnt), unit);
    }
    const time = link.querySelector("time");
    time.textContent = ago(list.uts);
    time.dateTime = iso(list.uts);
    time.title = `Updated ${new Date(list.uts).toLocaleString()}`;
    return row;
  }

  function itemCard(item) {
    const card = copyOf("item-template");
    const title = card.querySelector(".title");
    title.textContent = item.dt || `Product ${item.empi}`;
    const address = webAddress(item.du);
    if (address) {
      title.href = address;
      title.target = "_blank";
      title.rel = "noopener noreferrer";
    } else {
      title.tabIndex = -1;
    }
    put(card.querySelector(".category"), item.ct);
    put(card.querySelector(".variant"), item.vi);
    put(card.querySelector(".note"), item.note);
    put(card.querySelector(".label"), (item.clbls || []).join(", "));
    // Every item has one; outside a list of things to buy, a single piece goes without saying.
    const counts = typeof item.qty === "number" && (item.qty > 1 || isSaved(open));
    put(card.querySelector(".quantity"), counts ? `Quantity ${item.qty}` : "");
    const price = card.querySelector(".price");
    if (typeof item.pr === "number") {
      price.textContent = item.pr.toFixed(2);
    } else {
      price.textContent = "–";
      price.title = "No price known";
    }
    showPicture(card.querySelector(".picture"), webAddress(item.iu));
    return card;
  }

  /** The template's drawing stays until a picture has really arrived. */
  function showPicture(frame, address) {
    if (!address) return;
    const picture = new Image();
    picture.alt = "";
    picture.loading = "lazy";
    picture.decoding = "async";
    picture.referrerPolicy = "no-referrer";
    picture.addEventListener("load", () => frame.classList.add("has-picture"));
    picture.addEventListener("error", () => picture.remove());
    picture.src = address;
    frame.append(picture);
  }

  function failure(title, error, action, act) {
    const panel = copyOf("failed-template");
    panel.querySelector("h3").textContent = title;
    const hint = error.code === "network" ? "Is the demo still running in your terminal? " : "";
    panel.querySelector(".reason").textContent = hint + error.message;
    const trace = [error.code, error.httpStatus ? `HTTP ${error.httpStatus}` : "", error.requestId];
    panel.querySelector(".trace").textContent = trace.filter(Boolean).join(" · ");
    const button = panel.querySelector("button");
    onClick(button, action, act);
    return panel;
  }

  function emptiness(title, text, action, act) {
    const panel = copyOf("empty-template");
    panel.querySelector("h3").textContent = title;
    panel.querySelector("p").textContent = text;
    if (action) {
      const button = panel.querySelector("button");
      button.hidden = false;
      onClick(button, action, act);
    }
    return panel;
  }

  function onClick(button, action, act) {
    button.textContent = action;
    button.addEventListener("click", () => {
      // The panel goes away with its button; the keyboard stays with the list.
      at("contents").focus({ preventScroll: true });
      act();
    });
  }

  /** Parts the commands at their blank lines, each under its own comment and with its own copy button. */
  async function loadMails() {
    try {
      const answer = await fetch("/demo/mails");
      if (!answer.ok) throw new Error(`The server says ${answer.status}`);
      const mails = await answer.json();
      fill("mails", mails.length > 0 ? mails.map(mailCard) : element("p", "", "None yet. A list that is mailed shows up here."));
    } catch (error) {
      fill("mails", failure("The mails could not be loaded", error, "Try again", loadMails));
    }
  }

  /** A mail holds what strangers wrote: its HTML goes into a frame that may do nothing. */
  function mailCard(mail) {
    const card = copyOf("mail-template");
    card.querySelector(".subject").textContent = mail.subject;
    card.querySelector(".to").textContent = `to ${mail.to}`;
    const time = card.querySelector("time");
    time.dateTime = iso(mail.at);
    time.textContent = ago(mail.at);
    card.querySelector("iframe").src = `/demo/mails/${encodeURIComponent(mail.id)}`;
    card.querySelector("pre").textContent = mail.text;
    return card;
  }

  function showCommands() {
    const commands = at("curls").textContent.trim().split(/\n\s*\n/);
    const blocks = commands.map((command) => {
      const lines = command.split("\n");
      const firstCode = Math.max(lines.findIndex((line) => !line.startsWith("#")), 0);
      const title = lines.slice(0, firstCode).map((line) => line.replace(/^#+\s*/, "")).join(" ");
      const block = document.createElement("div");
      if (title) block.append(element("h3", "", title));
      const code = element("pre", "code", lines.slice(firstCode).join("\n"));
      block.append(code);
      addCopyButton(code, title);
      return block;
    });
    fill("terminal", blocks);
    for (const code of document.querySelectorAll("[data-copy]")) {
      addCopyButton(code, code.parentElement.querySelector("h3").textContent);
    }
  }

  function addCopyButton(code, what) {
    const frame = element("div", "copyable");
    const button = element("button", "copy", "Copy");
    button.type = "button";
    if (what) button.setAttribute("aria-label", `Copy: ${what}`);
    button.addEventListener("click", async () => {
      button.textContent = (await copy(code)) ? "Copied" : "Press Ctrl+C";
      say(button.textContent);
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    // It scrolls sideways, so a keyboard must be able to reach it.
    code.tabIndex = 0;
    code.replaceWith(frame);
    frame.append(code, button);
  }

  /** The clipboard is there on https and localhost alone; elsewhere the text is at least selected. */
  async function copy(code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  }

  const copyOf = (id) => at(id).content.firstElementChild.cloneNode(true);
  const ghosts = (id, howMany) => Array.from({ length: howMany }, () => copyOf(id));
  const iso = (time) => (Number.isFinite(time) ? new Date(time).toISOString() : "");
  const isSaved = (list) => ["_saveForLater", "sfl"].includes(list.lty);
  const typeOf = (list) => TYPES.get(list.lty || "wl") || list.lty;

  function fill(id, nodes = []) {
    at(id).replaceChildren(...[].concat(nodes));
  }

  function put(place, text) {
    if (text) place.textContent = text;
    else place.remove();
  }

  function say(text) {
    at("status").textContent = text;
  }

  function element(name, className, text = "") {
    return Object.assign(document.createElement(name), { className, textContent: text });
  }

  function count({ cnt }) {
    if (typeof cnt !== "number") return "";
    return cnt === 1 ? "1 item" : `${cnt} items`;
  }

  function chosen() {
    const lid = new URLSearchParams(location.hash.slice(1)).get("list");
    return lists.find((list) => list.lid === lid);
  }

  function webAddress(text) {
    try {
      const url = new URL(text, document.baseURI);
      return text && /^https?:$/.test(url.protocol) ? url.href : "";
    } catch {
      return "";
    }
  }

  function ago(time) {
    const units = { year: 31557600, month: 2629800, week: 604800, day: 86400, hour: 3600, minute: 60 };
    const seconds = (Date.now() - time) / 1000;
    const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
    for (const [unit, length] of Object.entries(units)) {
      if (seconds >= length) return format.format(-Math.floor(seconds / length), unit);
    }
    return "just now";
  }

  controls.addEventListener("change", loadItems);
  controls.addEventListener("submit", (event) => event.preventDefault());
  at("load-more").addEventListener("click", loadMore);
  addEventListener("hashchange", () => {
    const list = chosen();
    if (list && list !== open) openList(list);
  });
  controls.reset();
  at("look-for-mails").addEventListener("click", loadMails);
  showCommands();
  loadLists();
  loadMails();
})();
