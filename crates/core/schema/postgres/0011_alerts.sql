-- Product alerts. A subscription waits in line until an event of its variant reaches it; then it is due, and is sent.
-- Its status is 0 waiting or due, 1 sent, 2 being sent, 3 failed, 4 not confirmed, 5 suppressed.
alter table subscriptions add column target_price text;
alter table subscriptions add column quantity bigint;
-- The price when the shopper subscribed.
alter table subscriptions add column base_price double precision;
-- The place in line.
alter table subscriptions add column waiting_since bigint not null default 0;
-- The event that made it due, and when it is looked at next: to be sent, or to be taken over from a node that crashed.
alter table subscriptions add column alert_event_id bytea;
alter table subscriptions add column due_at bigint;
alter table subscriptions add column attempts bigint not null default 0;
alter table subscriptions add column problem text;

update subscriptions set waiting_since = updated_at;

create unique index subscriptions_by_id on subscriptions (store_id, subscription_id);
create index subscriptions_by_status on subscriptions (store_id, status, subscription_id);
create index subscriptions_by_variant on subscriptions (store_id, variant_id, topic, status, waiting_since, subscription_id);
create index subscriptions_by_due on subscriptions (store_id, due_at, waiting_since, subscription_id) where due_at is not null;

alter table products add column was_in_stock bigint not null default 0;

update products set was_in_stock = in_stock;

-- The last event of a variant and topic that somebody waited for.
create table alert_events (
  store_id       bigint  not null,
  variant_id     bigint  not null,
  topic          text    not null,
  event_id       bytea   not null,
  happened_at    bigint  not null,
  previous_price text,
  -- How many shoppers may still be reached; null for all.
  remaining      bigint,
  -- How far the line was read.
  after_time     bigint  not null,
  after_id       bytea   not null,
  -- When the next batch is due; null if everybody was reached.
  due_at         bigint,
  last_batch_at  bigint,
  primary key (store_id, variant_id, topic)
);

create index alert_events_by_due on alert_events (store_id, due_at, variant_id, topic) where due_at is not null;

-- Addresses that the mail server says do not exist.
alter table recipients add column suppressed_at bigint;
alter table recipients add column suppressed_because text;

-- Topics that a recipient wants no alerts about.
create table refused_topics (
  store_id     bigint  not null,
  recipient_id bytea   not null,
  topic        text    not null,
  refused_at   bigint  not null,
  primary key (store_id, recipient_id, topic)
);
