//! Sending mail: rendering it on a pool of threads, and handing it to an SMTP server or writing it to the outbox folder.

pub mod attempt;
pub mod budget;
pub mod pool;
pub mod languages;
pub mod price;
pub mod colors;
pub mod texts;
pub mod letterhead;
pub mod item_view;
mod filters;
mod subset;
pub mod templates;
pub mod plain_text;
pub mod render;
pub mod samples;
pub mod validation;
pub mod customize;
pub mod pages;
pub mod outbox;
mod smtp;
mod slots;
pub mod transport;
pub mod shared_urls;
pub mod mailer;
