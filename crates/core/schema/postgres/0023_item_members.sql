-- What an item says of itself is encoded as in responses: a page of fifty items reads fifty texts instead of five hundred
-- values. See lists/item_members.rs.
-- The old columns become null, because dropping a column leaves its values in the rows.
-- Citus wants the casts: text || bigint is not an immutable operator.
alter table items add column members text;
alter table items alter column item_id drop not null;
alter table items alter column updated_at drop not null;
alter table items alter column attributes drop not null;
update items set members =
  '"id":"' || encode(item_id, 'hex')::uuid::text || '","epi":' || variant_id::text || ',"empi":' || product_id::text
  || ',' || attributes || ',"cts":' || added_at::text || ',"uts":' || updated_at::text,
  item_id = null, updated_at = null, attributes = null;
alter table items alter column members set not null;
alter table items drop column item_id;
alter table items drop column updated_at;
alter table items drop column attributes;

drop index merged_items_by_item;
alter table merged_items add column members text;
alter table merged_items alter column item_id drop not null;
alter table merged_items alter column updated_at drop not null;
alter table merged_items alter column attributes drop not null;
update merged_items set members =
  '"id":"' || encode(item_id, 'hex')::uuid::text || '","epi":' || variant_id::text || ',"empi":' || product_id::text
  || ',' || attributes || ',"cts":' || added_at::text || ',"uts":' || updated_at::text,
  item_id = null, updated_at = null, attributes = null;
alter table merged_items alter column members set not null;
alter table merged_items drop column item_id;
alter table merged_items drop column updated_at;
alter table merged_items drop column attributes;
