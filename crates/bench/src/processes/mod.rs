//! The processes under test and around them: Wishbone servers, PostgreSQL clusters, reverse proxies, mail servers.

pub(crate) mod engine;
pub(crate) mod mail;
pub(crate) mod postgres;
pub(crate) mod reverse_proxy;
pub(crate) mod server;
pub(crate) mod smtp;
pub(crate) mod smtp_sink;
