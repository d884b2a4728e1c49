//! What the catalogue says of variants, encoded, as far as there is room for it.
//!
//! Words lie end to end in chunks, of which the oldest is forgotten when there are too many. A page asks for all of its
//! words under one lock; a general cache, with its own lock and counter for each entry, took more of a page's time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use wishbone_store::{Changes, Since, Subject};

use crate::Millis;
use crate::kept::about_variant;

/// Store and variant.
pub(crate) type Key = (i64, i64);

pub struct Dictionary {
    /// Where this process knows them all.
    changes: Option<Arc<Changes>>,
    pool: RwLock<Pool>,
    /// How many bytes it may take.
    room: usize,
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
    state: State,
    subject: Subject,
    place: Place,
    /// Whether the catalogue knows the variant.
    is_known: bool,
}

/// Where words lie.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    chunk: u32,
    start: u16,
    pub(crate) length: u16,
}

/// Of when words are.
#[derive(Clone, Copy)]
pub(crate) enum State {
    Since(Since),
    Stamped { stamp: i64, at: Millis },
}

/// How long words hold by their stamp, in milliseconds.
const LONGEST: Millis = 60_000;

/// Bytes of a chunk, and entries.
const CHUNK: usize = 1 << 16;
const CHUNK_ENTRIES: usize = 1 << 10;

/// What an entry takes besides its text, about.
const OVERHEAD: usize = 96;

impl Dictionary {
    /// For so many bytes.
    pub fn new(changes: Option<&Arc<Changes>>, most: usize) -> Self {
        Self { changes: changes.cloned(), pool: RwLock::default(), room: most }
    }

    /// For a look at many words.
    pub(crate) fn open(&self) -> Open<'_> {
        Open { changes: self.changes.as_deref(), pool: self.pool.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// Whether there was not enough room for all words.
    pub fn is_full(&self) -> bool {
        self.open().pool.first > 0
    }

    /// `None`: the catalogue does not know the variant.
    pub(crate) fn keep(&self, key: Key, state: State, words: Option<&str>) {
        // Words that would not fit a chunk are looked up each time.
        if words.is_none_or(|words| words.len() < CHUNK) {
            let mut pool = self.pool.write().unwrap_or_else(PoisonError::into_inner);
            pool.add(key, state, words);
            while pool.bytes() > self.room && pool.chunks.len() > 1 {
                pool.forget_oldest();
            }
        }
    }
}

impl Pool {
    fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK + self.entries.len() * OVERHEAD
    }

    fn add(&mut self, key: Key, state: State, words: Option<&str>) {
        let text = words.unwrap_or_default().as_bytes();
        let has_room = |chunk: &Chunk| chunk.text.len() + text.len() < CHUNK && chunk.keys.len() < CHUNK_ENTRIES;
        if !self.chunks.back().is_some_and(has_room) {
            self.chunks.push_back(Chunk { text: Vec::with_capacity(CHUNK), keys: Vec::new() });
        }
        let number = self.first.wrapping_add(self.chunks.len() as u32 - 1);
        if let Some(chunk) = self.chunks.back_mut() {
            let place = Place { chunk: number, start: chunk.text.len() as u16, length: text.len() as u16 };
            chunk.text.extend_from_slice(text);
            chunk.keys.push(key);
            let (subject, is_known) = (about_variant(key.0, key.1), words.is_some());
            self.entries.insert(key, Entry { state, subject, place, is_known });
        }
    }

    fn forget_oldest(&mut self) {
        let Some(chunk) = self.chunks.pop_front() else { return };
        for key in chunk.keys {
            // It may have come again since.
            if self.entries.get(&key).is_some_and(|entry| entry.place.chunk == self.first) {
                self.entries.remove(&key);
            }
        }
        self.first = self.first.wrapping_add(1);
    }
}

/// The dictionary while nothing in it changes.
pub(crate) struct Open<'a> {
    changes: Option<&'a Changes>,
    pool: RwLockReadGuard<'a, Pool>,
}

impl Open<'_> {
    /// Where the words of a variant lie, if they are known and still so; `Some(None)` if the catalogue is known to have none.
    pub(crate) fn find(&self, key: Key, now: State) -> Option<Option<Place>> {
        let entry = self.pool.entries.get(&key).filter(|entry| self.is_so(entry, now))?;
        Some(entry.is_known.then_some(entry.place))
    }

    /// The words that were put there, whether they are still so or not; `None` when they are forgotten.
    pub(crate) fn words(&self, place: Place) -> Option<&[u8]> {
        let chunk = self.pool.chunks.get(place.chunk.wrapping_sub(self.pool.first) as usize)?;
        chunk.text.get(usize::from(place.start)..)?.get(..usize::from(place.length))
    }

    /// Whether an entry still holds in that state of the catalogue.
    fn is_so(&self, entry: &Entry, now: State) -> bool {
        match (entry.state, now, self.changes) {
            (State::Since(since), State::Since(_), Some(changes)) => changes.is_unchanged(since, [entry.subject]),
            (State::Stamped { stamp, at }, State::Stamped { stamp: stamp_now, at: now }, None) => {
                stamp == stamp_now && now.abs_diff(at) < LONGEST.unsigned_abs()
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: State = State::Stamped { stamp: 7, at: 0 };

    fn find(dictionary: &Dictionary, key: Key, state: State) -> Option<Option<String>> {
        let open = dictionary.open();
        let place = open.find(key, state)?;
        Some(place.map(|place| String::from_utf8(open.words(place).unwrap().to_vec()).unwrap()))
    }

    #[test]
    fn a_full_dictionary_forgets_what_is_oldest_and_never_mixes_words_up() {
        let dictionary = Dictionary::new(None, 10 * CHUNK);
        let words = |variant: i64| format!("words {variant:04} {}", "long ".repeat(200));
        let mut places = Vec::new();
        for variant in 0..2_000 {
            dictionary.keep((1, variant), STATE, Some(&words(variant)));
            for old in [variant, variant - 200] {
                assert_eq!(find(&dictionary, (1, old), STATE), (old >= 0).then(|| Some(words(old))), "{variant}");
            }
            let pool = dictionary.pool.read().unwrap();
            assert!(pool.bytes() <= 10 * CHUNK);
            assert_eq!(pool.chunks.iter().map(|chunk| chunk.keys.len()).sum::<usize>(), pool.entries.len());
            places.push(pool.entries[&(1, variant)].place);
        }
        let open = dictionary.open();
        let known = |variant: &usize| open.words(places[*variant]).is_some();
        let first = (0..2_000).find(known).unwrap();
        assert!((1_000..1_800).contains(&first), "{first}");
        for (variant, place) in places.iter().enumerate() {
            let expected = words(variant as i64);
            let expected = (variant >= first).then_some(expected.as_bytes());
            assert_eq!(open.words(*place), expected, "{variant}");
        }
    }

    #[test]
    fn words_that_came_again_are_not_forgotten_with_the_old_ones() {
        let dictionary = Dictionary::new(None, 10 * CHUNK);
        dictionary.keep((1, 0), STATE, Some("old"));
        let words = "long ".repeat(200);
        for variant in 1..2_000 {
            if variant == 300 {
                dictionary.keep((1, 0), STATE, Some("new"));
                assert!(!dictionary.is_full());
            }
            dictionary.keep((1, variant), STATE, Some(&words));
            if dictionary.is_full() {
                assert_eq!(find(&dictionary, (1, 0), STATE), Some(Some("new".to_owned())), "{variant}");
                return;
            }
        }
        panic!("nothing was forgotten");
    }

    #[test]
    fn words_hold_by_their_stamp_for_a_while_and_in_their_store() {
        let dictionary = Dictionary::new(None, 10 * CHUNK);
        dictionary.keep((1, 7), STATE, Some("seven"));
        dictionary.keep((1, 8), STATE, None);
        assert_eq!(find(&dictionary, (1, 8), STATE), Some(None));
        assert_eq!(find(&dictionary, (2, 7), STATE), None, "another store's");
        for (stamp, at, holds) in [(7, LONGEST - 1, true), (7, LONGEST, false), (8, 0, false)] {
            let found = find(&dictionary, (1, 7), State::Stamped { stamp, at });
            assert_eq!(found.is_some(), holds, "stamp {stamp} at {at}");
        }
    }

    #[test]
    fn what_the_catalogue_does_not_know_takes_room_too_and_what_fits_no_chunk_is_not_kept() {
        let dictionary = Dictionary::new(None, 10 * CHUNK);
        (0..20_000).for_each(|variant| dictionary.keep((1, variant), STATE, None));
        assert!(dictionary.pool.read().unwrap().bytes() <= 10 * CHUNK);
        assert_eq!((find(&dictionary, (1, 0), STATE), find(&dictionary, (1, 19_999), STATE)), (None, Some(None)));
        dictionary.keep((2, 1), STATE, Some(&"x".repeat(CHUNK)));
        assert_eq!(find(&dictionary, (2, 1), STATE), None);
        let longest = "x".repeat(CHUNK - 1);
        dictionary.keep((2, 2), STATE, Some(&longest));
        dictionary.keep((2, 3), STATE, Some(""));
        assert_eq!(find(&dictionary, (2, 2), STATE), Some(Some(longest)));
        assert_eq!(find(&dictionary, (2, 3), STATE), Some(Some(String::new())));
    }
}
