//! The words of products, kept in memory. A page of fifty items would look fifty products up, which takes longer than
//! all the rest.
//!
//! They lie end to end in one block, and a page asks for all of its words under one lock. A general cache, with its own
//! lock and counter for each entry, took more of a page's time.
//!
//! Where all writes pass through this process, the process knows which words have changed. Elsewhere each read brings
//! along the stamp of its store's catalogue, and words hold for as long as that is the same, and for a minute at most:
//! whoever writes without a stamp, by hand or from an older server beside this one, is not overlooked for longer.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use wishbone_store::{Arg, Bound, Changes, Query, Since, Subject};

use crate::catalog::WORDS;
use crate::kept::about_variant;
use crate::product_fields::UNKNOWN;
use crate::{Millis, Result};

/// Store and variant.
type Key = (i64, i64);

/// What the catalogue says of variants, encoded.
pub struct Dictionary {
    /// Where this process knows them all.
    changes: Option<Arc<Changes>>,
    halves: RwLock<[Half; 2]>,
    /// How many bytes a half may take.
    room: usize,
}

/// When the young half is full, it becomes the old one, and what was old is forgotten.
#[derive(Default)]
struct Half {
    entries: HashMap<Key, Entry>,
    text: Vec<u8>,
}

#[derive(Clone)]
struct Entry {
    state: State,
    subject: Subject,
    /// Where in the text; `None` when the catalogue does not know the variant.
    words: Option<Range<u32>>,
}

/// Of when words are.
#[derive(Clone, Copy)]
enum State {
    Since(Since),
    Stamped { stamp: i64, at: Millis },
}

/// How long words hold by their stamp, in milliseconds.
const LONGEST: Millis = 60_000;

/// What an entry takes besides its text, about.
const OVERHEAD: usize = 64;

impl Half {
    fn bytes(&self) -> usize {
        self.text.len() + self.entries.len() * OVERHEAD
    }
}

impl Dictionary {
    /// For so many bytes.
    pub fn new(changes: Option<&Arc<Changes>>, most: usize) -> Self {
        Self { changes: changes.cloned(), halves: RwLock::default(), room: most / 2 }
    }

    /// Whether an entry still holds in that state of the catalogue.
    fn is_so(&self, entry: &Entry, now: State) -> bool {
        match (entry.state, now, &self.changes) {
            (State::Since(since), State::Since(_), Some(changes)) => changes.is_unchanged(since, [entry.subject]),
            (State::Stamped { stamp, at }, State::Stamped { stamp: stamp_now, at: now }, None) => {
                stamp == stamp_now && now.abs_diff(at) < LONGEST.unsigned_abs()
            }
            _ => false,
        }
    }

    fn keep(&self, key: Key, state: State, words: Option<&str>) {
        let mut halves = self.halves.write().unwrap_or_else(PoisonError::into_inner);
        if halves[0].bytes() + words.map_or(0, str::len) + OVERHEAD > self.room {
            let [young, old] = &mut *halves;
            *old = std::mem::take(young);
        }
        let Half { entries, text } = &mut halves[0];
        let words = words.map(|words| {
            let start = text.len() as u32;
            text.extend_from_slice(words.as_bytes());
            start..text.len() as u32
        });
        entries.insert(key, Entry { state, subject: about_variant(key.0, key.1), words });
    }

    /// Puts what is known where it belongs.
    fn fill(&self, store_id: i64, now: State, part: &Unfilled) -> Unfilled {
        let halves = self.halves.read().unwrap_or_else(PoisonError::into_inner);
        let look_up = |gap: &Gap| {
            let key = (store_id, gap.variant_id);
            let (half, entry) = halves.iter().find_map(|half| Some((half, half.entries.get(&key)?)))?;
            self.is_so(entry, now)
                .then(|| entry.words.clone().map(|words| &half.text[words.start as usize..words.end as usize]))
        };
        // All look-ups before the first copy: they do not wait for each other.
        let known: Vec<Option<Option<&[u8]>>> = part.gaps.iter().map(look_up).collect();
        part.fill(|number, _| known[number])
    }
}

/// What is known of the catalogue when a read begins.
pub struct KnownWords {
    dictionary: Arc<Dictionary>,
    since: Option<Since>,
    now: Millis,
}

impl KnownWords {
    /// Since when what is read is known to this process; `None` where each read tells by a stamp.
    pub fn new(dictionary: &Arc<Dictionary>, since: Option<Since>, now: Millis) -> Self {
        Self { dictionary: Arc::clone(dictionary), since, now }
    }

    /// Puts the words of products where they belong, and keeps those that had to be looked up.
    pub(crate) async fn fill<Q: Query>(
        &self,
        query: &mut Q,
        store_id: i64,
        stamp: i64,
        parts: &[Unfilled],
    ) -> Result<Vec<Vec<u8>>> {
        let state = self.since.map_or(State::Stamped { stamp, at: self.now }, State::Since);
        let parts: Vec<Unfilled> = parts.iter().map(|part| self.dictionary.fill(store_id, state, part)).collect();
        let missing: BTreeSet<i64> = parts.iter().flat_map(|part| &part.gaps).map(|gap| gap.variant_id).collect();
        if missing.is_empty() {
            return Ok(parts.into_iter().map(|part| part.items).collect());
        }
        let missing: Vec<i64> = missing.into_iter().collect();
        let found = look_up(query, store_id, &missing).await?;
        for variant_id in missing {
            self.dictionary.keep((store_id, variant_id), state, found.get(&variant_id).map(String::as_str));
        }
        let words = |_, gap: &Gap| Some(found.get(&gap.variant_id).map(String::as_bytes));
        Ok(parts.iter().map(|part| part.fill(words).items).collect())
    }
}

/// As many as a page has.
const AT_ONCE: usize = 50;

async fn look_up<Q: Query>(query: &mut Q, store_id: i64, variants: &[i64]) -> Result<HashMap<i64, String>> {
    // No variant has the number 0, which fills the places that are not needed.
    let arguments = |some: &[i64]| -> Vec<Arg<'_>> {
        let variants = some.iter().copied().chain(std::iter::repeat(0)).take(AT_ONCE);
        std::iter::once(store_id).chain(variants).map(Arg::Int).collect()
    };
    let arguments: Vec<Vec<Arg<'_>>> = variants.chunks(AT_ONCE).map(arguments).collect();
    let batch: Vec<Bound<'_>> = arguments.iter().map(|arguments| WORDS.bind(arguments)).collect();
    let mut found = HashMap::with_capacity(variants.len());
    query
        .query_all(&batch, &mut |_, row| {
            found.insert(row.int(0)?, row.text(1)?.to_owned());
            Ok(())
        })
        .await?;
    Ok(found)
}

/// An item that waits for the words of its product.
pub(crate) struct Gap {
    /// Where they go.
    pub(crate) at: usize,
    pub(crate) variant_id: i64,
    /// What the item was added with, if the catalogue knew nothing of it.
    pub(crate) given: Option<Arc<str>>,
}

/// Items of which some wait for the words of their products.
#[derive(Default)]
pub(crate) struct Unfilled {
    pub(crate) items: Vec<u8>,
    pub(crate) gaps: Vec<Gap>,
}

/// Bytes of a product's words.
const TYPICAL: usize = 512;

impl Unfilled {
    /// The same with the words that are known: each gap is asked for by its number.
    fn fill<'w>(&self, words: impl Fn(usize, &Gap) -> Option<Option<&'w [u8]>>) -> Self {
        let mut out =
            Self { items: Vec::with_capacity(self.items.len() + self.gaps.len() * TYPICAL), gaps: Vec::new() };
        let mut copied = 0;
        for (number, gap) in self.gaps.iter().enumerate() {
            out.items.extend_from_slice(&self.items[copied..gap.at]);
            copied = gap.at;
            match words(number, gap) {
                Some(words) => {
                    out.items.push(b',');
                    let given = || gap.given.as_deref().unwrap_or(UNKNOWN).as_bytes();
                    out.items.extend_from_slice(words.unwrap_or_else(given));
                }
                None => {
                    let (at, given) = (out.items.len(), gap.given.clone());
                    out.gaps.push(Gap { at, variant_id: gap.variant_id, given });
                }
            }
        }
        out.items.extend_from_slice(&self.items[copied..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: State = State::Stamped { stamp: 7, at: 0 };

    fn gaps(variants: &[i64]) -> Unfilled {
        let gaps = variants.iter().map(|variant_id| Gap { at: 0, variant_id: *variant_id, given: None }).collect();
        Unfilled { items: Vec::new(), gaps }
    }

    #[test]
    fn a_full_dictionary_forgets_what_is_oldest_and_never_mixes_words_up() {
        let dictionary = Dictionary::new(None, 20 * (OVERHEAD + 10));
        for variant in 0..1_000 {
            dictionary.keep((1, variant), STATE, Some(&format!("words {variant:04}")));
            let out = dictionary.fill(1, STATE, &gaps(&[variant, variant - 9, variant - 20]));
            let expected = if variant < 9 { 1 } else { 2 };
            assert_eq!(out.gaps.len(), 3 - expected, "{variant}");
            let words = (0..expected as i64).map(|back| format!(",words {:04}", variant - back * 9));
            assert_eq!(String::from_utf8(out.items).unwrap(), words.collect::<String>());
            let halves = dictionary.halves.read().unwrap();
            assert!(halves.iter().map(Half::bytes).sum::<usize>() <= 20 * (OVERHEAD + 10));
        }
        assert_eq!(dictionary.fill(2, STATE, &gaps(&[999])).gaps.len(), 1, "another store's");
        for (stamp, at, missing) in [(7, LONGEST - 1, 0), (7, LONGEST, 1), (8, 0, 1)] {
            let out = dictionary.fill(1, State::Stamped { stamp, at }, &gaps(&[999]));
            assert_eq!(out.gaps.len(), missing, "stamp {stamp} at {at}");
        }
    }

    #[test]
    fn words_go_where_they_belong_and_what_is_missing_keeps_its_place() {
        let changes = Arc::new(Changes::default());
        let dictionary = Dictionary::new(Some(&changes), 1 << 20);
        let state = State::Since(changes.now().unwrap());
        dictionary.keep((1, 7), state, Some("seven"));
        dictionary.keep((1, 8), state, None);
        let given = Some("given".into());
        let gaps = vec![
            Gap { at: 1, variant_id: 9, given: None },
            Gap { at: 2, variant_id: 7, given: None },
            Gap { at: 3, variant_id: 8, given },
        ];
        let out = dictionary.fill(1, state, &Unfilled { items: b"abcd".to_vec(), gaps });
        assert_eq!(String::from_utf8(out.items).unwrap(), "ab,sevenc,givend");
        assert_eq!((out.gaps.len(), out.gaps[0].at, out.gaps[0].variant_id), (1, 1, 9));
    }
}
