//! Addresses to listen on.

use std::net::{SocketAddr, ToSocketAddrs};

/// Resolves a text such as `0.0.0.0:8080` or `localhost:8080`; `None` if it has no address.
pub(super) fn addresses(text: &str) -> Option<Vec<SocketAddr>> {
    let addresses: Vec<SocketAddr> = text.to_socket_addrs().ok()?.collect();
    (!addresses.is_empty()).then_some(addresses)
}
