-- How often the guest of a device has logged in: each time the device's next guest is another.
alter table shoppers add column device_epoch integer not null default 0;

-- Shared with the store's server, which signs logins with it. Encrypted.
alter table stores add column login_secret blob;

-- Sessionids of guests that go on working for the shopper they became.
create table carried_sessions (
  store_id           integer not null,
  shopper_id         blob    not null,
  session_hash       blob    not null,
  guest_id           blob    not null,
  device             text    not null,
  store_generation   integer not null,
  shopper_generation integer not null,
  created_at         integer not null,
  primary key (store_id, shopper_id, session_hash)
) without rowid;

-- What a merge found, so that it can be undone.
create table merges (
  store_id            integer not null,
  guest_id            blob    not null,
  shopper_id          blob    not null,
  device_epoch        integer,
  filled_names        integer not null,
  subscription_offset integer not null,
  merged_at           integer not null,
  undone_at           integer,
  primary key (store_id, guest_id)
) without rowid;

create index merges_by_shopper on merges (store_id, shopper_id, merged_at);
create index merges_by_time on merges (store_id, merged_at);

-- The guest's lists as they were. Those with into_id became part of that list, the others moved.
create table merged_lists (
  store_id       integer not null,
  guest_id       blob    not null,
  list_id        blob    not null,
  into_id        blob,
  into_version   integer,
  seq_offset     integer,
  editor_offset  integer,
  editor_count   integer,
  unarchived     integer,
  merged_version integer,
  ordinal        integer not null,
  record_id      blob    not null,
  type           text    not null,
  name           text    not null,
  note           text,
  description    text,
  properties     text,
  public         integer not null,
  archived       integer not null,
  copying        integer not null,
  device         text    not null,
  item_count     integer not null,
  comment_count  integer not null,
  next_seq       integer not null,
  version        integer not null,
  created_at     integer not null,
  updated_at     integer not null,
  changed_by     integer,
  primary key (store_id, guest_id, list_id)
) without rowid;

create index merged_lists_by_list on merged_lists (store_id, list_id);
create index merged_lists_by_target on merged_lists (store_id, into_id, seq_offset);

create table merged_items (
  store_id        integer not null,
  guest_id        blob    not null,
  list_id         blob    not null,
  added_at        integer not null,
  seq             integer not null,
  item_id         blob    not null,
  variant_id      integer not null,
  product_id      integer not null,
  updated_at      integer not null,
  device          text,
  attributes      text    not null,
  given           text,
  given_price     double,
  given_title_key blob,
  added_by        integer,
  changed_by      integer,
  primary key (store_id, guest_id, list_id, added_at, seq)
) without rowid;

create index merged_items_by_item on merged_items (store_id, guest_id, item_id);

-- What else was the guest's, by its id and the list that it was on. The number is an editor's, or a comment's variant.
create table merged_parts (
  store_id integer not null,
  guest_id blob    not null,
  kind     text    not null,
  list_id  blob    not null,
  part_id  blob    not null,
  number   integer not null,
  primary key (store_id, guest_id, kind, list_id, part_id, number)
) without rowid;

create table merged_comments (
  store_id   integer not null,
  guest_id   blob    not null,
  list_id    blob    not null,
  comment_id blob    not null,
  variant_id integer not null,
  created_at integer not null,
  shopper_id blob    not null,
  name       text,
  text       text    not null,
  primary key (store_id, guest_id, list_id, comment_id)
) without rowid;
