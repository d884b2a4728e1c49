//! HTTP requests to servers that a store has chosen: webhooks and SMS gateways.

pub mod networks;
pub mod target;
pub mod client;
