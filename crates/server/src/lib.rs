//! The server: HTTP, background jobs and the command line. Knows no SQL.
//!
//! Modules are declared from the ground up. `http/response` and `http/edge` stand below `cache` and `app`, the rest of
//! `http` above them. Imports go downwards only; a guard test holds the order.

pub mod environment;
mod supervisor;
pub mod shutdown;
mod slot_limiter;
mod limit_key;
pub mod api;
pub mod cache;
pub mod demo;
pub mod outbound;
pub mod mail;
pub mod sms;
pub mod webhooks;
mod pacing;
mod write_quotas;
pub mod app;
pub mod http;
pub mod jobs;
pub mod cli;
