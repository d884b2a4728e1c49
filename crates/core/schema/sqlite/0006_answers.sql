-- Answers to calls that named an idempotency key.
create table answers (
  store_id     integer not null,
  caller       blob    not null,
  key          blob    not null,
  request      blob    not null,
  body         blob,
  list_version integer,
  created_at   integer not null,
  primary key (store_id, caller, key)
) without rowid;

create index answers_by_time on answers (store_id, created_at);
