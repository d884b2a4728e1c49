//! Whom a limit counts.

use std::net::IpAddr;

use wishbone_core::identity::caller::Shopper;

/// A shopper; of browser guests, which anyone can have many of, and of those who are nobody yet, their client address; or a
/// store.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LimitKey {
    Shopper((i64, [u8; 16])),
    Address(IpAddr),
    Store(i64),
}

impl LimitKey {
    pub(crate) fn new(by: &Shopper, address: Option<IpAddr>) -> Self {
        guest_address(by, address).map_or_else(|| Self::Shopper(by.fingerprint()), Self::Address)
    }
}

/// The client address of a browser guest. A shop's server, which calls for all of its shoppers from one address, does not
/// use browser guests.
pub(crate) fn guest_address(by: &Shopper, address: Option<IpAddr>) -> Option<IpAddr> {
    address.filter(|_| by.is_browser_guest())
}
