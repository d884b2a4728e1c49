//! Cache invalidation: which cached values a write may have changed.

use std::hash::{DefaultHasher, Hash, Hasher};

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

/// The keys that a write changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteSet {
    /// Invalidates every cached value.
    Everything,
    /// Invalidates cached values that depend on one of these keys.
    Keys(Vec<InvalidationKey>),
}

impl WriteSet {
    /// Invalidates no cached value.
    pub const fn nothing() -> Self {
        Self::Keys(Vec::new())
    }

    pub fn of(keys: impl Into<Vec<InvalidationKey>>) -> Self {
        Self::Keys(keys.into())
    }
}
