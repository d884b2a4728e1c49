-- Bits of the event types that the enabled webhooks of the store receive; 0 if it has none.
alter table stores add column webhook_events integer not null default 0;
-- User and password of the SMS gateway, encrypted.
alter table stores add column sms_auth blob;

-- Endpoints to which a store's events are sent.
create table webhooks (
  store_id        integer not null,
  webhook_id      blob    not null,
  url             text    not null,
  -- Bits of the event types; -1 for all, also those of later versions.
  events          integer not null,
  -- Encrypted, as is the previous one, which signs along until a time.
  secret          blob    not null,
  previous_secret blob,
  previous_until  integer,
  -- 0 enabled, 1 disabled.
  state           integer not null,
  -- When attempts began to fail; null after a success.
  failing_since   integer,
  created_at      integer not null,
  primary key (store_id, webhook_id)
) without rowid;

-- What happened, in order: events of one subject (a list, a subscription) have ascending (at, n).
create table webhook_events (
  store_id   integer not null,
  at         integer not null,
  n          integer not null,
  event_id   blob    not null,
  type       integer not null,
  subject    blob    not null,
  -- Whose data it has.
  shopper_id blob,
  data       text    not null,
  primary key (store_id, at, n, event_id)
) without rowid;

create index webhook_events_by_shopper on webhook_events (store_id, shopper_id, at);

-- The delivery of each event to each endpoint.
create table webhook_deliveries (
  store_id   integer not null,
  at         integer not null,
  n          integer not null,
  event_id   blob    not null,
  webhook_id blob    not null,
  subject    blob    not null,
  -- 0 waiting, 1 delivered, 3 failed.
  state      integer not null,
  attempts   integer not null,
  http_status integer,
  problem    text,
  -- When it was queued, or queued again by a replay.
  queued_at  integer not null,
  primary key (store_id, at, n, event_id, webhook_id)
) without rowid;

create index webhook_deliveries_by_subject on webhook_deliveries (store_id, webhook_id, subject, state, at, n, event_id);
create index webhook_deliveries_by_state on webhook_deliveries (store_id, webhook_id, state, at, n, event_id);

-- One row per endpoint and subject with waiting deliveries. It is claimed as a whole, which keeps them in order.
create table webhook_queues (
  store_id   integer not null,
  webhook_id blob    not null,
  subject    blob    not null,
  -- When it is looked at next: to be sent, or to be taken over from a node that fell silent.
  due_at     integer not null,
  claims     integer not null,
  primary key (store_id, webhook_id, subject)
) without rowid;

create index webhook_queues_by_due on webhook_queues (store_id, webhook_id, due_at, subject);
