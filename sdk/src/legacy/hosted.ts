/** The class names of the hosted page of an older service, for which themes have styles, by the parts of our elements. */
export function hostedClasses(lower: string): Record<string, string> {
  const names = Object.entries(CLASSES).map(([part, classes]) => [part, classes.replace(/\S+/g, `${lower}-$&`)]);
  return Object.fromEntries(names);
}

const CLASSES = {
  items: "wishlist-grid",
  item: "wishlist-item",
  picture: "wishlist-image-wrapper",
  img: "wishlist-image",
  svg: "icon",
  corner: "wishlist-item-actions",
  remove: "delete-btn is-button",
  edit: "edit-btn is-button",
  "item-title": "title title-1",
  variant: "variant-title text title-2",
  price: "product-price product-final-price value text",
  note: "product-note text",
  cart: "add-to-cart-btn button button-1 is-button",
};

let isStyled = false;

/** Makes such a list usable where the theme says nothing. These styles lose against any of the theme's, whatever it selects. */
export function styleHosted(lower: string): void {
  if (isStyled) return;
  isStyled = true;
  const rule = (name: string, body: string) => `:where(.${lower}-ui-component .${lower}-${name}){${body}}`;
  const rules = [
    rule("wishlist-grid", "display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,190px),1fr));gap:28px 20px"),
    rule("wishlist-grid", "margin:0;padding:0;list-style:none"),
    rule("wishlist-item", "position:relative;display:flex;flex-direction:column;gap:8px"),
    rule("wishlist-image:not([hidden])", "display:block;width:100%"),
    rule("wishlist-item-actions", "position:absolute;inset-block-start:8px;inset-inline-end:8px;display:flex;gap:6px"),
    rule("icon", "width:1.25em;height:1.25em;fill:none;stroke:currentcolor;stroke-width:1.7"),
    rule("wishlist-image-wrapper a>svg:not(:only-child)", "display:none"),
  ];
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules.join(""));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
