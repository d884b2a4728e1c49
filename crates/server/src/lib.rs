//! The edge: HTTP and the command line. Knows no SQL.

pub mod app;
pub mod cli;
pub mod demo;
pub mod http;
pub mod jobs;
pub mod mail;
mod memory;
mod supervisor;
pub mod world;
