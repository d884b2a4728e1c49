-- Links that let others see or edit a list. Their keys are signed, not stored.
create table share_links (
  store_id    bigint not null,
  list_id    bytea   not null,
  link_id    bytea   not null,
  may_edit    bigint not null,
  label      text,
  expires_at bigint,
  created_at  bigint not null,
  primary key (store_id, list_id, link_id),
  unique (store_id, link_id)
);

-- Who besides its owner has changed a list. Items name them by number, so that a person can be replaced or erased in one row.
create table editors (
  store_id    bigint not null,
  list_id    bytea   not null,
  number      bigint not null,
  shopper_id bytea   not null,
  primary key (store_id, list_id, number)
);

create index editors_by_shopper on editors (store_id, shopper_id, list_id);

-- Numbers of editors; null is the owner.
alter table lists add column changed_by bigint;
alter table items add column added_by bigint;
alter table items add column changed_by bigint;

create table comments (
  store_id    bigint not null,
  list_id    bytea   not null,
  variant_id  bigint not null,
  created_at  bigint not null,
  comment_id bytea   not null,
  shopper_id bytea   not null,
  name       text,
  text       text    not null,
  primary key (store_id, list_id, variant_id, created_at, comment_id),
  unique (store_id, list_id, comment_id)
);

create index comments_by_shopper on comments (store_id, shopper_id, list_id);
