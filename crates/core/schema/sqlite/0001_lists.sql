create table stores (
  store_id      integer not null primary key,
  pid           text    not null unique,
  name          text    not null,
  api_key_hash  blob    not null,
  settings      text    not null,
  generation    integer not null,
  created_at    integer not null,
  updated_at    integer not null
);

create table shoppers (
  store_id          integer not null,
  shopper_id        blob    not null,
  email             text,
  generation        integer not null,
  first_name        text    not null,
  last_name         text    not null,
  accepts_marketing integer,
  list_count        integer not null,
  next_list         integer not null,
  next_subscription integer not null,
  merged_into       blob,
  created_at        integer not null,
  updated_at        integer not null,
  primary key (store_id, shopper_id),
  unique (store_id, email)
) without rowid;

create table lists (
  store_id      integer not null,
  list_id       blob    not null,
  shopper_id    blob    not null,
  ordinal       integer not null,
  record_id     blob    not null,
  type          text    not null,
  name          text    not null,
  note          text,
  description   text,
  properties    text,
  public        integer not null,
  archived      integer not null,
  copying       integer not null,
  device        text    not null,
  item_count    integer not null,
  comment_count integer not null,
  next_seq      integer not null,
  version       integer not null,
  created_at    integer not null,
  updated_at    integer not null,
  primary key (store_id, list_id),
  unique (store_id, shopper_id, ordinal)
) without rowid;

-- Rows of one list lie side by side in the order in which they are read.
create table items (
  store_id        integer not null,
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
  primary key (store_id, list_id, added_at, seq),
  unique (store_id, list_id, variant_id)
) without rowid;

create table products (
  store_id   integer not null,
  variant_id integer not null,
  product_id integer not null,
  url        text    not null,
  fields     text    not null,
  price      double,
  title_key  blob,
  stock      integer,
  deleted    integer not null,
  in_stock   integer not null,
  updated_at integer not null,
  primary key (store_id, variant_id)
) without rowid;

create index products_by_product on products (store_id, product_id);

create table subscriptions (
  store_id        integer not null,
  shopper_id      blob    not null,
  ordinal         integer not null,
  subscription_id blob    not null,
  topic           text    not null,
  medium          text    not null,
  address         text    not null,
  variant_id      integer not null,
  product_id      integer not null,
  url             text    not null,
  given           text,
  extras          text,
  mailing_list    integer not null,
  status          integer not null,
  made_by_shopper integer not null,
  created_at      integer not null,
  updated_at      integer not null,
  primary key (store_id, shopper_id, topic, ordinal),
  unique (store_id, address, variant_id, topic)
) without rowid;
