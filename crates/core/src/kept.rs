//! What is kept in memory of what was read, for as long as it is still so. Each thing that is kept names what it was
//! made from, and is read again once that has changed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use wishbone_store::{Changes, Since, Subject};

use crate::identity::ShopperId;

pub(crate) fn about_shopper(store_id: i64, shopper: &ShopperId) -> Subject {
    Subject::new(store_id, &shopper.0)
}

pub(crate) fn about_list(store_id: i64, list_id: &uuid::Uuid) -> Subject {
    Subject::new(store_id, list_id.as_bytes())
}

pub(crate) fn about_variant(store_id: i64, variant_id: i64) -> Subject {
    Subject::new(store_id, &variant_id.to_be_bytes())
}

/// The words of any variant.
pub(crate) fn about_catalog(store_id: i64) -> Subject {
    Subject::new(store_id, b"catalog")
}

/// Something that can be kept.
pub trait Keep: Clone {
    type Key: Eq + Hash;

    /// Whether it is still so, if what it was made from is unchanged.
    fn is_so(&self, is_unchanged: impl Fn(Subject) -> bool) -> bool;

    /// How much memory it takes, about.
    fn bytes(&self, key: &Self::Key) -> usize;
}

/// Remembers for a while what was asked for. What is asked for once is not worth the memory that it takes, nor the time
/// to fill and to empty it.
pub struct Askings(Box<[AtomicU64]>);

impl Askings {
    /// The last so many, about.
    pub fn new(many: usize) -> Self {
        Self((0..many).map(|_| AtomicU64::new(0)).collect())
    }

    /// Whether this was asked for of late, which it is from now on.
    pub fn again(&self, key: &impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish() | 1;
        // Another part of it than its last bit, which is always set.
        self.0[(hash >> 32) as usize % self.0.len()].swap(hash, Ordering::Relaxed) == hash
    }
}

/// Some of the things of one kind that were read of late, and still are so.
pub struct Kept<V: Keep> {
    cache: Cache<V::Key, (Since, V), Bytes>,
    changes: Arc<Changes>,
}

#[derive(Clone)]
struct Bytes;

/// What an entry takes besides.
const OVERHEAD: usize = 96;

impl<V: Keep> Weighter<V::Key, (Since, V)> for Bytes {
    fn weight(&self, key: &V::Key, (_, value): &(Since, V)) -> u64 {
        (value.bytes(key) + OVERHEAD) as u64
    }
}

impl<V: Keep> Kept<V> {
    /// For so many bytes, in things of about this size.
    pub fn new(changes: &Arc<Changes>, most: usize, size: usize) -> Self {
        Self { cache: Cache::with_weighter(most / size, most as u64, Bytes), changes: Arc::clone(changes) }
    }

    pub fn get(&self, key: &V::Key) -> Option<V> {
        let (since, value) = self.cache.get(key)?;
        value.is_so(|subject| self.changes.is_unchanged(since, [subject])).then_some(value)
    }

    pub fn keep(&self, key: V::Key, since: Since, value: V) {
        self.cache.insert(key, (since, value));
    }
}
