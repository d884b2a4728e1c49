//! The catalogue: product fields, the feed that a store sends, and the lookup that puts fields into items.

pub mod collation;
pub mod fields;
pub mod feed;
pub mod lookup;
