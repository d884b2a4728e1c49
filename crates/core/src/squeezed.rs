//! An answer that is kept small: the words of products in it are the dictionary's, ids are numbers, and all the rest is
//! nearly the same for each item.

use std::hint::black_box;

use lz4_flex::block::{compress, decompress_into};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::dictionary::{Dictionary, Place};

/// Where in an answer words stand, and where they lie.
#[derive(Clone, Copy)]
pub struct Span {
    pub(crate) at: u32,
    pub(crate) place: Place,
}

/// Where in an answer the id of an item stands, and what it is.
#[derive(Clone, Copy)]
struct Id {
    at: u32,
    id: [u8; 16],
}

pub struct Squeezed {
    between: Box<[u8]>,
    between_length: u32,
    spans: Box<[Span]>,
    /// They are random, and nothing makes them shorter than they are.
    ids: Box<[Id]>,
}

/// What comes before the id of an item.
const BEFORE_ID: &[u8] = br#"{"id":""#;
const ID_LENGTH: usize = Hyphenated::LENGTH;

/// Bytes that come from memory together.
const LINE: usize = 64;

impl Squeezed {
    /// Of an answer, and of all spans in it in their order.
    pub fn new(answer: &[u8], spans: &[Span]) -> Self {
        let (mut between, mut ids) = (Vec::with_capacity(answer.len()), Vec::with_capacity(spans.len()));
        let mut rest = 0;
        for span in spans {
            let before = &answer[rest..span.at as usize];
            let found = find_id(before);
            if let Some((start, id)) = found {
                ids.push(Id { at: (rest + start) as u32, id });
                between.extend_from_slice(&before[..start]);
            }
            between.extend_from_slice(&before[found.map_or(0, |(start, _)| start + ID_LENGTH)..]);
            rest = span.at as usize + usize::from(span.place.length);
        }
        between.extend_from_slice(&answer[rest..]);
        Self {
            between: compress(&between).into(),
            between_length: between.len() as u32,
            spans: spans.into(),
            ids: ids.into(),
        }
    }

    /// The answer as it was; `None` when the dictionary has forgotten some of it.
    pub fn unfold(&self, dictionary: &Dictionary) -> Option<Vec<u8>> {
        let open = dictionary.open();
        let words: Vec<&[u8]> = self.spans.iter().map(|span| open.words(span.place)).collect::<Option<_>>()?;
        // Words lie all over the memory. Looked at all at once, they do not wait for each other as copies would.
        black_box(words.iter().flat_map(|words| words.iter().step_by(LINE)).fold(0, |sum, byte| sum ^ byte));
        let mut between = vec![0; self.between_length as usize];
        decompress_into(&self.between, &mut between).ok()?;
        let length = between.len() + self.ids.len() * ID_LENGTH + words.iter().map(|words| words.len()).sum::<usize>();
        let mut out = Weaver { out: Vec::with_capacity(length), rest: &between };
        let mut ids = self.ids.iter().peekable();
        for (span, words) in self.spans.iter().zip(words) {
            while let Some(Id { at, id }) = ids.next_if(|id| id.at < span.at) {
                let mut text = [0; ID_LENGTH];
                out.insert(*at, Uuid::from_bytes(*id).hyphenated().encode_lower(&mut text).as_bytes())?;
            }
            out.insert(span.at, words)?;
        }
        out.out.extend_from_slice(out.rest);
        Some(out.out)
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        self.between.len() + size_of_val(&*self.spans) + size_of_val(&*self.ids)
    }
}

/// The id of the item that begins in this text, and where.
fn find_id(text: &[u8]) -> Option<(usize, [u8; 16])> {
    let start = text.windows(BEFORE_ID.len()).position(|window| window == BEFORE_ID)? + BEFORE_ID.len();
    let written = text.get(start..start + ID_LENGTH)?;
    let id = Uuid::try_parse_ascii(written).ok()?;
    // There are other ways to write one.
    (id.hyphenated().encode_lower(&mut [0; ID_LENGTH]).as_bytes() == written).then(|| (start, id.into_bytes()))
}

/// An answer that is put together again.
struct Weaver<'a> {
    out: Vec<u8>,
    rest: &'a [u8],
}

impl Weaver<'_> {
    fn insert(&mut self, at: u32, text: &[u8]) -> Option<()> {
        let (before, after) = self.rest.split_at_checked((at as usize).checked_sub(self.out.len())?)?;
        self.out.extend_from_slice(before);
        self.out.extend_from_slice(text);
        self.rest = after;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::State;

    #[test]
    fn an_answer_comes_back_as_it_was_until_words_are_forgotten() {
        let dictionary = Dictionary::new(None, 1 << 20);
        let state = State::Stamped { stamp: 7, at: 0 };
        let (mut answer, mut spans) = (b"{\"items\":[".to_vec(), Vec::new());
        for variant in 0..50 {
            let words = format!("\"dt\":\"Words of number {variant}\"");
            dictionary.keep((1, variant), state, Some(&words));
            let place = dictionary.open().find((1, variant), state).flatten().unwrap();
            let id = Uuid::from_u128(0x1234_5678_9abc_def0_u128 << 64 | variant as u128).to_string();
            // One that is no id, and one that is written otherwise.
            let id = [id, "none".to_owned(), "0123456789ABCDEF0123456789ABCDEF".to_owned()][variant as usize % 17 % 3]
                .clone();
            answer.extend_from_slice(format!("{{\"id\":\"{id}\",\"epi\":{variant},").as_bytes());
            spans.push(Span { at: answer.len() as u32, place });
            answer.extend_from_slice(words.as_bytes());
            answer.extend_from_slice(b",\"pid\":\"the same for each of them\"},");
        }
        let squeezed = Squeezed::new(&answer, &spans);
        assert!(squeezed.bytes() < answer.len() / 2, "{} of {}", squeezed.bytes(), answer.len());
        assert_eq!(squeezed.unfold(&dictionary), Some(answer));
        let other_words = "x".repeat(1 << 10);
        (0..2_000).for_each(|variant| dictionary.keep((2, variant), state, Some(&other_words)));
        assert_eq!(squeezed.unfold(&dictionary), None);
    }

    #[test]
    fn an_answer_without_words_is_kept_too() {
        let dictionary = Dictionary::new(None, 1 << 20);
        for answer in [&b""[..], b"{}", &[b'x'; 100_000]] {
            assert_eq!(Squeezed::new(answer, &[]).unfold(&dictionary).as_deref(), Some(answer));
        }
    }
}
