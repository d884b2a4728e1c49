//! Mail: message content, recipients, a store's own templates and texts, the queue, failed mails, personal data in it, mailed lists,
//! reminders and test mails.

pub mod message;
pub mod recipients;
pub mod customization;
pub mod queue;
pub(crate) mod outcome;
pub mod claim;
pub mod record;
pub mod failed;
pub mod personal_data;
pub(crate) mod rate;
pub mod list_mail;
pub mod reminders;
pub mod test_mail;
