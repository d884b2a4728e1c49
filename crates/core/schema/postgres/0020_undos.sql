-- Merges that are being undone in steps.
create table undos (
  store_id   bigint  not null,
  guest_id   bytea   not null,
  shopper_id bytea   not null,
  started_at bigint  not null,
  primary key (store_id, guest_id)
);

create index undos_by_shopper on undos (store_id, shopper_id);

-- An undo moves the items of a list that the shopper keeps to a new list.
alter table unions add column renames bigint not null default 0;
