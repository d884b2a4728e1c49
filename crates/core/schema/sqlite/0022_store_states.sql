-- What the work of a store changes. A sharded database has it with the store's data, while `stores` is copied to every
-- node: a change there needs all of them.
create table store_states (
  store_id      integer not null primary key,
  catalog_stamp integer not null default 0,
  reminders_at  integer not null default 0
);

insert into store_states (store_id, catalog_stamp, reminders_at) select store_id, catalog_stamp, reminders_at from stores;

alter table stores drop column catalog_stamp;
alter table stores drop column reminders_at;
