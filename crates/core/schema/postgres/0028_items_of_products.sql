-- Which variants of a product are on a list, for hearts that stand for a product.
create index items_of_products on items (store_id, list_id, product_id, variant_id);
