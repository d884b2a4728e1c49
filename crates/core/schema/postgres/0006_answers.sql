-- Answers to calls that named an idempotency key.
create table answers (
  store_id      bigint not null,
  caller       bytea   not null,
  key          bytea   not null,
  request      bytea   not null,
  body         bytea,
  list_version bigint,
  created_at    bigint not null,
  primary key (store_id, caller, key)
);

create index answers_by_time on answers (store_id, created_at);
