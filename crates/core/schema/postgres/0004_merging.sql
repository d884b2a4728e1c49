-- How often the guest of a device has logged in: each time the device's next guest is another.
alter table shoppers add column device_epoch bigint not null default 0;

-- Shared with the store's server, which signs logins with it. Encrypted.
alter table stores add column login_secret bytea;

-- Sessionids of guests that go on working for the shopper they became.
create table carried_sessions (
  store_id           bigint not null,
  shopper_id         bytea  not null,
  session_hash       bytea  not null,
  guest_id           bytea  not null,
  device             text   not null,
  store_generation   bigint not null,
  shopper_generation bigint not null,
  created_at         bigint not null,
  primary key (store_id, shopper_id, session_hash)
);

-- What a merge found, so that it can be undone.
create table merges (
  store_id            bigint not null,
  guest_id            bytea  not null,
  shopper_id          bytea  not null,
  device_epoch        bigint,
  filled_names        bigint not null,
  subscription_offset bigint not null,
  merged_at           bigint not null,
  undone_at           bigint,
  primary key (store_id, guest_id)
);

create index merges_by_shopper on merges (store_id, shopper_id, merged_at);
create index merges_by_time on merges (store_id, merged_at);

-- The guest's lists as they were. Those with into_id became part of that list, the others moved.
create table merged_lists (
  store_id       bigint not null,
  guest_id       bytea  not null,
  list_id        bytea  not null,
  into_id        bytea,
  into_version   bigint,
  seq_offset     bigint,
  editor_offset  bigint,
  editor_count   bigint,
  unarchived     bigint,
  merged_version bigint,
  ordinal        bigint not null,
  record_id      bytea  not null,
  type           text   not null,
  name           text   not null,
  note           text,
  description    text,
  properties     text,
  public         bigint not null,
  archived       bigint not null,
  copying        bigint not null,
  device         text   not null,
  item_count     bigint not null,
  comment_count  bigint not null,
  next_seq       bigint not null,
  version        bigint not null,
  created_at     bigint not null,
  updated_at     bigint not null,
  changed_by     bigint,
  primary key (store_id, guest_id, list_id)
);

create index merged_lists_by_list on merged_lists (store_id, list_id);
create index merged_lists_by_target on merged_lists (store_id, into_id, seq_offset);

create table merged_items (
  store_id        bigint not null,
  guest_id        bytea  not null,
  list_id         bytea  not null,
  added_at        bigint not null,
  seq             bigint not null,
  item_id         bytea  not null,
  variant_id      bigint not null,
  product_id      bigint not null,
  updated_at      bigint not null,
  device          text,
  attributes      text   not null,
  given           text,
  given_price     double precision,
  given_title_key bytea,
  added_by        bigint,
  changed_by      bigint,
  primary key (store_id, guest_id, list_id, added_at, seq)
);

create index merged_items_by_item on merged_items (store_id, guest_id, item_id);

-- What else was the guest's, by its id and the list that it was on. The number is an editor's, or a comment's variant.
create table merged_parts (
  store_id bigint not null,
  guest_id bytea  not null,
  kind     text   not null,
  list_id  bytea  not null,
  part_id  bytea  not null,
  number   bigint not null,
  primary key (store_id, guest_id, kind, list_id, part_id, number)
);

create table merged_comments (
  store_id    bigint not null,
  guest_id   bytea   not null,
  list_id    bytea   not null,
  comment_id bytea   not null,
  variant_id  bigint not null,
  created_at  bigint not null,
  shopper_id bytea   not null,
  name       text,
  text       text    not null,
  primary key (store_id, guest_id, list_id, comment_id)
);
