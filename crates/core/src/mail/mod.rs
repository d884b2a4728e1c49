//! Mail: message content, recipients, the queue, personal data in it, and the mailed list.

pub mod message;
pub mod recipients;
pub mod queue;
pub mod personal_data;
pub mod list_mail;
