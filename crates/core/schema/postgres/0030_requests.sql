-- What waits for the confirmation of an address is its requester's alone, so that nobody learns what others have: of each
-- address, variant and topic there is one request of every shopper, beside one subscription.
alter table subscriptions drop constraint if exists subscriptions_store_id_address_variant_id_topic_key;
create index subscriptions_by_address on subscriptions (store_id, address, variant_id, topic);
create unique index subscriptions_by_key on subscriptions (store_id, address, variant_id, topic) where status <> 4;
create unique index requested_subscriptions on subscriptions (store_id, address, variant_id, topic, shopper_id)
  where status = 4;
delete from message_counters where counter >= 'again:' and counter < 'again;';
