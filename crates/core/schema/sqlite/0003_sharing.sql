-- Links that let others see or edit a list. Their keys are signed, not stored.
create table share_links (
  store_id   integer not null,
  list_id    blob    not null,
  link_id    blob    not null,
  may_edit   integer not null,
  label      text,
  expires_at integer,
  created_at integer not null,
  primary key (store_id, list_id, link_id),
  unique (store_id, link_id)
) without rowid;

-- Who besides its owner has changed a list. Items name them by number, so that a person can be replaced or erased in one row.
create table editors (
  store_id   integer not null,
  list_id    blob    not null,
  number     integer not null,
  shopper_id blob    not null,
  primary key (store_id, list_id, number)
) without rowid;

create index editors_by_shopper on editors (store_id, shopper_id, list_id);

-- Numbers of editors; null is the owner.
alter table lists add column changed_by integer;
alter table items add column added_by integer;
alter table items add column changed_by integer;

create table comments (
  store_id   integer not null,
  list_id    blob    not null,
  variant_id integer not null,
  created_at integer not null,
  comment_id blob    not null,
  shopper_id blob    not null,
  name       text,
  text       text    not null,
  primary key (store_id, list_id, variant_id, created_at, comment_id),
  unique (store_id, list_id, comment_id)
) without rowid;

create index comments_by_shopper on comments (store_id, shopper_id, list_id);
