//! A page in compact form: product fields refer to the product cache, ids are binary, the rest is LZ4.

use std::hint::black_box;

use lz4_flex::block::{compress, decompress_into};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::cache::products::{Extent, ProductCache};

/// Where in an answer fields stand, and where they lie.
#[derive(Clone, Copy)]
pub struct Span {
    pub(crate) at: u32,
    pub(crate) extent: Extent,
}

impl Span {
    /// The same span in a text with so many bytes before it.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self { at: self.at + by as u32, ..self }
    }
}

/// Where in an answer the id of an item stands, and what it is.
#[derive(Clone, Copy)]
struct Id {
    at: u32,
    id: [u8; 16],
}

pub struct CompactPage {
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

impl CompactPage {
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
            rest = span.at as usize + usize::from(span.extent.length);
        }
        between.extend_from_slice(&answer[rest..]);
        Self {
            between: compress(&between).into(),
            between_length: between.len() as u32,
            spans: spans.into(),
            ids: ids.into(),
        }
    }

    /// The answer as it was; `None` when the products has forgotten some of it.
    pub fn expand(&self, products: &ProductCache) -> Option<Vec<u8>> {
        let guard = products.read();
        let fields: Vec<&[u8]> = self.spans.iter().map(|span| guard.fields(span.extent)).collect::<Option<_>>()?;
        // Words lie all over the memory. Looked at all at once, they do not wait for each other as copies would.
        black_box(fields.iter().flat_map(|fields| fields.iter().step_by(LINE)).fold(0, |sum, byte| sum ^ byte));
        let mut between = vec![0; self.between_length as usize];
        decompress_into(&self.between, &mut between).ok()?;
        let length =
            between.len() + self.ids.len() * ID_LENGTH + fields.iter().map(|fields| fields.len()).sum::<usize>();
        let mut out = Assembler { out: Vec::with_capacity(length), rest: &between };
        let mut ids = self.ids.iter().peekable();
        for (span, fields) in self.spans.iter().zip(fields) {
            while let Some(Id { at, id }) = ids.next_if(|id| id.at < span.at) {
                let mut text = [0; ID_LENGTH];
                out.insert(*at, Uuid::from_bytes(*id).hyphenated().encode_lower(&mut text).as_bytes())?;
            }
            out.insert(span.at, fields)?;
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
struct Assembler<'a> {
    out: Vec<u8>,
    rest: &'a [u8],
}

impl Assembler<'_> {
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
    use crate::cache::products::Validity;

    #[test]
    fn an_answer_comes_back_as_it_was_until_words_are_forgotten() {
        let products = ProductCache::new(None, 1 << 20);
        let state = Validity::Stamped { stamp: 7, at: 0 };
        let (mut answer, mut spans) = (b"{\"items\":[".to_vec(), Vec::new());
        for variant in 0..50 {
            let fields = format!("\"dt\":\"Words of number {variant}\"");
            products.insert((1, variant), state, Some(&fields));
            let extent = products.read().find((1, variant), state).flatten().unwrap();
            let id = Uuid::from_u128(0x1234_5678_9abc_def0_u128 << 64 | variant as u128).to_string();
            // One that is no id, and one that is written otherwise.
            let id = [id, "none".to_owned(), "0123456789ABCDEF0123456789ABCDEF".to_owned()][variant as usize % 17 % 3]
                .clone();
            answer.extend_from_slice(format!("{{\"id\":\"{id}\",\"epi\":{variant},").as_bytes());
            spans.push(Span { at: answer.len() as u32, extent });
            answer.extend_from_slice(fields.as_bytes());
            answer.extend_from_slice(b",\"pid\":\"the same for each of them\"},");
        }
        let squeezed = CompactPage::new(&answer, &spans);
        assert!(squeezed.bytes() < answer.len() / 2, "{} of {}", squeezed.bytes(), answer.len());
        assert_eq!(squeezed.expand(&products), Some(answer));
        let other_words = "x".repeat(1 << 10);
        (0..2_000).for_each(|variant| products.insert((2, variant), state, Some(&other_words)));
        assert_eq!(squeezed.expand(&products), None);
    }

    #[test]
    fn an_answer_without_words_is_kept_too() {
        let products = ProductCache::new(None, 1 << 20);
        for answer in [&b""[..], b"{}", &[b'x'; 100_000]] {
            assert_eq!(CompactPage::new(answer, &[]).expand(&products).as_deref(), Some(answer));
        }
    }
}
