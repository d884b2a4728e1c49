
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
// A link may lead to what the search has hidden.
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
