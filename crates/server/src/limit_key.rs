//! Whom a limit counts.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wishbone_core::identity::caller::Shopper;
use wishbone_core::mail::limits::ClientCounter;

/// What a limit can count by. A bare address cannot: it would count without its network.
pub trait Counted: Copy + Eq + Hash {
    /// The network that it belongs to, which counts as well.
    fn network(self) -> Option<Self> {
        None
    }
}

/// A link with a token, or a recipient of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HashedKey(u64);

impl HashedKey {
    pub(crate) fn of(text: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self(hasher.finish())
    }
}

impl Counted for HashedKey {}

/// A recipient of messages, and who has one sent to it; nobody in particular stands for all who do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Addressed {
    recipient: HashedKey,
    by: Option<LimitKey>,
}

impl Addressed {
    pub(crate) fn new(store_id: i64, address: &str, by: LimitKey) -> Self {
        // A network has no more than an address: few people write to the same one.
        Self { recipient: HashedKey::of((store_id, address)), by: Some(by.network().unwrap_or(by)) }
    }
}

impl Counted for Addressed {
    fn network(self) -> Option<Self> {
        self.by.map(|_| Self { by: None, ..self })
    }
}

/// A network may have as much as this many of its addresses: one subscriber cannot multiply by the addresses of a network,
/// and an office is not locked out because of one visitor.
pub(crate) const NETWORK_FACTOR: u32 = 4;

/// A client's address, or the network around it. An IPv6 subscriber has at least a whole /64, so its addresses are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress {
    first: IpAddr,
    is_network: bool,
}

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        let first = match address.to_canonical() {
            IpAddr::V6(address) => prefix(address, 64),
            address => address,
        };
        Self { first, is_network: false }
    }
}

impl ClientAddress {
    /// The counters of messages: of the address, and of its network.
    pub(crate) fn counters(self) -> Vec<ClientCounter> {
        let network = self
            .network()
            .map(|network| ClientCounter { name: format!("{} network", network.first), factor: NETWORK_FACTOR.into() });
        [Some(ClientCounter { name: self.first.to_string(), factor: 1 }), network].into_iter().flatten().collect()
    }
}

impl From<Ipv4Addr> for ClientAddress {
    fn from(address: Ipv4Addr) -> Self {
        IpAddr::V4(address).into()
    }
}

/// A provider gives each subscriber an IPv6 network of up to /48, and a host rents IPv4 addresses by the /24.
impl Counted for ClientAddress {
    fn network(self) -> Option<Self> {
        let first = match self.first {
            IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
            IpAddr::V6(address) => prefix(address, 48),
        };
        (!self.is_network).then_some(Self { first, is_network: true })
    }
}

fn prefix(address: Ipv6Addr, bits: u32) -> IpAddr {
    let rest = 128 - bits;
    Ipv6Addr::from_bits(address.to_bits() >> rest << rest).into()
}

/// A store.
impl Counted for i64 {}

/// A shopper of a store.
impl Counted for [u8; 16] {}

/// What a store counts by itself.
impl<C: Counted> Counted for (i64, C) {
    fn network(self) -> Option<Self> {
        self.1.network().map(|network| (self.0, network))
    }
}

/// A shopper; of browser guests, which anyone can have many of, and of those who are nobody yet, their client address; or a
/// store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LimitKey {
    Shopper((i64, [u8; 16])),
    Address(ClientAddress),
    Store(i64),
}

impl LimitKey {
    pub(crate) fn new(by: &Shopper, address: Option<ClientAddress>) -> Self {
        guest_address(by, address).map_or_else(|| Self::Shopper(by.fingerprint()), Self::Address)
    }
}

impl Counted for LimitKey {
    fn network(self) -> Option<Self> {
        match self {
            Self::Shopper(_) | Self::Store(_) => None,
            Self::Address(address) => address.network().map(Self::Address),
        }
    }
}

/// The client address of a browser guest. A shop's server, which calls for all of its shoppers from one address, does not
/// use browser guests.
pub(crate) fn guest_address(by: &Shopper, address: Option<ClientAddress>) -> Option<ClientAddress> {
    address.filter(|_| by.is_browser_guest())
}

#[cfg(test)]
mod tests {
    use std::marker::PhantomData;
    use std::net::SocketAddr;

    use super::*;

    fn address(text: &str) -> ClientAddress {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn ipv6_addresses_of_one_64_bit_network_count_as_one() {
        assert_eq!(address("2001:db8:1:2:3:4:5:6"), address("2001:db8:1:2::"));
        assert_ne!(address("2001:db8:1:2::"), address("2001:db8:1:3::"));
        assert_eq!(address("::ffff:1.2.3.4"), address("1.2.3.4"));
        assert_ne!(address("1.2.3.4"), address("1.2.3.5"));
    }

    #[test]
    fn addresses_count_by_their_network_too() {
        let network = |text: &str| address(text).network().unwrap();
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), network("2001:db8:1:ffff::"));
        assert_ne!(network("2001:db8:1::"), network("2001:db8:2::"));
        assert_eq!(network("1.2.3.4"), network("1.2.3.255"));
        assert_ne!(network("1.2.3.4"), network("1.2.4.4"));
        assert_ne!(network("1.2.3.4"), address("1.2.3.0"), "the first address is not its network");
        assert_eq!(network("1.2.3.4").network(), None);
        let of_store = (7, LimitKey::Address(address("1.2.3.4")));
        assert_eq!(of_store.network(), Some((7, LimitKey::Address(network("1.2.3.4")))));
        assert_eq!(LimitKey::Shopper((1, [0; 16])).network(), None);
    }

    /// True for types that a limit can count by: the constant of the type comes before that of the trait, where its bound
    /// holds.
    struct CanCount<T>(PhantomData<T>);
    trait CannotCount {
        const ANSWER: bool = false;
    }
    impl<T> CannotCount for CanCount<T> {}
    impl<T: Counted> CanCount<T> {
        const ANSWER: bool = true;
    }

    #[test]
    fn no_limit_can_count_by_an_address_without_its_network() {
        let by_network = [CanCount::<ClientAddress>::ANSWER, CanCount::<(i64, ClientAddress)>::ANSWER];
        assert_eq!(by_network, [true; 2]);
        let bare = [
            CanCount::<IpAddr>::ANSWER,
            CanCount::<Ipv4Addr>::ANSWER,
            CanCount::<Ipv6Addr>::ANSWER,
            CanCount::<SocketAddr>::ANSWER,
            CanCount::<(i64, IpAddr)>::ANSWER,
            CanCount::<u32>::ANSWER,
            CanCount::<u128>::ANSWER,
            CanCount::<&str>::ANSWER,
        ];
        assert_eq!(bare, [false; 8]);
    }
}
