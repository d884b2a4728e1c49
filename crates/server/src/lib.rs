//! The server: HTTP, background jobs and the command line. Knows no SQL.
//!
//! Modules are declared from the ground up, and a module imports only from those declared before it; a guard test
//! enforces that.

pub mod environment;
mod supervisor;
pub mod shutdown;
pub mod api;
pub mod cache;
pub mod demo;
pub mod mail;
pub mod app;
pub mod http;
pub mod jobs;
pub mod cli;
