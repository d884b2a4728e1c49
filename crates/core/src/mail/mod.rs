//! Mail: media, texts, URLs and content of messages, recipients, a store's own templates and texts, limits, the queue, failed
//! mails, personal data in it, lists that are shared by page or by mail, reminders and test mails.

pub mod medium;
mod separators;
pub mod text;
pub mod shop_url;
pub mod message;
pub mod recipients;
pub mod customization;
pub mod limits;
pub mod queue;
pub(crate) mod outcome;
pub mod claim;
pub mod record;
pub mod failed;
pub mod personal_data;
pub mod shared_list;
pub mod list_mail;
pub mod reminders;
pub mod test_mail;
