//! The catalogue: product fields, the feed that a store sends, the events it causes, and the lookup that puts fields into items.

pub mod collation;
pub mod web_url;
pub mod fields;
pub mod topic;
pub mod availability;
pub mod shown_product;
pub mod alert_events;
pub mod feed_input;
pub mod feed;
pub mod inventory;
pub mod product_cache;
pub mod lookup;
