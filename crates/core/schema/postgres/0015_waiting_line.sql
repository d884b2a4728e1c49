-- The line of those who wait for a variant. (A list of all subscriptions to a variant is ordered by what never changes.)
drop index subscriptions_by_variant;

create index subscriptions_waiting on subscriptions (store_id, variant_id, topic, waiting_since, subscription_id)
  where status = 0;
create index subscriptions_by_variant on subscriptions (store_id, variant_id, subscription_id);
