-- Established names.
alter table carried_sessions rename to guest_sessions;
alter table answers rename to idempotent_responses;
drop index answers_by_time;
create index idempotent_responses_by_time on idempotent_responses (store_id, created_at);
-- Lists whose items are yet to be deleted.
alter table remains rename to deleted_lists;
alter table mails rename column letter to content;
