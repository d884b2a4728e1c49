//! The words of products, put into answers from memory. A page of fifty items would look fifty products up, which takes
//! longer than all the rest.
//!
//! Where all writes pass through this process, the process knows which words have changed. Elsewhere each read brings
//! along the stamp of its store's catalogue, and words hold for as long as that is the same, and for a minute at most:
//! whoever writes without a stamp, by hand or from an older server beside this one, is not overlooked for longer.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use wishbone_store::{Arg, Bound, Query, Since};

use crate::catalog::WORDS;
use crate::dictionary::{Dictionary, Place, State};
use crate::product_fields::UNKNOWN;
use crate::squeezed::Span;
use crate::{Millis, Result};

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
    ) -> Result<Vec<Filled>> {
        let state = self.since.map_or(State::Stamped { stamp, at: self.now }, State::Since);
        let parts: Vec<(Filled, Vec<Gap>)> =
            parts.iter().map(|part| part.fill_known(&self.dictionary, store_id, state)).collect();
        let missing: BTreeSet<i64> = parts.iter().flat_map(|(_, gaps)| gaps).map(|gap| gap.variant_id).collect();
        if missing.is_empty() {
            return Ok(parts.into_iter().map(|(filled, _)| filled).collect());
        }
        let missing: Vec<i64> = missing.into_iter().collect();
        let found = look_up(query, store_id, &missing).await?;
        for variant_id in missing {
            self.dictionary.keep((store_id, variant_id), state, found.get(&variant_id).map(String::as_str));
        }
        let fill = |(filled, gaps): (Filled, Vec<Gap>)| {
            let part = Unfilled { items: filled.text, gaps };
            let text = part.fill(|_, gap, _| Some(found.get(&gap.variant_id).map_or(gap.given(), String::as_bytes)));
            Filled { text, spans: None }
        };
        Ok(parts.into_iter().map(fill).collect())
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

impl Gap {
    fn given(&self) -> &[u8] {
        self.given.as_deref().unwrap_or(UNKNOWN).as_bytes()
    }
}

/// Items of which some wait for the words of their products.
#[derive(Default)]
pub(crate) struct Unfilled {
    pub(crate) items: Vec<u8>,
    pub(crate) gaps: Vec<Gap>,
}

/// Whole items.
#[derive(Default)]
pub(crate) struct Filled {
    pub(crate) text: Vec<u8>,
    /// Where they have words of the dictionary, if all of those were known to it.
    pub(crate) spans: Option<Vec<Span>>,
}

/// Bytes of a product's words.
const TYPICAL: usize = 512;

impl Unfilled {
    /// With the words that the dictionary knows; what it does not know still waits.
    fn fill_known(&self, dictionary: &Dictionary, store_id: i64, now: State) -> (Filled, Vec<Gap>) {
        let open = dictionary.open();
        // All look-ups before the first copy: they do not wait for each other.
        let known = self.gaps.iter().map(|gap| match open.find((store_id, gap.variant_id), now)? {
            Some(place) => Some((open.words(place)?, Some(place))),
            None => Some((gap.given(), None)),
        });
        let known: Vec<Option<(&[u8], Option<Place>)>> = known.collect();
        let (mut missing, mut spans) = (Vec::new(), Vec::with_capacity(self.gaps.len()));
        let text = self.fill(|number, gap, at| {
            let Some((words, place)) = known[number] else {
                missing.push(Gap { at, variant_id: gap.variant_id, given: gap.given.clone() });
                return None;
            };
            spans.extend(place.map(|place| Span { at: at as u32 + 1, place }));
            Some(words)
        });
        (Filled { text, spans: missing.is_empty().then_some(spans) }, missing)
    }

    /// With words for each gap, by its number and where it is now; `None` leaves it open.
    fn fill<'w>(&'w self, mut words: impl FnMut(usize, &'w Gap, usize) -> Option<&'w [u8]>) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.items.len() + self.gaps.len() * TYPICAL);
        let mut copied = 0;
        for (number, gap) in self.gaps.iter().enumerate() {
            out.extend_from_slice(&self.items[copied..gap.at]);
            copied = gap.at;
            if let Some(words) = words(number, gap, out.len()) {
                out.push(b',');
                out.extend_from_slice(words);
            }
        }
        out.extend_from_slice(&self.items[copied..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use wishbone_store::Changes;

    use super::*;

    #[test]
    fn words_go_where_they_belong_and_what_is_missing_keeps_its_place() {
        let changes = Arc::new(Changes::default());
        let dictionary = Dictionary::new(Some(&changes), 1 << 20);
        let state = State::Since(changes.now().unwrap());
        dictionary.keep((1, 7), state, Some("seven"));
        dictionary.keep((1, 8), state, None);
        let gap = |at, variant_id, given: Option<&str>| Gap { at, variant_id, given: given.map(Into::into) };
        let gaps = vec![gap(1, 9, None), gap(2, 7, None), gap(3, 8, Some("given"))];
        let (filled, missing) = Unfilled { items: b"abcd".to_vec(), gaps }.fill_known(&dictionary, 1, state);
        assert_eq!(String::from_utf8(filled.text).unwrap(), "ab,sevenc,givend");
        assert_eq!((missing.len(), missing[0].at, missing[0].variant_id), (1, 1, 9));
        assert!(filled.spans.is_none(), "not all is known");

        let gaps = vec![gap(2, 7, None), gap(3, 8, Some("given")), gap(4, 7, None)];
        let (filled, missing) = Unfilled { items: b"abcd".to_vec(), gaps }.fill_known(&dictionary, 1, state);
        assert_eq!(String::from_utf8(filled.text).unwrap(), "ab,sevenc,givend,seven");
        assert!(missing.is_empty());
        let at: Vec<u32> = filled.spans.unwrap().iter().map(|span| span.at).collect();
        assert_eq!(at, [3, 17]);
    }
}
