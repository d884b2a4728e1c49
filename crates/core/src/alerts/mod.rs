//! Product alerts: from an event of the catalogue to a message for everybody who waits for it.

pub mod condition;
pub mod dispatch;
pub mod queue;
pub(crate) mod outcome;
pub mod claim;
pub mod record;
pub mod digest;
pub mod backlog;
pub mod list;
pub mod summary;
pub mod retry;
