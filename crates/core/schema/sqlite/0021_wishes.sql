-- The shopper for whom the items of a wishlist are counted: who created it, also after a merge. Null for other lists.
alter table lists add column wished_by blob;
alter table deleted_lists add column wished_by blob;

-- How many items of a product are on the wishlists of a wisher. The person is the wisher, or who the wisher was merged into.
create table wishes (
  store_id   integer not null,
  wisher     blob not null,
  product_id integer not null,
  person     blob not null,
  items      integer not null,
  primary key (store_id, wisher, product_id)
) without rowid;

create index wishes_by_product on wishes (store_id, product_id, person);
-- Rows without items, which are deleted in the transaction that empties them.
create index wishes_empty on wishes (store_id, wisher) where items = 0;

-- Wishers whose person has changed, and the product up to which their wishes say so.
create table wish_transfers (
  store_id      integer not null,
  wisher        blob not null,
  after_product integer not null,
  primary key (store_id, wisher)
) without rowid;

update lists set wished_by = coalesce(
  (select m.guest_id from merged_lists m
   join shoppers s on s.store_id = m.store_id and s.shopper_id = m.guest_id
   where m.store_id = lists.store_id and m.list_id = lists.list_id and m.into_id is null
     and s.merged_into = lists.shopper_id
   limit 1),
  shopper_id)
where type = 'wl';

-- Lists that an undo is restoring.
update deleted_lists set wished_by = (
  select m.guest_id from merged_lists m
  join undos u on u.store_id = m.store_id and u.guest_id = m.guest_id
  where m.store_id = deleted_lists.store_id and m.list_id = deleted_lists.list_id and m.type = 'wl'
  limit 1);

insert into wishes (store_id, wisher, product_id, person, items)
select l.store_id, l.wished_by, i.product_id, coalesce(s.merged_into, s.shopper_id), count(*)
from (select store_id, list_id, wished_by from lists
      union all select store_id, list_id, wished_by from deleted_lists) l
join shoppers s on s.store_id = l.store_id and s.shopper_id = l.wished_by
join items i on i.store_id = l.store_id and i.list_id = l.list_id
group by l.store_id, l.wished_by, i.product_id, coalesce(s.merged_into, s.shopper_id);

drop index items_by_product;
