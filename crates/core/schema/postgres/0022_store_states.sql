-- What the work of a store changes. A sharded database has it with the store's data, while `stores` is copied to every
-- node: a change there needs all of them.
create table store_states (
  store_id      bigint not null primary key,
  catalog_stamp bigint not null default 0,
  reminders_at  bigint not null default 0
);

insert into store_states (store_id, catalog_stamp, reminders_at) select store_id, catalog_stamp, reminders_at from stores;

alter table stores drop column catalog_stamp;
alter table stores drop column reminders_at;
