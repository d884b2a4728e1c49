//! Sending events to webhooks, signed by the Standard Webhooks convention.

pub mod attempt;
pub mod verification;
pub(crate) mod description;
