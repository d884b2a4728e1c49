-- Merges of which lists are left to be merged. The offset is added to the ordinals of the guest's lists.
create table merge_steps (
  store_id    integer not null,
  guest_id    blob not null,
  shopper_id  blob not null,
  list_offset integer not null,
  primary key (store_id, guest_id)
) without rowid;

create index merge_steps_by_shopper on merge_steps (store_id, shopper_id, guest_id, list_offset);

-- The lists of one guest that were united with a list.
drop index merged_lists_by_target;
create index merged_lists_by_target on merged_lists (store_id, into_id, guest_id, seq_offset);

-- The guests who became a shopper: some have lists for which the shopper had no room.
create index shoppers_by_merge on shoppers (store_id, merged_into) where merged_into is not null;

-- An undo finds comments wherever they are by now.
create index comments_by_id on comments (store_id, comment_id);

-- A stamp that rises with every change of a shopper's lists, and the last changes, for those who watch them.
create table list_stamps (
  store_id   integer not null,
  shopper_id blob not null,
  stamp      integer not null,
  recent     text not null,
  primary key (store_id, shopper_id)
) without rowid;
