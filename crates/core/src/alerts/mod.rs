//! Product alerts: from an event of the catalogue to a message for everybody who waits for it.

pub mod condition;
pub mod dispatch;
pub mod delivery;
pub mod digest;
pub mod backlog;
pub mod list;
pub mod summary;
pub mod retry;
