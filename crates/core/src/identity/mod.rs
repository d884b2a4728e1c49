//! Shoppers: their row and sessions, authentication, and the shopper as a caller.

pub mod profile;
pub mod guest_sessions;
pub mod caller;
pub mod shoppers;
