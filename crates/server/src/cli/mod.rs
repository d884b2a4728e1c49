//! The command line. Commands call core operations, never SQL, and work beside a running server.

mod log_output;
mod output;
mod listen;
mod location;
mod limits;
mod mail_args;
mod progress;
mod secret;
mod alert_args;
mod store_args;
mod store_output;
mod store;
mod mail_output;
mod mail;
mod user;
mod keys;
mod webhooks;
mod maintenance;
mod openapi;
mod check;
mod pg_dump;
mod backup;
mod move_data;
mod serve;
mod demo;
pub mod command;
