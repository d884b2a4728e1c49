//! Limits on what is open at the same time, in total and per key: connections of an address, streamed responses of a shopper.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct SlotLimiter<K> {
    max: usize,
    max_per_key: usize,
    counts: Mutex<Counts<K>>,
}

struct Counts<K> {
    total: usize,
    by_key: HashMap<K, usize>,
}

/// A slot in use, released on drop.
pub(crate) struct Slot<K: Eq + Hash> {
    limiter: Arc<SlotLimiter<K>>,
    key: Option<K>,
}

impl<K: Eq + Hash + Copy> SlotLimiter<K> {
    pub(crate) fn new(max: usize, max_per_key: usize) -> Arc<Self> {
        Arc::new(Self { max, max_per_key, counts: Mutex::new(Counts { total: 0, by_key: HashMap::new() }) })
    }

    /// Takes a slot, or returns `None` at the limit. Without a key only the total is limited.
    pub(crate) fn acquire(self: &Arc<Self>, key: Option<K>) -> Option<Slot<K>> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.total >= self.max {
            return None;
        }
        if let Some(key) = key {
            let open = counts.by_key.entry(key).or_insert(0);
            if *open >= self.max_per_key {
                return None;
            }
            *open += 1;
        }
        counts.total += 1;
        Some(Slot { limiter: Arc::clone(self), key })
    }
}

impl<K: Eq + Hash> Drop for Slot<K> {
    fn drop(&mut self) {
        let mut counts = self.limiter.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total -= 1;
        let Some(key) = &self.key else { return };
        if let Some(open) = counts.by_key.get_mut(key) {
            *open -= 1;
            if *open == 0 {
                counts.by_key.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_cannot_take_all_slots() {
        let limiter = SlotLimiter::new(4, 2);
        let first = limiter.acquire(Some(1)).unwrap();
        let _second = limiter.acquire(Some(1)).unwrap();
        assert!(limiter.acquire(Some(1)).is_none());
        let _other = limiter.acquire(Some(2)).unwrap();
        let without_key = limiter.acquire(None).unwrap();
        assert!(limiter.acquire(Some(2)).is_none(), "all slots are taken");
        drop(first);
        let again = limiter.acquire(Some(1)).unwrap();
        assert!(limiter.acquire(None).is_none());
        drop(again);
        let _three = [limiter.acquire(None).unwrap()];
        drop(without_key);
        assert!(limiter.acquire(Some(2)).is_some());
    }

    #[test]
    fn keys_without_slots_take_no_memory() {
        let limiter = SlotLimiter::new(10, 10);
        for number in 0..100 {
            drop(limiter.acquire(Some(number)).unwrap());
        }
        let counts = limiter.counts.lock().unwrap();
        assert_eq!((counts.total, counts.by_key.len()), (0, 0));
    }
}
