//! Connections to other servers: HTTP requests to those that a store has chosen (webhooks, SMS gateways), and TLS.

pub mod networks;
pub mod target;
pub mod tls;
pub(crate) mod limited_read;
pub mod client;
