-- Lists of a guest whose items are still being moved to a list of the shopper. The journal of the merge has the rest.
create table unions (
  store_id   integer not null,
  list_id    blob    not null,
  guest_id   blob    not null,
  shopper_id blob    not null,
  into_id    blob    not null,
  primary key (store_id, list_id)
) without rowid;

create index unions_by_shopper on unions (store_id, shopper_id, guest_id);
create index unions_by_target on unions (store_id, into_id);

-- Items of a list that moved to a shopper are recorded in the journal before they first change.
alter table lists add column merged integer not null default 0;

-- The version of the shopper's list right after the union.
update merged_lists set merged_version = into_version + 1 where into_id is not null;

-- The items of the guest's lists: the journal has only those that have changed.
alter table merges add column item_count integer not null default 0;
update merges set item_count = (select count(*) from merged_items i
                                where i.store_id = merges.store_id and i.guest_id = merges.guest_id);
