//! The processes under test: Wishbone servers and PostgreSQL clusters.

pub(crate) mod engine;
pub(crate) mod postgres;
pub(crate) mod server;
