-- Messages that calls had sent to addresses of their choice, counted from the start of a window: of a store by medium, and by
-- hashes of client addresses and of mailboxes.
create table message_counters (
  store_id bigint not null,
  counter  text   not null,
  since    bigint not null,
  messages bigint not null,
  primary key (store_id, counter)
);

create index message_counters_by_time on message_counters (store_id, since);
