//! Mail: message content, recipients who may unsubscribe, the queue, and the mailed list.

pub mod message;
pub mod recipients;
pub mod queue;
pub mod list_mail;
