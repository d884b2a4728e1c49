//! A minimal blocking HTTP/1.1 client.

pub(crate) mod response;
pub(crate) mod client;
