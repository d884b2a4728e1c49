-- Raised with every feed. A product has the version in which what items show of it last changed: by that, a server that keeps
-- product fields in memory finds those that it has to read again.
alter table store_states add column catalog_version integer not null default 0;
alter table store_states drop column catalog_stamp;
alter table products add column changed_in integer not null default 0;
create index changed_products on products (store_id, changed_in);
