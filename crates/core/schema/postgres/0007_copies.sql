-- Lists whose items are still being copied from another.
create table copies (
  store_id   bigint  not null,
  list_id    bytea   not null,
  shopper_id bytea   not null,
  source_id  bytea   not null,
  -- Items that have a lower number were there when the copy was asked for.
  before_seq bigint  not null,
  -- The last item that was looked at, and how many there were up to it.
  at_added   bigint  not null,
  at_seq     bigint  not null,
  looked_at  bigint  not null,
  -- Gives the ids of the new items.
  seed       bytea   not null,
  started_at bigint  not null,
  primary key (store_id, list_id)
);

create index copies_by_shopper on copies (store_id, shopper_id, source_id);

-- When a guest was last here, to the day; null for those who never expire: shoppers who are known by an address, and
-- guests who have logged in.
alter table shoppers add column seen_at bigint;
update shoppers set seen_at = updated_at where email is null and next_subscription = 0;
create index shoppers_by_visit on shoppers (store_id, seen_at);

-- Lists that are gone, but for rows that are removed bit by bit.
create table remains (
  store_id bigint  not null,
  list_id  bytea   not null,
  primary key (store_id, list_id)
);
