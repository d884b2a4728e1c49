//! The real things that are measured and broken, each in processes of its own.

pub(crate) mod postgres;
pub(crate) mod server;
