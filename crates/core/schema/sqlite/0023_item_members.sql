-- What an item says of itself is encoded as in responses: a page of fifty items reads fifty texts instead of five hundred
-- values. See lists/item_members.rs.
create table items_with_members (
  store_id        integer not null,
  list_id         blob    not null,
  added_at        integer not null,
  seq             integer not null,
  variant_id      integer not null,
  product_id      integer not null,
  device          text,
  given           text,
  given_price     double,
  given_title_key blob,
  added_by        integer,
  changed_by      integer,
  members         text    not null,
  primary key (store_id, list_id, added_at, seq),
  unique (store_id, list_id, variant_id)
) without rowid;

insert into items_with_members
select store_id, list_id, added_at, seq,
       variant_id, product_id, device, given, given_price, given_title_key, added_by, changed_by,
       '"id":"' || lower(substr(hex(item_id), 1, 8) || '-' || substr(hex(item_id), 9, 4) || '-'
         || substr(hex(item_id), 13, 4) || '-' || substr(hex(item_id), 17, 4) || '-' || substr(hex(item_id), 21))
         || '","epi":' || variant_id || ',"empi":' || product_id || ',' || attributes
         || ',"cts":' || added_at || ',"uts":' || updated_at
from items order by store_id, list_id, added_at, seq;

drop table items;
alter table items_with_members rename to items;

create table merged_items_with_members (
  store_id        integer not null,
  guest_id        blob    not null,
  list_id         blob    not null,
  added_at        integer not null,
  seq             integer not null,
  variant_id      integer not null,
  product_id      integer not null,
  device          text,
  given           text,
  given_price     double,
  given_title_key blob,
  added_by        integer,
  changed_by      integer,
  members         text    not null,
  primary key (store_id, guest_id, list_id, added_at, seq)
) without rowid;

insert into merged_items_with_members
select store_id, guest_id, list_id, added_at, seq,
       variant_id, product_id, device, given, given_price, given_title_key, added_by, changed_by,
       '"id":"' || lower(substr(hex(item_id), 1, 8) || '-' || substr(hex(item_id), 9, 4) || '-'
         || substr(hex(item_id), 13, 4) || '-' || substr(hex(item_id), 17, 4) || '-' || substr(hex(item_id), 21))
         || '","epi":' || variant_id || ',"empi":' || product_id || ',' || attributes
         || ',"cts":' || added_at || ',"uts":' || updated_at
from merged_items order by store_id, guest_id, list_id, added_at, seq;

drop table merged_items;
alter table merged_items_with_members rename to merged_items;
