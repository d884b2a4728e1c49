-- Whether the shopper gets alerts as a digest, and when one was last sent, or is being sent.
alter table shoppers add column alert_digest integer not null default 0;
alter table shoppers add column alerted_at integer;
-- When the shopper's wishlists were last known to be touched, or were last examined: a reminder is due so many days later.
alter table shoppers add column untouched_since integer not null default 0;
alter table shoppers add column reminded_at integer;

create index shoppers_by_untouched on shoppers (store_id, untouched_since, shopper_id)
  where accepts_marketing = 1 and email is not null;

-- The digest that an alert was first sent in: attempts after the first repeat it. Null for an alert that is sent alone.
alter table subscriptions add column digest_id blob;

-- When the next batch of reminders may be sent.
alter table stores add column reminders_at integer not null default 0;
