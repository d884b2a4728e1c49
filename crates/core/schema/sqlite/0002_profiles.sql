alter table shoppers add column language text;
alter table shoppers add column region text;
-- When marketing was first accepted or refused.
alter table shoppers add column marketing_at integer;

-- Who has a product on a list.
create index items_by_product on items (store_id, product_id, list_id);
