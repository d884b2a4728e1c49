//! The product cache: what items show of products, encoded, by store and variant, bounded in bytes.
//!
//! Fields belong to a version of the store's catalogue, which every read returns. When the cache meets a later version, the
//! variants that have changed in between are evicted, so what it has of a store always is of one version, see
//! [`ProductCache::advance`].
//!
//! Fields are appended to chunks, and the oldest chunk is evicted first. A page reads all of its products under one lock; a
//! general cache, with a lock and a counter per entry, cost more than the rest of the page.

use std::collections::{HashMap, VecDeque};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::fast::RandomState;

use crate::moment::Millis;

/// Store id and variant id.
type ProductKey = (i64, i64);

pub struct ProductCache {
    pool: RwLock<Pool>,
    /// The limit in bytes.
    capacity: usize,
}

#[derive(Default)]
struct Pool {
    stores: HashMap<i64, KnownCatalog, RandomState>,
    entries: HashMap<ProductKey, Entry, RandomState>,
    chunks: VecDeque<Chunk>,
    /// The number of the first chunk.
    first: u32,
}

/// What fields were made from: the catalogue of a store at a version, and from how many units on a variant is not shown as low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CatalogState {
    pub(crate) store_id: i64,
    pub(crate) version: i64,
    pub(crate) low_stock: i64,
}

/// The state of a catalogue that the cache has fields of.
struct KnownCatalog {
    state: CatalogState,
    since: Millis,
    /// Entries of other epochs are invalid.
    epoch: u32,
}

struct Chunk {
    text: Vec<u8>,
    keys: Vec<ProductKey>,
}

struct Entry {
    epoch: u32,
    read_at: Millis,
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

/// What the cache lacks to be used by a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lag {
    /// It has the version of the read.
    None,
    /// What has changed since this version.
    ChangesSince(i64),
    /// It has nothing of the store that is of use.
    Everything,
    /// It has a later version than the read, which a concurrent one has seen.
    Ahead,
}

/// How long fields are used. It bounds how long a change by hand, without a version, is not seen.
const MAX_AGE: Millis = 60_000;
/// Reads take less. One that sees an earlier version than another has seen this long ago sees a database that has lost commits
/// in a fail-over.
const MAX_READ_TIME: Millis = 10_000;

/// Maximum bytes and entries of a chunk.
const CHUNK_BYTES: usize = 1 << 16;
const CHUNK_ENTRIES: usize = 1 << 10;

/// Approximate memory of an entry besides its text.
const ENTRY_OVERHEAD: usize = 96;

impl ProductCache {
    /// `capacity` is in bytes.
    pub fn new(capacity: usize) -> Self {
        Self { pool: RwLock::default(), capacity }
    }

    /// What the cache lacks for a read that sees the catalogue in this state.
    pub(crate) fn lag(&self, now: Millis, state: CatalogState) -> Lag {
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        match pool.stores.get(&state.store_id) {
            Some(known) if known.state == state => Lag::None,
            Some(known) if known.state.low_stock == state.low_stock && known.state.version < state.version => {
                Lag::ChangesSince(known.state.version)
            }
            Some(known) if known.state.version > state.version && now - known.since < MAX_READ_TIME => Lag::Ahead,
            _ => Lag::Everything,
        }
    }

    /// Advances to a state, unless another read has done so: without what has changed since a version, or without everything.
    pub(crate) fn advance(&self, now: Millis, since: Option<i64>, changed: &[i64], state: CatalogState) {
        let mut pool = self.write();
        let known = pool.stores.get(&state.store_id);
        let known_state = known.map(|known| known.state);
        let before = since.map(|version| CatalogState { version, ..state });
        if known_state == Some(state) || (before.is_some() && known_state != before) {
            return;
        }
        let epoch = known.map_or(0, |known| known.epoch.wrapping_add(u32::from(before.is_none())));
        pool.stores.insert(state.store_id, KnownCatalog { state, since: now, epoch });
        for variant_id in changed {
            pool.entries.remove(&(state.store_id, *variant_id));
        }
    }

    /// Locks the cache for reading fields of a state. `None` if it has none of it.
    pub(crate) fn read(&self, now: Millis, state: CatalogState) -> Option<ReadGuard<'_>> {
        let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
        let epoch = pool.stores.get(&state.store_id).filter(|known| known.state == state)?.epoch;
        Some(ReadGuard { pool, store_id: state.store_id, epoch, now })
    }

    /// Inserts the fields of variants in a state, if it still is the known one; `None` for a variant that the catalogue does not
    /// have.
    pub(crate) fn insert<'f>(
        &self,
        now: Millis,
        state: CatalogState,
        variants: impl IntoIterator<Item = (i64, Option<&'f str>)>,
    ) {
        let mut pool = self.write();
        let known = pool.stores.get(&state.store_id).filter(|known| known.state == state);
        let Some(epoch) = known.map(|known| known.epoch) else { return };
        for (variant_id, fields) in variants {
            // Fields that do not fit a chunk are not cached.
            if fields.is_none_or(|fields| fields.len() < CHUNK_BYTES) {
                pool.add((state.store_id, variant_id), epoch, now, fields);
            }
            while pool.bytes() > self.capacity && pool.chunks.len() > 1 {
                pool.evict_oldest();
            }
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, Pool> {
        self.pool.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK_BYTES + (self.entries.len() + self.stores.len()) * ENTRY_OVERHEAD
    }

    fn add(&mut self, key: ProductKey, epoch: u32, read_at: Millis, fields: Option<&str>) {
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
            self.entries.insert(key, Entry { epoch, read_at, extent, is_known: fields.is_some() });
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

/// A read lock on the cache, for one state of a catalogue.
pub(crate) struct ReadGuard<'a> {
    pool: RwLockReadGuard<'a, Pool>,
    store_id: i64,
    epoch: u32,
    now: Millis,
}

impl ReadGuard<'_> {
    /// Finds the valid fields of a variant; `Some(None)` if the catalogue is known not to have it.
    pub(crate) fn find(&self, variant_id: i64) -> Option<Option<&[u8]>> {
        let entry = self.pool.entries.get(&(self.store_id, variant_id))?;
        if entry.epoch != self.epoch || self.now.abs_diff(entry.read_at) >= MAX_AGE.unsigned_abs() {
            return None;
        }
        if !entry.is_known {
            return Some(None);
        }
        let Extent { chunk, start, length } = entry.extent;
        let chunk = self.pool.chunks.get(chunk.wrapping_sub(self.pool.first) as usize)?;
        Some(Some(chunk.text.get(usize::from(start)..)?.get(..usize::from(length))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(store_id: i64, version: i64) -> CatalogState {
        CatalogState { store_id, version, low_stock: 5 }
    }

    /// A cache with nothing of the first stores, at version 7.
    fn cache() -> ProductCache {
        let cache = ProductCache::new(10 * CHUNK_BYTES);
        (1..=2).for_each(|store_id| cache.advance(0, None, &[], state(store_id, 7)));
        cache
    }

    fn insert(cache: &ProductCache, store_id: i64, variant_id: i64, fields: Option<&str>) {
        cache.insert(0, state(store_id, 7), [(variant_id, fields)]);
    }

    fn find_at(cache: &ProductCache, now: Millis, state: CatalogState, variant_id: i64) -> Option<Option<String>> {
        let read = cache.read(now, state)?;
        let fields = read.find(variant_id)?;
        Some(fields.map(|fields| String::from_utf8(fields.to_vec()).unwrap()))
    }

    fn find(cache: &ProductCache, (store_id, variant_id): ProductKey) -> Option<Option<String>> {
        find_at(cache, 0, state(store_id, 7), variant_id)
    }

    #[test]
    fn a_full_cache_evicts_the_oldest_and_never_mixes_fields_up() {
        let cache = cache();
        let fields = |variant: i64| format!("fields {variant:04} {}", "long ".repeat(200));
        for variant in 0..2_000 {
            insert(&cache, 1, variant, Some(&fields(variant)));
            for old in [variant, variant - 200] {
                assert_eq!(find(&cache, (1, old)), (old >= 0).then(|| Some(fields(old))), "{variant}");
            }
            let pool = cache.pool.read().unwrap();
            assert!(pool.bytes() <= 10 * CHUNK_BYTES);
            assert_eq!(pool.chunks.iter().map(|chunk| chunk.keys.len()).sum::<usize>(), pool.entries.len());
        }
        let first = (0..2_000).find(|variant| find(&cache, (1, *variant)).is_some()).unwrap();
        assert!((1_000..1_800).contains(&first), "{first}");
        for variant in 0..2_000 {
            let expected = (variant >= first).then(|| Some(fields(variant)));
            assert_eq!(find(&cache, (1, variant)), expected, "{variant}");
        }
    }

    #[test]
    fn fields_inserted_again_survive_the_eviction_of_the_old_ones() {
        let cache = cache();
        insert(&cache, 1, 0, Some("old"));
        let fields = "long ".repeat(200);
        let is_full = || cache.pool.read().unwrap().first > 0;
        for variant in 1..2_000 {
            if variant == 300 {
                insert(&cache, 1, 0, Some("new"));
                assert!(!is_full());
            }
            insert(&cache, 1, variant, Some(&fields));
            if is_full() {
                assert_eq!(find(&cache, (1, 0)), Some(Some("new".to_owned())), "{variant}");
                return;
            }
        }
        panic!("nothing was evicted");
    }

    #[test]
    fn a_later_version_evicts_what_has_changed_and_nothing_else() {
        let cache = cache();
        (1..=3).for_each(|variant| insert(&cache, 1, variant, Some("seven")));
        insert(&cache, 2, 1, Some("other"));
        let [old, new] = [state(1, 7), state(1, 9)];
        assert_eq!((cache.lag(0, old), cache.lag(0, new)), (Lag::None, Lag::ChangesSince(7)));
        cache.advance(0, Some(7), &[2], new);
        let found = [1, 2, 3].map(|variant| find_at(&cache, 0, new, variant).is_some());
        assert_eq!(found, [true, false, true]);
        assert_eq!(find(&cache, (2, 1)), Some(Some("other".to_owned())), "of another store");
        // A read that began before the feed, and another that has found the same changes.
        assert_eq!(cache.lag(0, old), Lag::Ahead);
        assert_eq!(find_at(&cache, 0, old, 1), None);
        cache.insert(0, old, [(2, Some("stale"))]);
        cache.insert(0, new, [(2, Some("new"))]);
        cache.advance(0, Some(7), &[2], new);
        assert_eq!(find_at(&cache, 0, new, 2), Some(Some("new".to_owned())));
    }

    #[test]
    fn an_earlier_version_is_a_database_that_has_lost_commits_once_no_older_read_can_be_in_progress() {
        let cache = cache();
        insert(&cache, 1, 1, Some("lost"));
        let earlier = state(1, 6);
        assert_eq!(cache.lag(MAX_READ_TIME - 1, earlier), Lag::Ahead);
        assert_eq!(cache.lag(MAX_READ_TIME, earlier), Lag::Everything);
        cache.advance(MAX_READ_TIME, None, &[], earlier);
        assert_eq!((cache.lag(MAX_READ_TIME, earlier), find_at(&cache, 0, earlier, 1)), (Lag::None, None));
    }

    #[test]
    fn another_setting_of_the_store_is_another_state() {
        let cache = cache();
        insert(&cache, 1, 1, Some("low"));
        let changed = CatalogState { low_stock: 6, ..state(1, 7) };
        assert_eq!(cache.lag(0, changed), Lag::Everything);
        cache.advance(0, None, &[], changed);
        assert_eq!(find_at(&cache, 0, changed, 1), None);
    }

    #[test]
    fn fields_are_used_for_a_minute() {
        let cache = cache();
        insert(&cache, 1, 7, Some("seven"));
        insert(&cache, 1, 8, None);
        assert_eq!(find(&cache, (1, 8)), Some(None));
        assert_eq!(find(&cache, (2, 7)), None, "another store");
        for (at, is_valid) in [(MAX_AGE - 1, true), (MAX_AGE, false)] {
            assert_eq!(find_at(&cache, at, state(1, 7), 7).is_some(), is_valid, "at {at}");
        }
    }

    #[test]
    fn unknown_variants_count_towards_capacity_and_oversized_fields_are_not_cached() {
        let cache = cache();
        (0..20_000).for_each(|variant| insert(&cache, 1, variant, None));
        assert!(cache.pool.read().unwrap().bytes() <= 10 * CHUNK_BYTES);
        assert_eq!((find(&cache, (1, 0)), find(&cache, (1, 19_999))), (None, Some(None)));
        insert(&cache, 2, 1, Some(&"x".repeat(CHUNK_BYTES)));
        assert_eq!(find(&cache, (2, 1)), None);
        let longest = "x".repeat(CHUNK_BYTES - 1);
        insert(&cache, 2, 2, Some(&longest));
        insert(&cache, 2, 3, Some(""));
        assert_eq!(find(&cache, (2, 2)), Some(Some(longest)));
        assert_eq!(find(&cache, (2, 3)), Some(Some(String::new())));
    }
}
