-- What waits for the confirmation of an address is its requester's alone, so that nobody learns what others have: of each
-- address, variant and topic there is one request of every shopper, beside one subscription.
create table subscriptions_without_key (
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
  target_price    text,
  quantity        integer,
  base_price      double,
  waiting_since   integer not null default 0,
  alert_event_id  blob,
  due_at          integer,
  attempts        integer not null default 0,
  problem         text,
  digest_id       blob,
  primary key (store_id, shopper_id, topic, ordinal)
) without rowid;
insert into subscriptions_without_key
  select store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id, product_id, url, given, extras,
         mailing_list, status, made_by_shopper, created_at, updated_at, target_price, quantity, base_price, waiting_since,
         alert_event_id, due_at, attempts, problem, digest_id
  from subscriptions;
drop table subscriptions;
alter table subscriptions_without_key rename to subscriptions;
create unique index subscriptions_by_id on subscriptions (store_id, subscription_id);
create index subscriptions_by_status on subscriptions (store_id, status, subscription_id);
create index subscriptions_by_due on subscriptions (store_id, due_at, waiting_since, subscription_id) where due_at is not null;
create index subscriptions_waiting on subscriptions (store_id, variant_id, topic, waiting_since, subscription_id)
  where status = 0;
create index subscriptions_by_variant on subscriptions (store_id, variant_id, subscription_id);
create index subscriptions_by_address on subscriptions (store_id, address, variant_id, topic);
create unique index subscriptions_by_key on subscriptions (store_id, address, variant_id, topic) where status <> 4;
create unique index requested_subscriptions on subscriptions (store_id, address, variant_id, topic, shopper_id)
  where status = 4;
delete from message_counters where counter >= 'again:' and counter < 'again;';
