//! Mail: message content, recipients, a store's own templates and texts, the queue, personal data in it, mailed lists and
//! test mails.

pub mod message;
pub mod recipients;
pub mod customization;
pub mod queue;
pub mod personal_data;
mod rate;
pub mod list_mail;
pub mod test_mail;
