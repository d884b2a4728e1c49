-- Merges that are being undone in steps.
create table undos (
  store_id   integer not null,
  guest_id   blob    not null,
  shopper_id blob    not null,
  started_at integer not null,
  primary key (store_id, guest_id)
) without rowid;

create index undos_by_shopper on undos (store_id, shopper_id);

-- An undo moves the items of a list that the shopper keeps to a new list.
alter table unions add column renames integer not null default 0;
