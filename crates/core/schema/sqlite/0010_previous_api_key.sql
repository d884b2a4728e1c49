-- The API key before the last rotation stays valid until a chosen time.
alter table stores add column previous_key_hash blob;
alter table stores add column previous_key_until integer;
