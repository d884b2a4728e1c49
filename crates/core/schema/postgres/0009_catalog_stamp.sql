-- Another number after each change of a store's product words, never one that was there before: what a node has kept in
-- memory of them holds as long as the number does.
alter table stores add column catalog_stamp bigint not null default 0;
