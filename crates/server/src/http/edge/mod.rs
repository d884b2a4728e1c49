//! The network edge: listening, connection limits, admission control, rate limits and client addresses. Knows nothing
//! about the product.

pub mod address;
pub mod scheduling_delay;
mod fair_share;
pub mod admission;
pub mod rate_limit;
pub mod metrics;
mod intake;
mod refusals;
mod close_listener;
pub mod certificate;
pub mod tls;
pub mod listener;
