//! How many connections there may be, in all and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::http::edge::address::subscriber;

pub(crate) struct ConnectionLimiter {
    most: usize,
    most_of_one: usize,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection's slot, free again when it is dropped.
pub(crate) struct ConnectionSlot {
    limiter: Arc<ConnectionLimiter>,
    /// None where an address stands for many clients.
    address: Option<IpAddr>,
}

impl ConnectionLimiter {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_one, counts: Mutex::default() })
    }

    /// `is_proxy`: only the whole counts, since all its clients have this address.
    pub(crate) fn acquire(self: &Arc<Self>, address: IpAddr, is_proxy: bool) -> Option<ConnectionSlot> {
        let address = (!is_proxy).then(|| subscriber(address));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.all >= self.most {
            return None;
        }
        if let Some(address) = address {
            let of_this = counts.by_address.entry(address).or_insert(0);
            if *of_this >= self.most_of_one {
                return None;
            }
            *of_this += 1;
        }
        counts.all += 1;
        metrics::gauge!("wishbone_connections").set(counts.all as f64);
        Some(ConnectionSlot { limiter: Arc::clone(self), address })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut counts = self.limiter.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all -= 1;
        metrics::gauge!("wishbone_connections").set(counts.all as f64);
        let Some(address) = self.address else { return };
        if let Some(of_this) = counts.by_address.get_mut(&address) {
            *of_this -= 1;
            if *of_this == 0 {
                counts.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_address_cannot_take_all_places_and_a_proxy_can() {
        let limiter = ConnectionLimiter::new(4, 2);
        let connect = |from: &str, is_proxy| limiter.acquire(address(from), is_proxy);
        let first = connect("2001:db8::1", false).unwrap();
        let _second = connect("2001:db8::2", false).unwrap();
        assert!(connect("2001:db8::3", false).is_none());
        let _other = connect("1.2.3.4", false).unwrap();
        let proxied = connect("10.0.0.1", true).unwrap();
        assert!(connect("1.2.3.4", false).is_none(), "the house is full");
        drop(first);
        let again = connect("2001:db8::3", false).unwrap();
        assert!(connect("10.0.0.1", true).is_none());
        drop(again);
        let _three = [connect("10.0.0.1", true).unwrap()];
        drop(proxied);
        assert!(connect("1.2.3.4", false).is_some());
    }

    #[test]
    fn addresses_that_have_left_are_forgotten() {
        let limiter = ConnectionLimiter::new(10, 10);
        for number in 0..100 {
            drop(limiter.acquire(IpAddr::from([10, 0, 0, number]), false).unwrap());
        }
        let counts = limiter.counts.lock().unwrap();
        assert_eq!((counts.all, counts.by_address.len()), (0, 0));
    }
}
