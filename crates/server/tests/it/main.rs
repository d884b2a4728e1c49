//! One integration binary. Every test body runs on both engines, in process, with a fixed clock.

#![allow(unreachable_pub, reason = "a test binary has no outside")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test panics, prints and spawns as it needs, in helpers too"
)]

#[macro_use]
mod support;

mod backup;
mod catalog;
mod check;
mod cli;
mod comments;
mod copies;
mod cors;
mod costs;
mod demo;
mod engines;
mod errors;
mod fuzzed;
mod guards;
mod guests;
mod hostile;
mod identity;
mod items;
mod kept;
mod list_mail;
mod lists;
mod mails;
mod merging;
mod move_data;
mod moves;
mod nodes;
mod once;
mod openapi;
mod paging;
mod privacy;
mod process;
mod protection;
mod records;
mod save_for_later;
mod shares;
mod sharing;
mod social;
mod subscriptions;
mod tenancy;
mod versions;
