//! Sharing: links, comments, share counts, and lookups across the lists of a store.

pub mod links;
pub mod comments;
pub mod reports;
pub mod counts;
