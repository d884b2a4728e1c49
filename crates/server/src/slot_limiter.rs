//! Limits on what is open at the same time, in total and per key: connections of an address, streamed responses of a shopper.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limit_key::{Counted, NETWORK_FACTOR};

pub(crate) struct SlotLimiter<K> {
    max: usize,
    max_per_key: usize,
    max_per_network: usize,
    counts: Mutex<Counts<K>>,
}

struct Counts<K> {
    total: usize,
    by_key: HashMap<K, usize>,
}

/// A slot in use, released on drop.
pub(crate) struct Slot<K: Counted> {
    limiter: Arc<SlotLimiter<K>>,
    key: Option<K>,
}

impl<K: Counted> SlotLimiter<K> {
    pub(crate) fn new(max: usize, max_per_key: usize) -> Arc<Self> {
        // A network never takes all, unless one key may.
        let max_per_network = max_per_key.saturating_mul(NETWORK_FACTOR as usize).min(max - max / 4).max(max_per_key);
        let counts = Mutex::new(Counts { total: 0, by_key: HashMap::new() });
        Arc::new(Self { max, max_per_key, max_per_network, counts })
    }

    /// True if there is no slot for anybody.
    pub(crate) fn is_full(&self) -> bool {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).total >= self.max
    }

    /// Takes a slot, or returns `None` at the limit. Without a key only the total is limited.
    pub(crate) fn acquire(self: &Arc<Self>, key: Option<K>) -> Option<Slot<K>> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.total >= self.max {
            return None;
        }
        let limits = [(key, self.max_per_key), (key.and_then(K::network), self.max_per_network)];
        let open = |key: Option<K>| key.and_then(|key| counts.by_key.get(&key)).copied().unwrap_or(0);
        if limits.iter().any(|(key, max)| open(*key) >= *max) {
            return None;
        }
        for key in keys(key) {
            *counts.by_key.entry(key).or_insert(0) += 1;
        }
        counts.total += 1;
        Some(Slot { limiter: Arc::clone(self), key })
    }
}

/// A key and its network.
fn keys<K: Counted>(key: Option<K>) -> impl Iterator<Item = K> {
    key.into_iter().chain(key.and_then(K::network))
}

impl<K: Counted> Drop for Slot<K> {
    fn drop(&mut self) {
        let mut counts = self.limiter.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total -= 1;
        for key in keys(self.key) {
            if let Some(open) = counts.by_key.get_mut(&key) {
                *open -= 1;
                if *open == 0 {
                    counts.by_key.remove(&key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::limit_key::ClientAddress;

    #[test]
    fn one_key_cannot_take_all_slots() {
        let limiter = SlotLimiter::new(4, 2);
        let first = limiter.acquire(Some(1_i64)).unwrap();
        let _second = limiter.acquire(Some(1_i64)).unwrap();
        assert!(limiter.acquire(Some(1_i64)).is_none());
        let _other = limiter.acquire(Some(2)).unwrap();
        assert!(!limiter.is_full());
        let without_key = limiter.acquire(None).unwrap();
        assert!(limiter.acquire(Some(2)).is_none() && limiter.is_full(), "all slots are taken");
        drop(first);
        let again = limiter.acquire(Some(1_i64)).unwrap();
        assert!(limiter.acquire(None).is_none());
        drop(again);
        let _three = [limiter.acquire(None).unwrap()];
        drop(without_key);
        assert!(limiter.acquire(Some(2)).is_some());
    }

    #[test]
    fn the_addresses_of_a_network_share_a_larger_limit() {
        let address = |text: &str| Some(ClientAddress::from(text.parse::<IpAddr>().unwrap()));
        let limiter = SlotLimiter::new(100, 2);
        let mut open: Vec<_> = (1..=4)
            .flat_map(|host| [(); 2].map(|()| limiter.acquire(address(&format!("192.0.2.{host}"))).unwrap()))
            .collect();
        assert!(limiter.acquire(address("192.0.2.1")).is_none());
        assert!(limiter.acquire(address("192.0.2.9")).is_none(), "four times as many as an address");
        assert!(limiter.acquire(address("192.0.3.9")).is_some());
        open.pop();
        open.push(limiter.acquire(address("192.0.2.9")).unwrap());
        drop(open);
        assert!(limiter.counts.lock().unwrap().by_key.is_empty());
        let few = SlotLimiter::new(8, 4);
        let taken: Vec<_> = (0..8).filter_map(|host| few.acquire(address(&format!("2001:db8:0:{host}::1")))).collect();
        assert_eq!(taken.len(), 6, "never all");
    }

    #[test]
    fn keys_without_slots_take_no_memory() {
        let limiter = SlotLimiter::new(10, 10);
        for number in 0..100_i64 {
            drop(limiter.acquire(Some(number)).unwrap());
        }
        let counts = limiter.counts.lock().unwrap();
        assert_eq!((counts.total, counts.by_key.len()), (0, 0));
    }
}
