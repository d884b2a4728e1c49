//! Mail: message content, recipients, a store's own templates and texts, the queue, personal data in it, and the mailed
//! list.

pub mod message;
pub mod recipients;
pub mod customization;
pub mod queue;
pub mod personal_data;
pub mod list_mail;
