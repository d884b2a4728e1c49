-- The mailbox that an address leads to, as a hash, for those to whom others have had something sent.
alter table recipients add column mailbox_id bytea;
create index stopped_mailboxes on recipients (store_id, mailbox_id, refused_at) where refused_at is not null;
