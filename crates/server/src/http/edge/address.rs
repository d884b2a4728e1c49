//! Where a request comes from: the peer's address or, behind a proxy that the operator trusts, the one that the
//! proxy names.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// How a request reached this process. Requests that came over no socket have none.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub peer: IpAddr,
    /// How long the request was ready before a thread had time for it.
    pub delay: Duration,
}

/// The networks whose word about their clients counts.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<IpNet>);

impl Proxies {
    /// Networks such as 10.0.0.0/8, or single addresses.
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

    /// Each proxy adds the address it was called from at the end, so that all before the last trusted one's word may
    /// be made up.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut address = peer.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).into_iter().collect::<Vec<_>>();
        let named = lines.into_iter().rev().flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        for name in named {
            if !self.trust(address) {
                break;
            }
            match parse(name.trim()) {
                Some(before) => address = before.to_canonical(),
                None => break,
            }
        }
        address
    }
}

/// Some proxies add the port.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse().ok().map(|socket: std::net::SocketAddr| socket.ip()))
}

/// What counts as one address: of IPv6 every subscriber has a network of 2^64.
pub(crate) fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
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
    fn nobody_is_believed_who_is_not_trusted() {
        assert_eq!(client(&[], "127.0.0.1", &["1.2.3.4"]), "127.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "11.0.0.1", &["1.2.3.4"]), "11.0.0.1");
    }

    #[test]
    fn the_right_most_address_that_is_no_proxy_counts() {
        let trusted = ["10.0.0.0/8", "2001:db8::1"];
        assert_eq!(client(&trusted, "10.0.0.1", &["6.6.6.6, 1.2.3.4"]), "1.2.3.4");
        assert_eq!(client(&trusted, "10.0.0.1", &["6.6.6.6, 1.2.3.4, 10.9.9.9"]), "1.2.3.4");
        assert_eq!(client(&trusted, "2001:db8::1", &["6.6.6.6", "1.2.3.4", "10.9.9.9"]), "1.2.3.4");
        assert_eq!(client(&trusted, "::ffff:10.0.0.1", &["1.2.3.4:5678"]), "1.2.3.4");
        assert_eq!(client(&trusted, "10.0.0.1", &["[2001:db8::2]:443"]), "2001:db8::2");
        assert_eq!(client(&trusted, "10.0.0.1", &["10.2.2.2"]), "10.2.2.2");
    }

    #[test]
    fn a_proxy_that_says_nothing_or_nonsense_counts_itself() {
        for forwarded in [&[][..], &[""], &["unknown"], &["1.2.3.4, unknown"], &[","]] {
            assert_eq!(client(&["10.0.0.1"], "10.0.0.1", forwarded), "10.0.0.1", "{forwarded:?}");
        }
    }

    #[test]
    fn an_ipv6_subscriber_is_a_network() {
        let of = |text: &str| subscriber(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("::ffff:1.2.3.4"), "1.2.3.4");
        assert_eq!(of("1.2.3.4"), "1.2.3.4");
    }
}
