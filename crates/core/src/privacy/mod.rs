//! Personal data: guest expiry, erasure and export.

pub mod guest_expiry;
pub mod erase;
pub mod export;
