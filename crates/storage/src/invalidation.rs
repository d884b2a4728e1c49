//! Cache invalidation: which cached values a write may have changed.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::Result;
use crate::sql::Row;

/// The number of distinct keys. Keys can collide, which invalidates a cached value needlessly. Collisions are rare
/// while far fewer keys change during the lifetime of a cached value; one `u64` per key takes 8 MiB.
pub(crate) const KEYS: usize = 1 << 20;

/// A hash that identifies what a cached value depends on. A cached value lists its keys, and a write lists the keys it
/// changes (see [`crate::Write::write_set`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidationKey(u32);

impl InvalidationKey {
    pub fn new(owner: i64, id: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        (owner, id).hash(&mut hasher);
        Self(hasher.finish() as u32 % KEYS as u32)
    }

    /// The index of the key, below [`KEYS`].
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The keys that a write changes. Cached values that depend on one of them become invalid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteSet(Vec<InvalidationKey>);

impl WriteSet {
    /// Invalidates no cached value.
    pub const fn nothing() -> Self {
        Self(Vec::new())
    }

    pub fn of(keys: impl IntoIterator<Item = InvalidationKey>) -> Self {
        Self(keys.into_iter().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn keys(&self) -> &[InvalidationKey] {
        &self.0
    }
}

impl Extend<InvalidationKey> for WriteSet {
    fn extend<I: IntoIterator<Item = InvalidationKey>>(&mut self, keys: I) {
        self.0.extend(keys);
    }
}

/// What cached values depend on in a table, for the check of write sets in tests.
#[derive(Clone, Copy, Debug)]
pub struct CachedTable {
    pub name: &'static str,
    /// The columns that `keys` reads.
    pub key: &'static [&'static str],
    /// The keys that a change of a row must declare.
    pub keys: fn(&dyn Row) -> Result<Vec<InvalidationKey>>,
    /// Columns that no cached value has. A change of these alone invalidates nothing.
    pub uncached: &'static [&'static str],
}
