//! The client address of a request: the peer's address or, behind a trusted proxy, the one in `X-Forwarded-For`.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::{Extensions, HeaderMap, HeaderName};
use ipnet::IpNet;

use crate::limit_key::ClientAddress;

pub(crate) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How a request reached this process. Absent from requests that did not come over a socket.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub peer: IpAddr,
    /// Time between the request becoming ready and a thread polling it.
    pub delay: Duration,
    /// True if the client's connection to this process uses TLS.
    pub is_tls: bool,
}

/// The networks of trusted proxies.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<IpNet>);

impl Proxies {
    /// Parses networks such as 10.0.0.0/8, or single addresses. `None` if one is invalid.
    pub fn parse(texts: &[String]) -> Option<Self> {
        let network = |text: &String| {
            let text = text.trim();
            text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
        };
        texts.iter().map(network).collect::<Option<_>>().map(Self)
    }

    pub fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client's address for limits. `None` for a request that did not come over a socket.
    pub(crate) fn client_key(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<ClientAddress> {
        extensions.get::<Arrival>().map(|arrival| self.client(arrival.peer, headers).into())
    }

    /// The client's address. Each proxy appends the address of its peer, so entries are trusted from the right, and
    /// only while the proxy that added them is trusted.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut address = peer.to_canonical();
        if !self.trust(address) {
            return address;
        }
        let lines = headers.get_all(FORWARDED_FOR).into_iter().collect::<Vec<_>>();
        let entries = lines.into_iter().rev().flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        for entry in entries {
            match parse(entry.trim()) {
                Some(previous) => address = previous.to_canonical(),
                None => break,
            }
            if !self.trust(address) {
                break;
            }
        }
        address
    }
}

/// Parses an address with an optional port, which some proxies add.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse().ok().map(|socket: std::net::SocketAddr| socket.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], peer: &str, forwarded: &[&'static str]) -> String {
        let trusted: Vec<String> = trusted.iter().map(|text| (*text).to_owned()).collect();
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        Proxies::parse(&trusted).unwrap().client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn forwarded_addresses_from_untrusted_peers_are_ignored() {
        assert_eq!(client(&[], "127.0.0.1", &["1.2.3.4"]), "127.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "11.0.0.1", &["1.2.3.4"]), "11.0.0.1");
    }

    #[test]
    fn the_client_is_the_rightmost_address_that_is_not_a_trusted_proxy() {
        let trusted = ["10.0.0.0/8", "2001:db8::1"];
        assert_eq!(client(&trusted, "10.0.0.1", &["6.6.6.6, 1.2.3.4"]), "1.2.3.4");
        assert_eq!(client(&trusted, "10.0.0.1", &["6.6.6.6, 1.2.3.4, 10.9.9.9"]), "1.2.3.4");
        assert_eq!(client(&trusted, "2001:db8::1", &["6.6.6.6", "1.2.3.4", "10.9.9.9"]), "1.2.3.4");
        assert_eq!(client(&trusted, "::ffff:10.0.0.1", &["1.2.3.4:5678"]), "1.2.3.4");
        assert_eq!(client(&trusted, "10.0.0.1", &["[2001:db8::2]:443"]), "2001:db8::2");
        assert_eq!(client(&trusted, "10.0.0.1", &["10.2.2.2"]), "10.2.2.2");
    }

    #[test]
    fn a_missing_or_malformed_header_yields_the_address_of_the_proxy() {
        for forwarded in [&[][..], &[""], &["unknown"], &["1.2.3.4, unknown"], &[","]] {
            assert_eq!(client(&["10.0.0.1"], "10.0.0.1", forwarded), "10.0.0.1", "{forwarded:?}");
        }
    }
}
