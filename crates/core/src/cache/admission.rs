//! Admission filter: a value is cached from its second request on.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

/// Remembers for a while what was asked for. What is asked for once is not worth the memory that it takes, nor the time
/// to fill and to empty it.
pub struct AdmissionFilter(Box<[AtomicU64]>);

impl AdmissionFilter {
    /// The last so many, about.
    pub fn new(many: usize) -> Self {
        Self((0..many).map(|_| AtomicU64::new(0)).collect())
    }

    /// Whether this was asked for of late, which it is from now on.
    pub fn seen_before(&self, key: &impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish() | 1;
        // Another part of it than its last bit, which is always set.
        self.0[(hash >> 32) as usize % self.0.len()].swap(hash, Ordering::Relaxed) == hash
    }
}
