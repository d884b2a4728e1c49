//! Subscriptions: notifications about a variant, for an address, on a topic.

pub mod status;
pub mod product;
pub mod row;
pub mod events;
pub mod insert;
pub mod limits;
pub mod create;
pub mod add;
pub mod confirm;
pub mod unsubscribe;
pub mod fetch;
pub mod remove;
pub mod preferences;
