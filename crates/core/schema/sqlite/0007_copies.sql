-- Lists whose items are still being copied from another.
create table copies (
  store_id   integer not null,
  list_id    blob    not null,
  shopper_id blob    not null,
  source_id  blob    not null,
  -- Items that have a lower number were there when the copy was asked for.
  before_seq integer not null,
  -- The last item that was looked at, and how many there were up to it.
  at_added   integer not null,
  at_seq     integer not null,
  looked_at  integer not null,
  -- Gives the ids of the new items.
  seed       blob    not null,
  started_at integer not null,
  primary key (store_id, list_id)
) without rowid;

create index copies_by_shopper on copies (store_id, shopper_id, source_id);

-- When a guest was last here, to the day; null for those who never expire: shoppers who are known by an address, and
-- guests who have logged in.
alter table shoppers add column seen_at integer;
update shoppers set seen_at = updated_at where email is null and next_subscription = 0;
create index shoppers_by_visit on shoppers (store_id, seen_at);

-- Lists that are gone, but for rows that are removed bit by bit.
create table remains (
  store_id integer not null,
  list_id  blob    not null,
  primary key (store_id, list_id)
) without rowid;
