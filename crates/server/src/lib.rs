//! The server: HTTP, background jobs and the command line. Knows no SQL.
//!
//! Modules are declared from the ground up. `http/response` and `http/edge` stand below `app`, the rest of
//! `http` above them. Imports go downwards only; a guard test holds the order.

pub mod environment;
mod supervisor;
pub mod shutdown;
mod limit_key;
mod slot_limiter;
mod long_reads;
mod live;
mod spans;
pub mod api;
pub mod demo;
pub mod outbound;
mod traces;
pub mod mail;
pub mod sms;
pub mod webhooks;
pub mod outage;
mod pacing;
mod reachable_stores;
mod worker_limiter;
mod write_quotas;
mod background_payers;
mod visit_buffer;
pub mod app;
pub mod http;
pub mod jobs;
pub mod cli;
