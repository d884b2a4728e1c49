//! Subscriptions: notifications about a variant, for an address, on a topic.

pub mod topic;
pub mod row;
pub mod create;
pub mod fetch;
pub mod remove;
