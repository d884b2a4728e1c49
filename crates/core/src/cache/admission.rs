//! Admission filter: a value is cached from its second request on.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

/// Remembers recent keys by their hashes. A value requested only once would cost memory and evictions without being used.
pub struct AdmissionFilter(Box<[AtomicU64]>);

impl AdmissionFilter {
    /// Remembers about the last `slots` keys.
    pub fn new(slots: usize) -> Self {
        Self((0..slots).map(|_| AtomicU64::new(0)).collect())
    }

    /// True if the key was seen recently. Remembers it.
    pub fn seen_before(&self, key: &impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish() | 1;
        // The upper half: the lowest bit is always set, to differ from an empty slot.
        self.0[(hash >> 32) as usize % self.0.len()].swap(hash, Ordering::Relaxed) == hash
    }
}
