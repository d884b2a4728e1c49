// The demo's storefront. All data comes from the client script and is inserted as text, never as HTML. URLs are used
// only if they are http or https.
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
  let next = null; // the cursor of its next page
  let shown = 0;
  let outOfStock = null; // variants of the list that are out of stock; null until they are known
  let stockLoads = 0; // number of the newest load of them
  let latest = 0; // number of the newest load; responses to older ones are ignored

  function loadLists() {
    const current = ++latest;
    shop.dataset.state = "loading";
    at("bar").hidden = true;
    showMore("");
    fill("lists", ghosts("loading-list-template", 4));
    fill("items", ghosts("loading-item-template", 8));
    fill("notice");
    say("Loading lists");
    if (!window.wishbone) {
      const error = { message: "The client script could not be loaded. Check that the demo is running.", code: "no-script" };
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
    fill("notice", failure("Lists could not be loaded", error, "Try again", retry));
    say("");
  }

  function showLists(found) {
    lists = found;
    shop.dataset.state = lists.length > 0 ? "ready" : "empty";
    fill("lists", lists.map(listLink));
    fill("items");
    if (lists.length === 0) {
      fill("notice", emptiness("No lists yet", "This shopper has no lists. Create one and reload the page."));
      say("No lists yet");
      return;
    }
    openList(chosen() || lists[0]);
  }

  function openList(list) {
    open = list;
    document.title = `${list.lname} · Wishbone demo`;
    at("list-name").textContent = list.lname;
    at("bar").hidden = false;
    for (const link of at("lists").querySelectorAll("a")) {
      if (link.dataset.lid === list.lid) {
        link.setAttribute("aria-current", "true");
        // On a phone the lists scroll horizontally; the page itself must not scroll.
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
    outOfStock = null;
    const stock = ++stockLoads;
    showAbout();
    showMore("");
    at("contents").setAttribute("aria-busy", "true");
    fill("items", ghosts("loading-item-template", Math.min(open.cnt ?? 8, 8)));
    fill("notice");
    say(`Loading ${open.lname}`);
    fetchPage((items) => {
      fill("items", items.map(itemCard));
      if (items.length === 0) showNoItems();
      if (stock === stockLoads) loadStock(stock);
    }, itemsFailed);
  }

  /** Item records have no stock level, so the variants that are out of stock are fetched with the filter. */
  function loadStock(current, cursor = null, found = []) {
    if (open.cnt === 0) return;
    window.wishbone.wishlist.fetchUserList(
      { lid: open.lid, next: cursor, itemslimit: 100, filterby: "outofstock" },
      (page) => {
        if (current !== stockLoads) return;
        found.push(...page.data.listcontents.map((item) => item.epi));
        if (page.pagination.next) {
          loadStock(current, page.pagination.next, found);
          return;
        }
        outOfStock = new Set(found);
        showAbout();
        at("progress").textContent = progress();
        at("items").querySelectorAll(".item").forEach(showStock);
      },
      // Without this the list is still complete; only the badges are missing.
      () => {},
    );
  }

  function showStock(card) {
    card.querySelector(".stock").hidden = !outOfStock?.has(Number(card.dataset.epi));
  }

  /** The line under the list's name: what it is, and how many of its items the filter lets through. */
  function showAbout() {
    const total = matching();
    const isFiltered = controls.instock.checked && total !== null;
    const items = isFiltered ? `${total} of ${count(open)} in stock` : count(open);
    at("list-about").textContent = [typeOf(open), items, `updated ${ago(open.uts)}`].filter(Boolean).join(" · ");
  }

  /** The number of items that match the filter, if it is known. */
  function matching() {
    if (typeof open.cnt !== "number") return null;
    if (!controls.instock.checked) return open.cnt;
    return outOfStock && open.cnt - outOfStock.size;
  }

  function loadMore() {
    showMore("Loading…");
    fill("notice");
    fetchPage(
      (items) => {
        const cards = items.map(itemCard);
        at("items").append(...cards);
        // The button can be hidden now, so the focus moves to the first new item.
        cards[0]?.querySelector("a").focus({ preventScroll: true });
      },
      (error) => {
        showMore("");
        // Items that are already shown stay; only the failed page is fetched again.
        const again = error.code === "invalid-next-token" ? loadItems : loadMore;
        fill("notice", failure("More items could not be loaded", error, "Try again", again));
      },
    );
  }

  /** Fetches the page after the last one shown, sorted and filtered by the controls. */
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
      const text = "All items in this list are out of stock.";
      fill("notice", emptiness("No items in stock", text, "Show all items", showEverything));
    } else {
      fill("notice", emptiness("This list is empty", "Items appear here when the shopper saves them."));
    }
  }

  function showEverything() {
    controls.reset();
    loadItems();
  }

  function progress() {
    const total = next ? matching() : shown;
    return total === null ? `${counted(shown)} shown` : `${shown} of ${counted(total)} shown`;
  }

  function showProgress() {
    at("progress").textContent = progress();
    showMore(next ? "Load more" : "");
    at("more").hidden = !next && shown <= PAGE_SIZE;
    say(shown === 0 ? "No items" : `${open.lname}: ${progress()}`);
  }

  /** Sets the label of the button below the items. It is disabled while loading, and hidden without a label. */
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
    card.dataset.epi = item.epi;
    showStock(card);
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
    // A quantity of 1 is shown only where items are about to be bought.
    const counts = typeof item.qty === "number" && (item.qty > 1 || isSaved(open));
    put(card.querySelector(".quantity"), counts ? `Quantity: ${item.qty}` : "");
    const price = card.querySelector(".price");
    if (typeof item.pr === "number") {
      price.textContent = item.pr.toFixed(2);
    } else {
      price.textContent = "–";
      price.title = "Price unknown";
    }
    showPicture(card.querySelector(".picture"), webAddress(item.iu));
    return card;
  }

  /** The placeholder of the template stays until the image has loaded. */
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
    const hint = error.code === "network" ? "Check that the demo is running. " : "";
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
      // The panel is removed with its button, so the focus moves to the list.
      at("contents").focus({ preventScroll: true });
      act();
    });
  }

  async function loadMails() {
    try {
      const answer = await fetch("/demo/mails");
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      const mails = await answer.json();
      fill("mails", mails.length > 0 ? mails.map(mailCard) : element("p", "", "No emails yet. Email a list with the command below."));
    } catch (error) {
      fill("mails", failure("Emails could not be loaded", error, "Try again", loadMails));
    }
  }

  /** Emails contain untrusted text, so the HTML is shown in a sandboxed frame. */
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

  /** Splits the commands at blank lines, and shows each with its comment as title and a copy button. */
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
    // A region that scrolls must be reachable by keyboard.
    code.tabIndex = 0;
    code.replaceWith(frame);
    frame.append(code, button);
  }

  /** The clipboard requires HTTPS or localhost. Elsewhere the text is selected. */
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
    return typeof cnt === "number" ? counted(cnt) : "";
  }

  function counted(number) {
    return number === 1 ? "1 item" : `${number} items`;
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
