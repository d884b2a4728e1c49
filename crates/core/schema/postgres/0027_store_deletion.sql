-- When the deletion of the store began. What belongs to it is deleted step by step, the row last.
alter table stores add column deleting_since bigint;

-- The highest id of a deleted store. Ids are not used again: tokens of the former shoppers have them.
alter table server add column last_store_id bigint not null default 0;
