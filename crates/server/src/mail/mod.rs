//! Sending mail: rendering it, and handing it to an SMTP server or writing it to the outbox folder.

pub mod attempt;
pub mod languages;
pub mod price;
pub mod colors;
pub mod texts;
pub mod letterhead;
pub mod item_view;
pub mod templates;
pub mod plain_text;
pub mod render;
pub mod samples;
pub mod subset;
pub mod validation;
pub mod customize;
pub mod pages;
pub mod outbox;
mod smtp;
mod slots;
pub mod transport;
pub mod mailer;
