//! A cache of values that stay valid until a write touches one of their invalidation keys.

use std::hash::Hash;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use wishbone_storage::{ChangeTracker, InvalidationKey, ReadVersion};

/// Something that can be kept.
pub trait Cacheable: Clone {
    type Key: Eq + Hash;

    /// Whether it is still so, if what it was made from is unchanged.
    fn is_current(&self, is_valid: impl Fn(InvalidationKey) -> bool) -> bool;

    /// How much memory it takes, about.
    fn bytes(&self, key: &Self::Key) -> usize;
}

/// Some of the things of one kind that were read of late, and still are so.
pub struct VersionedCache<V: Cacheable> {
    cache: Cache<V::Key, (ReadVersion, V), Bytes>,
    tracker: Arc<ChangeTracker>,
}

#[derive(Clone)]
struct Bytes;

/// What an entry takes besides.
const OVERHEAD: usize = 96;

impl<V: Cacheable> Weighter<V::Key, (ReadVersion, V)> for Bytes {
    fn weight(&self, key: &V::Key, (_, value): &(ReadVersion, V)) -> u64 {
        (value.bytes(key) + OVERHEAD) as u64
    }
}

impl<V: Cacheable> VersionedCache<V> {
    /// For so many bytes, in things of about this size.
    pub fn new(tracker: &Arc<ChangeTracker>, capacity: usize, size: usize) -> Self {
        Self { cache: Cache::with_weighter(capacity / size, capacity as u64, Bytes), tracker: Arc::clone(tracker) }
    }

    pub fn get(&self, key: &V::Key) -> Option<V> {
        let (version, value) = self.cache.get(key)?;
        value.is_current(|key| self.tracker.is_valid(version, [key])).then_some(value)
    }

    pub fn insert(&self, key: V::Key, version: ReadVersion, value: V) {
        self.cache.insert(key, (version, value));
    }
}
