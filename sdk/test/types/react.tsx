// Compiled, never run: the elements in JSX against the published types.
import type {} from "../../dist/wishbone-react";

const product = { epi: 1, empi: "2", du: "/p" };

export const page = (
  <main>
    <wishbone-heart {...product} variant="button" count className="heart" onClick={() => {}} />
    <wishbone-list currency="EUR" quantity store="pid">
      <wishbone-share slot="actions" page="/shared?wishlist={key}" />
    </wishbone-list>
    <wishbone-notify {...product} topic="pricedrop" targetprice={9.5} />
    <wishbone-shared-list link-hosts="shop.example" cart-url="/cart" />
  </main>
);

// @ts-expect-error a heart has a product
export const nothing = <wishbone-heart empi="2" />;
// @ts-expect-error not a topic
export const sale = <wishbone-notify {...product} topic="sale" />;
// @ts-expect-error not an attribute
export const size = <wishbone-heart {...product} size="large" />;
