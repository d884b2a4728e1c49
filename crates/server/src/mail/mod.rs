//! Sending mail: rendering it, and handing it to an SMTP server or writing it to the outbox folder.

pub mod attempt;
pub mod templates;
pub mod outbox;
pub mod transport;
pub mod mailer;
