-- Established names.
alter table carried_sessions rename to guest_sessions;
alter table answers rename to idempotent_responses;
alter index answers_by_time rename to idempotent_responses_by_time;
-- Lists whose items are yet to be deleted.
alter table remains rename to deleted_lists;
alter table mails rename column letter to content;
