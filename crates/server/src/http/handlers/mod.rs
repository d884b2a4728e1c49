//! One file per feature: read the request, run one operation, write the answer.

pub mod catalog;
pub mod comments;
pub mod contents;
pub mod counts;
pub mod demo;
pub mod diagnosis;
pub mod identity;
pub mod items;
pub mod links;
pub mod list_mail;
pub mod lists;
pub mod live;
pub mod mail;
pub mod merging;
pub mod move_items;
pub mod openapi;
pub mod privacy;
pub mod probes;
pub mod recipients;
pub mod reports;
pub mod save_for_later;
pub mod sdk;
pub mod subscriptions;
pub mod alerts;
pub mod confirmations;
pub mod webhooks;
