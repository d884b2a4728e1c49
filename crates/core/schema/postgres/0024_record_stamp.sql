-- Replaced with every change of the store's record in `stores`, so that servers can keep the record in memory.
alter table store_states add column record_stamp bigint not null default 0;
