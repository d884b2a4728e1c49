-- Product alerts. A subscription waits in line until an event of its variant reaches it; then it is due, and is sent.
-- Its status is 0 waiting or due, 1 sent, 2 being sent, 3 failed, 4 not confirmed, 5 suppressed.
alter table subscriptions add column target_price text;
alter table subscriptions add column quantity integer;
-- The price when the shopper subscribed.
alter table subscriptions add column base_price double;
-- The place in line.
alter table subscriptions add column waiting_since integer not null default 0;
-- The event that made it due, and when it is looked at next: to be sent, or to be taken over from a node that crashed.
alter table subscriptions add column alert_event_id blob;
alter table subscriptions add column due_at integer;
alter table subscriptions add column attempts integer not null default 0;
alter table subscriptions add column problem text;

update subscriptions set waiting_since = updated_at;

create unique index subscriptions_by_id on subscriptions (store_id, subscription_id);
create index subscriptions_by_status on subscriptions (store_id, status, subscription_id);
create index subscriptions_by_variant on subscriptions (store_id, variant_id, topic, status, waiting_since, subscription_id);
create index subscriptions_by_due on subscriptions (store_id, due_at, waiting_since, subscription_id) where due_at is not null;

alter table products add column was_in_stock integer not null default 0;

update products set was_in_stock = in_stock;

-- The last event of a variant and topic that somebody waited for.
create table alert_events (
  store_id       integer not null,
  variant_id     integer not null,
  topic          text    not null,
  event_id       blob    not null,
  happened_at    integer not null,
  previous_price text,
  -- How many shoppers may still be reached; null for all.
  remaining      integer,
  -- How far the line was read.
  after_time     integer not null,
  after_id       blob    not null,
  -- When the next batch is due; null if everybody was reached.
  due_at         integer,
  last_batch_at  integer,
  primary key (store_id, variant_id, topic)
) without rowid;

create index alert_events_by_due on alert_events (store_id, due_at, variant_id, topic) where due_at is not null;

-- Addresses that the mail server says do not exist.
alter table recipients add column suppressed_at integer;
alter table recipients add column suppressed_because text;

-- Topics that a recipient wants no alerts about.
create table refused_topics (
  store_id     integer not null,
  recipient_id blob    not null,
  topic        text    not null,
  refused_at   integer not null,
  primary key (store_id, recipient_id, topic)
) without rowid;
