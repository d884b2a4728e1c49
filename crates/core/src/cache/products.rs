//! The product cache: encoded product fields by store and variant, bounded in bytes.
//!
//! Fields lie end to end in chunks; the oldest chunk is evicted first. A page reads all of its products under one lock; a
//! general cache, with a lock and a counter per entry, cost more than the rest of the page.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use wishbone_storage::{ChangeTracker, InvalidationKey, ReadVersion};

use crate::cache::invalidation::variant_key;
use crate::moment::Millis;

/// Store and variant.
pub(crate) type Key = (i64, i64);

pub struct ProductCache {
    /// `None` on an engine that other processes write to.
    changes: Option<Arc<ChangeTracker>>,
    pool: RwLock<Pool>,
    /// How many bytes it may take.
    capacity: usize,
}

#[derive(Default)]
struct Pool {
    entries: HashMap<Key, Entry>,
    chunks: VecDeque<Chunk>,
    /// The number of the first.
    first: u32,
}

struct Chunk {
    text: Vec<u8>,
    keys: Vec<Key>,
}

struct Entry {
    validity: Validity,
    invalidation_key: InvalidationKey,
    extent: Extent,
    /// Whether the catalogue knows the variant.
    is_known: bool,
}

/// Where fields lie.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    chunk: u32,
    start: u16,
    pub(crate) length: u16,
}

/// The state of the catalogue that fields were read from.
#[derive(Clone, Copy)]
pub(crate) enum Validity {
    Version(ReadVersion),
    Stamped { stamp: i64, at: Millis },
}

/// How long fields hold by their stamp, in milliseconds.
const MAX_STAMP_AGE: Millis = 60_000;

/// Bytes of a chunk, and entries.
const CHUNK: usize = 1 << 16;
const CHUNK_ENTRIES: usize = 1 << 10;

/// What an entry takes besides its text, about.
const OVERHEAD: usize = 96;

impl ProductCache {
    /// For so many bytes.
    pub fn new(changes: Option<&Arc<ChangeTracker>>, most: usize) -> Self {
        Self { changes: changes.cloned(), pool: RwLock::default(), capacity: most }
    }

    /// For a look at many fields.
    pub(crate) fn read(&self) -> ReadGuard<'_> {
        ReadGuard { changes: self.changes.as_deref(), pool: self.pool.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Whether there was not enough capacity for all fields.
    pub fn is_full(&self) -> bool {
        self.read().pool.first > 0
    }

    /// `None`: the catalogue does not know the variant.
    pub(crate) fn insert(&self, key: Key, validity: Validity, fields: Option<&str>) {
        // Words that would not fit a chunk are looked up each time.
        if fields.is_none_or(|fields| fields.len() < CHUNK) {
            let mut pool = self.pool.write().unwrap_or_else(PoisonError::into_inner);
            pool.add(key, validity, fields);
            while pool.bytes() > self.capacity && pool.chunks.len() > 1 {
                pool.evict_oldest();
            }
        }
    }
}

impl Pool {
    fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK + self.entries.len() * OVERHEAD
    }

    fn add(&mut self, key: Key, validity: Validity, fields: Option<&str>) {
        let text = fields.unwrap_or_default().as_bytes();
        let has_room = |chunk: &Chunk| chunk.text.len() + text.len() < CHUNK && chunk.keys.len() < CHUNK_ENTRIES;
        if !self.chunks.back().is_some_and(has_room) {
            self.chunks.push_back(Chunk { text: Vec::with_capacity(CHUNK), keys: Vec::new() });
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
            // It may have come again since.
            if self.entries.get(&key).is_some_and(|entry| entry.extent.chunk == self.first) {
                self.entries.remove(&key);
            }
        }
        self.first = self.first.wrapping_add(1);
    }
}

/// The cache while nothing in it changes.
pub(crate) struct ReadGuard<'a> {
    changes: Option<&'a ChangeTracker>,
    pool: RwLockReadGuard<'a, Pool>,
}

impl ReadGuard<'_> {
    /// Where the fields of a variant lie, if they are known and still so; `Some(None)` if the catalogue is known to have none.
    pub(crate) fn find(&self, key: Key, now: Validity) -> Option<Option<Extent>> {
        let entry = self.pool.entries.get(&key).filter(|entry| self.is_valid(entry, now))?;
        Some(entry.is_known.then_some(entry.extent))
    }

    /// The fields that were put there, whether they are still so or not; `None` when they are forgotten.
    pub(crate) fn fields(&self, extent: Extent) -> Option<&[u8]> {
        let chunk = self.pool.chunks.get(extent.chunk.wrapping_sub(self.pool.first) as usize)?;
        chunk.text.get(usize::from(extent.start)..)?.get(..usize::from(extent.length))
    }

    /// Whether an entry still holds in that validity of the catalogue.
    fn is_valid(&self, entry: &Entry, now: Validity) -> bool {
        match (entry.validity, now, self.changes) {
            (Validity::Version(since), Validity::Version(_), Some(changes)) => {
                changes.is_valid(since, [entry.invalidation_key])
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

    fn find(dictionary: &ProductCache, key: Key, validity: Validity) -> Option<Option<String>> {
        let read = dictionary.read();
        let extent = read.find(key, validity)?;
        Some(extent.map(|extent| String::from_utf8(read.fields(extent).unwrap().to_vec()).unwrap()))
    }

    #[test]
    fn a_full_dictionary_forgets_what_is_oldest_and_never_mixes_words_up() {
        let dictionary = ProductCache::new(None, 10 * CHUNK);
        let fields = |variant: i64| format!("fields {variant:04} {}", "long ".repeat(200));
        let mut places = Vec::new();
        for variant in 0..2_000 {
            dictionary.insert((1, variant), STATE, Some(&fields(variant)));
            for old in [variant, variant - 200] {
                assert_eq!(find(&dictionary, (1, old), STATE), (old >= 0).then(|| Some(fields(old))), "{variant}");
            }
            let pool = dictionary.pool.read().unwrap();
            assert!(pool.bytes() <= 10 * CHUNK);
            assert_eq!(pool.chunks.iter().map(|chunk| chunk.keys.len()).sum::<usize>(), pool.entries.len());
            places.push(pool.entries[&(1, variant)].extent);
        }
        let read = dictionary.read();
        let known = |variant: &usize| read.fields(places[*variant]).is_some();
        let first = (0..2_000).find(known).unwrap();
        assert!((1_000..1_800).contains(&first), "{first}");
        for (variant, extent) in places.iter().enumerate() {
            let expected = fields(variant as i64);
            let expected = (variant >= first).then_some(expected.as_bytes());
            assert_eq!(read.fields(*extent), expected, "{variant}");
        }
    }

    #[test]
    fn words_that_came_again_are_not_forgotten_with_the_old_ones() {
        let dictionary = ProductCache::new(None, 10 * CHUNK);
        dictionary.insert((1, 0), STATE, Some("old"));
        let fields = "long ".repeat(200);
        for variant in 1..2_000 {
            if variant == 300 {
                dictionary.insert((1, 0), STATE, Some("new"));
                assert!(!dictionary.is_full());
            }
            dictionary.insert((1, variant), STATE, Some(&fields));
            if dictionary.is_full() {
                assert_eq!(find(&dictionary, (1, 0), STATE), Some(Some("new".to_owned())), "{variant}");
                return;
            }
        }
        panic!("nothing was forgotten");
    }

    #[test]
    fn words_hold_by_their_stamp_for_a_while_and_in_their_store() {
        let dictionary = ProductCache::new(None, 10 * CHUNK);
        dictionary.insert((1, 7), STATE, Some("seven"));
        dictionary.insert((1, 8), STATE, None);
        assert_eq!(find(&dictionary, (1, 8), STATE), Some(None));
        assert_eq!(find(&dictionary, (2, 7), STATE), None, "another store's");
        for (stamp, at, holds) in [(7, MAX_STAMP_AGE - 1, true), (7, MAX_STAMP_AGE, false), (8, 0, false)] {
            let found = find(&dictionary, (1, 7), Validity::Stamped { stamp, at });
            assert_eq!(found.is_some(), holds, "stamp {stamp} at {at}");
        }
    }

    #[test]
    fn what_the_catalogue_does_not_know_takes_room_too_and_what_fits_no_chunk_is_not_kept() {
        let dictionary = ProductCache::new(None, 10 * CHUNK);
        (0..20_000).for_each(|variant| dictionary.insert((1, variant), STATE, None));
        assert!(dictionary.pool.read().unwrap().bytes() <= 10 * CHUNK);
        assert_eq!((find(&dictionary, (1, 0), STATE), find(&dictionary, (1, 19_999), STATE)), (None, Some(None)));
        dictionary.insert((2, 1), STATE, Some(&"x".repeat(CHUNK)));
        assert_eq!(find(&dictionary, (2, 1), STATE), None);
        let longest = "x".repeat(CHUNK - 1);
        dictionary.insert((2, 2), STATE, Some(&longest));
        dictionary.insert((2, 3), STATE, Some(""));
        assert_eq!(find(&dictionary, (2, 2), STATE), Some(Some(longest)));
        assert_eq!(find(&dictionary, (2, 3), STATE), Some(Some(String::new())));
    }
}
