//! Addresses that are not on the public Internet. A store must not reach the operator's own network through this server.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::IpNet;

/// The special-purpose networks of IPv4 (IANA registry).
const PRIVATE: &[&str] = &[
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
];

/// All that is allocated for public use in IPv6. What embeds an IPv4 address elsewhere (NAT64, IPv4-compatible), loopback,
/// link-local, unique local and multicast addresses are outside of it.
const PUBLIC_V6: &[&str] = &["2000::/3"];

/// Parts of it with another purpose: protocol assignments such as Teredo, documentation, 6to4.
const PRIVATE_V6: &[&str] = &["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/// True if an address is on the public Internet.
pub fn is_public(address: IpAddr) -> bool {
    static NETWORKS: LazyLock<[Vec<IpNet>; 3]> = LazyLock::new(|| {
        [PRIVATE, PUBLIC_V6, PRIVATE_V6].map(|list| list.iter().flat_map(|net| net.parse()).collect())
    });
    let [private, public_v6, private_v6] = &*NETWORKS;
    let within = |networks: &[IpNet], address: IpAddr| networks.iter().any(|network| network.contains(&address));
    match address {
        IpAddr::V4(_) => !within(private, address),
        IpAddr::V6(v6) => match mapped(v6) {
            Some(v4) => is_public(v4),
            None => within(public_v6, address) && !within(private_v6, address),
        },
    }
}

fn mapped(address: Ipv6Addr) -> Option<IpAddr> {
    address.to_ipv4_mapped().map(IpAddr::V4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for public in
            ["8.8.8.8", "100.63.255.255", "100.128.0.0", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "2a00::1"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn all_networks_are_valid() {
        for network in [PRIVATE, PUBLIC_V6, PRIVATE_V6].concat() {
            assert!(network.parse::<IpNet>().is_ok(), "{network}");
        }
    }
}
