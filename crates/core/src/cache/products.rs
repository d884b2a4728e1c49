//! The product cache: what items show of products, encoded, by store and variant, bounded in bytes.
//!
//! Fields are appended to chunks, and the oldest chunk is evicted first. A page reads all of its products under one lock; a
//! general cache, with a lock and a counter per entry, cost more than the rest of the page.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use foldhash::fast::RandomState;
use wishbone_storage::{ChangeTracker, InvalidationKey, ReadVersion};

use crate::cache::invalidation::{catalog_key, store_key, variant_key};
use crate::moment::Millis;

/// Store id and variant id.
type ProductKey = (i64, i64);

pub struct ProductCache {
    /// `None` on an engine that other processes write to.
    changes: Option<Arc<ChangeTracker>>,
    pool: RwLock<Pool>,
    /// The limit in bytes.
    capacity: usize,
}

#[derive(Default)]
struct Pool {
    entries: HashMap<ProductKey, Entry, RandomState>,
    chunks: VecDeque<Chunk>,
    /// The number of the first chunk.
    first: u32,
}

struct Chunk {
    text: Vec<u8>,
    keys: Vec<ProductKey>,
}

struct Entry {
    validity: Validity,
    invalidation_key: InvalidationKey,
    extent: Extent,
    /// False if the catalogue does not have the variant.
    is_known: bool,
}

/// The position of fields in a chunk.
#[derive(Clone, Copy)]
struct Extent {
    chunk: u32,
    start: u16,
    length: u16,
}

/// The version or the stamp of the catalogue that fields were read from.
#[derive(Clone, Copy)]
pub(crate) enum Validity {
    Version(ReadVersion),
    Stamped { stamp: i64, at: Millis },
}

/// How long an unchanged stamp keeps fields valid.
const MAX_STAMP_AGE: Millis = 60_000;

/// Maximum bytes and entries of a chunk.
const CHUNK_BYTES: usize = 1 << 16;
const CHUNK_ENTRIES: usize = 1 << 10;

/// Approximate memory of an entry besides its text.
const ENTRY_OVERHEAD: usize = 96;

impl ProductCache {
    /// `capacity` is in bytes.
    pub fn new(changes: Option<&Arc<ChangeTracker>>, capacity: usize) -> Self {
        Self { changes: changes.cloned(), pool: RwLock::default(), capacity }
    }

    /// Locks the cache for reading fields that are valid for the store's catalogue in the state `now`.
    pub(crate) fn read(&self, store_id: i64, now: Validity) -> ReadGuard<'_> {
        let (changes, pool) = (self.changes.as_deref(), self.pool.read().unwrap_or_else(PoisonError::into_inner));
        ReadGuard { changes, pool, store_id, store: store_key(store_id), catalog: catalog_key(store_id), now }
    }

    /// Inserts the fields of variants; `None` for a variant that the catalogue does not have.
    pub(crate) fn insert<'f>(
        &self,
        store_id: i64,
        validity: Validity,
        variants: impl IntoIterator<Item = (i64, Option<&'f str>)>,
    ) {
        let mut pool = self.pool.write().unwrap_or_else(PoisonError::into_inner);
        for (variant_id, fields) in variants {
            // Fields that do not fit a chunk are not cached.
            if fields.is_none_or(|fields| fields.len() < CHUNK_BYTES) {
                pool.add((store_id, variant_id), validity, fields);
            }
            while pool.bytes() > self.capacity && pool.chunks.len() > 1 {
                pool.evict_oldest();
            }
        }
    }
}

impl Pool {
    fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK_BYTES + self.entries.len() * ENTRY_OVERHEAD
    }

    fn add(&mut self, key: ProductKey, validity: Validity, fields: Option<&str>) {
        let text = fields.unwrap_or_default().as_bytes();
        let has_room = |chunk: &Chunk| chunk.text.len() + text.len() < CHUNK_BYTES && chunk.keys.len() < CHUNK_ENTRIES;
        if !self.chunks.back().is_some_and(has_room) {
            self.chunks.push_back(Chunk { text: Vec::with_capacity(CHUNK_BYTES), keys: Vec::new() });
        }
        let number = self.first.wrapping_add(self.chunks.len() as u32 - 1);
        if let Some(chunk) = self.chunks.back_mut() {
            let extent = Extent { chunk: number, start: chunk.text.len() as u16, length: text.len() as u16 };
            chunk.text.extend_from_slice(text);
            chunk.keys.push(key);
            let (invalidation_key, is_known) = (variant_key(key.0, key.1), fields.is_some());
            self.entries.insert(key, Entry { validity, invalidation_key, extent, is_known });
        }
    }

    fn evict_oldest(&mut self) {
        let Some(chunk) = self.chunks.pop_front() else { return };
        for key in chunk.keys {
            // The key may have been inserted again since.
            if self.entries.get(&key).is_some_and(|entry| entry.extent.chunk == self.first) {
                self.entries.remove(&key);
            }
        }
        self.first = self.first.wrapping_add(1);
    }
}

/// A read lock on the cache, for one store.
pub(crate) struct ReadGuard<'a> {
    changes: Option<&'a ChangeTracker>,
    pool: RwLockReadGuard<'a, Pool>,
    store_id: i64,
    /// Availability depends on a setting of the store.
    store: InvalidationKey,
    catalog: InvalidationKey,
    now: Validity,
}

impl ReadGuard<'_> {
    /// Finds the valid fields of a variant; `Some(None)` if the catalogue is known not to have it.
    pub(crate) fn find(&self, variant_id: i64) -> Option<Option<&[u8]>> {
        let entry = self.pool.entries.get(&(self.store_id, variant_id)).filter(|entry| self.is_valid(entry))?;
        if !entry.is_known {
            return Some(None);
        }
        let Extent { chunk, start, length } = entry.extent;
        let chunk = self.pool.chunks.get(chunk.wrapping_sub(self.pool.first) as usize)?;
        Some(Some(chunk.text.get(usize::from(start)..)?.get(..usize::from(length))?))
    }

    fn is_valid(&self, entry: &Entry) -> bool {
        match (entry.validity, self.now, self.changes) {
            // Most of the time no product of the store has changed: that key is in the processor's cache, the variant's is not.
            (Validity::Version(version), Validity::Version(_), Some(changes)) => {
                changes.is_valid(version, [self.store])
                    && (changes.is_valid(version, [self.catalog])
                        || changes.is_valid(version, [entry.invalidation_key]))
            }
            (Validity::Stamped { stamp, at }, Validity::Stamped { stamp: stamp_now, at: now }, None) => {
                stamp == stamp_now && now.abs_diff(at) < MAX_STAMP_AGE.unsigned_abs()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: Validity = Validity::Stamped { stamp: 7, at: 0 };

    fn find(cache: &ProductCache, key: ProductKey, validity: Validity) -> Option<Option<String>> {
        let read = cache.read(key.0, validity);
        let fields = read.find(key.1)?;
        Some(fields.map(|fields| String::from_utf8(fields.to_vec()).unwrap()))
    }

    #[test]
    fn a_full_cache_evicts_the_oldest_and_never_mixes_fields_up() {
        let cache = ProductCache::new(None, 10 * CHUNK_BYTES);
        let fields = |variant: i64| format!("fields {variant:04} {}", "long ".repeat(200));
        for variant in 0..2_000 {
            cache.insert(1, STATE, [(variant, Some(fields(variant).as_str()))]);
            for old in [variant, variant - 200] {
                assert_eq!(find(&cache, (1, old), STATE), (old >= 0).then(|| Some(fields(old))), "{variant}");
            }
            let pool = cache.pool.read().unwrap();
            assert!(pool.bytes() <= 10 * CHUNK_BYTES);
            assert_eq!(pool.chunks.iter().map(|chunk| chunk.keys.len()).sum::<usize>(), pool.entries.len());
        }
        let first = (0..2_000).find(|variant| find(&cache, (1, *variant), STATE).is_some()).unwrap();
        assert!((1_000..1_800).contains(&first), "{first}");
        for variant in 0..2_000 {
            let expected = (variant >= first).then(|| Some(fields(variant)));
            assert_eq!(find(&cache, (1, variant), STATE), expected, "{variant}");
        }
    }

    #[test]
    fn fields_inserted_again_survive_the_eviction_of_the_old_ones() {
        let cache = ProductCache::new(None, 10 * CHUNK_BYTES);
        cache.insert(1, STATE, [(0, Some("old"))]);
        let fields = "long ".repeat(200);
        let is_full = || cache.pool.read().unwrap().first > 0;
        for variant in 1..2_000 {
            if variant == 300 {
                cache.insert(1, STATE, [(0, Some("new"))]);
                assert!(!is_full());
            }
            cache.insert(1, STATE, [(variant, Some(fields.as_str()))]);
            if is_full() {
                assert_eq!(find(&cache, (1, 0), STATE), Some(Some("new".to_owned())), "{variant}");
                return;
            }
        }
        panic!("nothing was evicted");
    }

    #[test]
    fn a_stamp_keeps_fields_valid_for_a_minute_in_their_store() {
        let cache = ProductCache::new(None, 10 * CHUNK_BYTES);
        cache.insert(1, STATE, [(7, Some("seven"))]);
        cache.insert(1, STATE, [(8, None)]);
        assert_eq!(find(&cache, (1, 8), STATE), Some(None));
        assert_eq!(find(&cache, (2, 7), STATE), None, "another store");
        for (stamp, at, is_valid) in [(7, MAX_STAMP_AGE - 1, true), (7, MAX_STAMP_AGE, false), (8, 0, false)] {
            let found = find(&cache, (1, 7), Validity::Stamped { stamp, at });
            assert_eq!(found.is_some(), is_valid, "stamp {stamp} at {at}");
        }
    }

    #[test]
    fn unknown_variants_count_towards_capacity_and_oversized_fields_are_not_cached() {
        let cache = ProductCache::new(None, 10 * CHUNK_BYTES);
        (0..20_000).for_each(|variant| cache.insert(1, STATE, [(variant, None)]));
        assert!(cache.pool.read().unwrap().bytes() <= 10 * CHUNK_BYTES);
        assert_eq!((find(&cache, (1, 0), STATE), find(&cache, (1, 19_999), STATE)), (None, Some(None)));
        cache.insert(2, STATE, [(1, Some("x".repeat(CHUNK_BYTES).as_str()))]);
        assert_eq!(find(&cache, (2, 1), STATE), None);
        let longest = "x".repeat(CHUNK_BYTES - 1);
        cache.insert(2, STATE, [(2, Some(longest.as_str()))]);
        cache.insert(2, STATE, [(3, Some(""))]);
        assert_eq!(find(&cache, (2, 2), STATE), Some(Some(longest)));
        assert_eq!(find(&cache, (2, 3), STATE), Some(Some(String::new())));
    }
}
