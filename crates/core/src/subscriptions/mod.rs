//! Subscriptions: who wants to be notified about which variant, over which medium.

pub mod topic;
pub mod row;
pub mod create;
pub mod fetch;
pub mod remove;
