create table stores (
  store_id       bigint not null primary key,
  pid           text    not null unique,
  name          text    not null,
  api_key_hash  bytea   not null,
  settings      text    not null,
  generation     bigint not null,
  created_at     bigint not null,
  updated_at     bigint not null
);

create table shoppers (
  store_id           bigint not null,
  shopper_id        bytea   not null,
  email             text,
  generation         bigint not null,
  first_name        text    not null,
  last_name         text    not null,
  accepts_marketing bigint,
  list_count         bigint not null,
  next_list          bigint not null,
  next_subscription  bigint not null,
  merged_into       bytea,
  created_at         bigint not null,
  updated_at         bigint not null,
  primary key (store_id, shopper_id),
  unique (store_id, email)
);

create table lists (
  store_id       bigint not null,
  list_id       bytea   not null,
  shopper_id    bytea   not null,
  ordinal        bigint not null,
  record_id     bytea   not null,
  type          text    not null,
  name          text    not null,
  note          text,
  description   text,
  properties    text,
  public         bigint not null,
  archived       bigint not null,
  copying        bigint not null,
  device        text    not null,
  item_count     bigint not null,
  comment_count  bigint not null,
  next_seq       bigint not null,
  version        bigint not null,
  created_at     bigint not null,
  updated_at     bigint not null,
  primary key (store_id, list_id),
  unique (store_id, shopper_id, ordinal)
);


create table items (
  store_id         bigint not null,
  list_id         bytea   not null,
  added_at         bigint not null,
  seq              bigint not null,
  item_id         bytea   not null,
  variant_id       bigint not null,
  product_id       bigint not null,
  updated_at       bigint not null,
  device          text,
  attributes      text    not null,
  given           text,
  given_price     double precision,
  given_title_key bytea,
  primary key (store_id, list_id, added_at, seq),
  unique (store_id, list_id, variant_id)
);

create table products (
  store_id    bigint not null,
  variant_id  bigint not null,
  product_id  bigint not null,
  url        text    not null,
  fields     text    not null,
  price      double precision,
  title_key  bytea,
  stock      bigint,
  deleted     bigint not null,
  in_stock    bigint not null,
  updated_at  bigint not null,
  primary key (store_id, variant_id)
);

create index products_by_product on products (store_id, product_id);

create table subscriptions (
  store_id         bigint not null,
  shopper_id      bytea   not null,
  ordinal          bigint not null,
  subscription_id bytea   not null,
  topic           text    not null,
  medium          text    not null,
  address         text    not null,
  variant_id       bigint not null,
  product_id       bigint not null,
  url             text    not null,
  given           text,
  extras          text,
  mailing_list     bigint not null,
  status           bigint not null,
  made_by_shopper  bigint not null,
  created_at       bigint not null,
  updated_at       bigint not null,
  primary key (store_id, shopper_id, topic, ordinal),
  unique (store_id, address, variant_id, topic)
);
