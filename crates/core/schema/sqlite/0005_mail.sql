-- Every mail: waiting, being sent, sent or given up. What was sent keeps no address and no content.
create table mails (
  store_id     integer not null,
  mail_id      blob    not null,
  kind         text    not null,
  -- Who asked for it.
  shopper_id   blob,
  recipient_id blob    not null,
  message_id   text    not null,
  address      text,
  letter       text,
  state        integer not null,
  attempts     integer not null,
  -- When it is looked at next: to be tried, to be taken over from a node that fell silent, to be removed.
  due_at       integer not null,
  problem      text,
  created_at   integer not null,
  updated_at   integer not null,
  primary key (store_id, mail_id)
) without rowid;

create index mails_by_due on mails (store_id, due_at, mail_id);
create index mails_by_shopper on mails (store_id, shopper_id, created_at);
create index mails_by_recipient on mails (store_id, recipient_id, created_at);

-- Whom mails of a store went to, by a hash of the address, and who wants no more of them.
create table recipients (
  store_id     integer not null,
  recipient_id blob    not null,
  refused_at   integer,
  primary key (store_id, recipient_id)
) without rowid;

-- How often a list was shared, by where.
create table shares (
  store_id   integer not null,
  list_id    blob    not null,
  medium     text    not null,
  times      integer not null,
  last_at    integer not null,
  primary key (store_id, list_id, medium)
) without rowid;
