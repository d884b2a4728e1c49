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

mod alerts;
mod backup;
mod catalog;
mod check;
mod cli;
mod comments;
mod cors;
mod costs;
mod counts;
mod current_pages;
mod demo;
mod doctor;
mod duplicate;
mod engines;
mod errors;
mod fuzzed;
mod guards;
mod guest_expiry;
mod hostile;
mod idempotency;
mod identity;
mod items;
mod largest_answers;
mod largest_inputs;
mod links;
mod list_mail;
mod lists;
mod live;
mod mail;
mod mail_queue;
mod merging;
mod move_data;
mod move_items;
mod nodes;
mod openapi;
mod paging;
mod privacy;
mod process;
mod protection;
mod recipes;
mod records;
mod reminders;
mod reports;
mod save_for_later;
mod shared_page;
mod stale_answers;
mod store_records;
mod subscriptions;
mod tenancy;
mod tls;
mod traces;
mod versions;
mod watched;
mod web_urls;
mod webhooks;
