
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
  for (const group of document.querySelectorAll(".group")) group.hidden = !group.querySelector("article:not([hidden])");
  document.querySelector(".introduction").hidden = words.length > 0;
  nothing.hidden = found > 0;
}

search.addEventListener("input", filter);
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
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});

// On a narrow screen the contents come before the text, so they start collapsed.
if (matchMedia("(max-width: 55rem)").matches) {
  for (const details of document.querySelectorAll("nav details")) details.open = false;
}

for (const pre of document.querySelectorAll("pre")) {
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
