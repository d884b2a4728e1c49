//! One integration binary. Every test body runs on both engines, in process, with a fixed clock.

#![allow(unreachable_pub, reason = "a test binary has no outside")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation ends its test, in helpers too"
)]

#[macro_use]
mod support;

mod catalog;
mod cli;
mod cors;
mod costs;
mod demo;
mod engines;
mod errors;
mod guards;
mod hostile;
mod identity;
mod items;
mod lists;
mod paging;
mod process;
mod records;
mod save_for_later;
mod subscriptions;
mod tenancy;
