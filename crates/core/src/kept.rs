//! What is kept in memory of what was read, for as long as it is still so. Each thing that is kept names what it was
//! made from, and is read again once that has changed.

use std::hash::Hash;
use std::sync::Arc;

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

/// Something that can be kept.
pub trait Keep: Clone {
    type Key: Eq + Hash;

    /// What it was made from.
    fn subjects(&self, key: &Self::Key) -> impl Iterator<Item = Subject>;

    /// How much memory it takes, about.
    fn bytes(&self, key: &Self::Key) -> usize;
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
        self.changes.is_unchanged(since, value.subjects(key)).then_some(value)
    }

    pub fn keep(&self, key: V::Key, since: Since, value: V) {
        self.cache.insert(key, (since, value));
    }
}
