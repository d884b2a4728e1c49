//! A cache of values that stay valid until a write touches one of their invalidation keys.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use wishbone_storage::{ChangeTracker, InvalidationKey, ReadVersion};

/// A value that can be cached.
pub trait Cacheable: Clone {
    type Key: Eq + Hash;

    /// True if all invalidation keys that the value depends on are valid.
    fn is_current(&self, is_valid: impl Fn(InvalidationKey) -> bool) -> bool;

    /// Approximate memory use in bytes.
    fn bytes(&self, key: &Self::Key) -> usize;
}

/// A cache, bounded in bytes, that returns only values that no later write has invalidated.
pub struct VersionedCache<V: Cacheable> {
    cache: Cache<V::Key, (ReadVersion, V), ByteWeighter>,
    tracker: Arc<ChangeTracker>,
}

#[derive(Clone)]
struct ByteWeighter;

/// Approximate memory of an entry besides its value.
const ENTRY_OVERHEAD: usize = 96;

impl<V: Cacheable> Weighter<V::Key, (ReadVersion, V)> for ByteWeighter {
    fn weight(&self, key: &V::Key, (_, value): &(ReadVersion, V)) -> u64 {
        (value.bytes(key) + ENTRY_OVERHEAD) as u64
    }
}

impl<V: Cacheable> VersionedCache<V> {
    /// `capacity` and the expected size of a value are in bytes.
    pub fn new(tracker: &Arc<ChangeTracker>, capacity: usize, value_size: usize) -> Self {
        Self {
            cache: Cache::with_weighter(capacity / value_size, capacity as u64, ByteWeighter),
            tracker: Arc::clone(tracker),
        }
    }

    pub fn get(&self, key: &V::Key) -> Option<V> {
        let (version, value) = self.cache.get(key)?;
        value.is_current(|key| self.tracker.is_valid(version, [key])).then_some(value)
    }

    pub fn insert(&self, key: V::Key, version: ReadVersion, value: V) {
        self.cache.insert(key, (version, value));
    }
}
