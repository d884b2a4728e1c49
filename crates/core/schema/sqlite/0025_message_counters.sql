-- Messages that calls had sent to addresses of their choice, counted from the start of a window: of a store by medium, and by
-- hashes of client addresses and of mailboxes.
create table message_counters (
  store_id integer not null,
  counter  text   not null,
  since    integer not null,
  messages integer not null,
  primary key (store_id, counter)
) without rowid;

create index message_counters_by_time on message_counters (store_id, since);
