//! Webhooks: endpoints of a store that receive signed events. Events are written in the transaction of the change
//! (transactional outbox), queued per endpoint and subject, and delivered in order by a background job.

pub mod event_type;
pub mod signature;
pub mod endpoints;
pub mod events;
pub mod queue;
pub mod claim;
pub mod record;
pub mod log;
pub mod replay;
pub mod personal_data;
