//! Limits on open connections, in total and per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::http::edge::address::limit_key;

pub(crate) struct ConnectionLimiter {
    max: usize,
    max_per_address: usize,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// The slot of an open connection, released on drop.
pub(crate) struct ConnectionSlot {
    limiter: Arc<ConnectionLimiter>,
    /// `None` for a proxy, whose address stands for many clients.
    address: Option<IpAddr>,
}

impl ConnectionLimiter {
    pub(crate) fn new(max: usize, max_per_address: usize) -> Arc<Self> {
        Arc::new(Self { max, max_per_address, counts: Mutex::default() })
    }

    /// Takes a slot, or returns `None` at the limit. A proxy is only subject to the total, since all its clients share
    /// its address.
    pub(crate) fn acquire(self: &Arc<Self>, address: IpAddr, is_proxy: bool) -> Option<ConnectionSlot> {
        let address = (!is_proxy).then(|| limit_key(address));
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.total >= self.max {
            return None;
        }
        if let Some(address) = address {
            let open = counts.by_address.entry(address).or_insert(0);
            if *open >= self.max_per_address {
                return None;
            }
            *open += 1;
        }
        counts.total += 1;
        metrics::gauge!("wishbone_connections").increment(1.0);
        Some(ConnectionSlot { limiter: Arc::clone(self), address })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut counts = self.limiter.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total -= 1;
        metrics::gauge!("wishbone_connections").decrement(1.0);
        let Some(address) = self.address else { return };
        if let Some(open) = counts.by_address.get_mut(&address) {
            *open -= 1;
            if *open == 0 {
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
    fn one_address_cannot_take_all_slots_but_a_proxy_can() {
        let limiter = ConnectionLimiter::new(4, 2);
        let connect = |from: &str, is_proxy| limiter.acquire(address(from), is_proxy);
        let first = connect("2001:db8::1", false).unwrap();
        let _second = connect("2001:db8::2", false).unwrap();
        assert!(connect("2001:db8::3", false).is_none());
        let _other = connect("1.2.3.4", false).unwrap();
        let proxied = connect("10.0.0.1", true).unwrap();
        assert!(connect("1.2.3.4", false).is_none(), "all slots are taken");
        drop(first);
        let again = connect("2001:db8::3", false).unwrap();
        assert!(connect("10.0.0.1", true).is_none());
        drop(again);
        let _three = [connect("10.0.0.1", true).unwrap()];
        drop(proxied);
        assert!(connect("1.2.3.4", false).is_some());
    }

    #[test]
    fn addresses_without_connections_take_no_memory() {
        let limiter = ConnectionLimiter::new(10, 10);
        for number in 0..100 {
            drop(limiter.acquire(IpAddr::from([10, 0, 0, number]), false).unwrap());
        }
        let counts = limiter.counts.lock().unwrap();
        assert_eq!((counts.total, counts.by_address.len()), (0, 0));
    }
}
