//! A page in compact form: product fields refer to the product cache, ids are binary, the rest is LZ4.

use std::hint::black_box;

use lz4_flex::block::{compress, decompress_into};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::cache::products::{Extent, ProductCache};

/// The position of product fields in a page, and in the product cache.
#[derive(Clone, Copy)]
pub struct Span {
    pub(crate) at: u32,
    pub(crate) extent: Extent,
}

impl Span {
    /// The same span after `by` more bytes.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self { at: self.at + by as u32, ..self }
    }
}

/// An item's id and its position in the page.
#[derive(Clone, Copy)]
struct ItemId {
    at: u32,
    id: [u8; 16],
}

pub struct CompactPage {
    skeleton: Box<[u8]>,
    skeleton_length: u32,
    spans: Box<[Span]>,
    /// Kept apart, since random bytes do not compress.
    ids: Box<[ItemId]>,
}

/// The bytes before an item's id.
const ID_PREFIX: &[u8] = br#"{"id":""#;
const ID_LENGTH: usize = Hyphenated::LENGTH;

/// Bytes of a cache line.
const CACHE_LINE: usize = 64;

impl CompactPage {
    /// `spans` are all spans of the page in order.
    pub fn new(page: &[u8], spans: &[Span]) -> Self {
        let (mut skeleton, mut ids) = (Vec::with_capacity(page.len()), Vec::with_capacity(spans.len()));
        let mut rest = 0;
        for span in spans {
            let before = &page[rest..span.at as usize];
            let found = find_id(before);
            if let Some((start, id)) = found {
                ids.push(ItemId { at: (rest + start) as u32, id });
                skeleton.extend_from_slice(&before[..start]);
            }
            skeleton.extend_from_slice(&before[found.map_or(0, |(start, _)| start + ID_LENGTH)..]);
            rest = span.at as usize + usize::from(span.extent.length);
        }
        skeleton.extend_from_slice(&page[rest..]);
        Self {
            skeleton: compress(&skeleton).into(),
            skeleton_length: skeleton.len() as u32,
            spans: spans.into(),
            ids: ids.into(),
        }
    }

    /// Returns the original page; `None` if the product cache has evicted some of its fields.
    pub fn expand(&self, products: &ProductCache) -> Option<Vec<u8>> {
        let guard = products.read();
        let fields: Vec<&[u8]> = self.spans.iter().map(|span| guard.fields(span.extent)).collect::<Option<_>>()?;
        // Fields are scattered in memory. Touching all of them first lets the cache misses overlap.
        black_box(fields.iter().flat_map(|fields| fields.iter().step_by(CACHE_LINE)).fold(0, |sum, byte| sum ^ byte));
        let mut skeleton = vec![0; self.skeleton_length as usize];
        decompress_into(&self.skeleton, &mut skeleton).ok()?;
        let length =
            skeleton.len() + self.ids.len() * ID_LENGTH + fields.iter().map(|fields| fields.len()).sum::<usize>();
        let mut out = Assembler { out: Vec::with_capacity(length), rest: &skeleton };
        let mut ids = self.ids.iter().peekable();
        for (span, fields) in self.spans.iter().zip(fields) {
            while let Some(ItemId { at, id }) = ids.next_if(|id| id.at < span.at) {
                let mut text = [0; ID_LENGTH];
                out.insert(*at, Uuid::from_bytes(*id).hyphenated().encode_lower(&mut text).as_bytes())?;
            }
            out.insert(span.at, fields)?;
        }
        out.out.extend_from_slice(out.rest);
        Some(out.out)
    }

    /// Memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.skeleton.len() + size_of_val(&*self.spans) + size_of_val(&*self.ids)
    }
}

/// Finds the first item id in a text. Returns its offset too.
fn find_id(text: &[u8]) -> Option<(usize, [u8; 16])> {
    let start = text.windows(ID_PREFIX.len()).position(|window| window == ID_PREFIX)? + ID_PREFIX.len();
    let written = text.get(start..start + ID_LENGTH)?;
    let id = Uuid::try_parse_ascii(written).ok()?;
    // Only the canonical form can be restored from the bytes.
    (id.hyphenated().encode_lower(&mut [0; ID_LENGTH]).as_bytes() == written).then(|| (start, id.into_bytes()))
}

/// A page under reconstruction.
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
    fn a_page_expands_to_the_original_until_fields_are_evicted() {
        let products = ProductCache::new(None, 1 << 20);
        let state = Validity::Stamped { stamp: 7, at: 0 };
        let (mut page, mut spans) = (b"{\"items\":[".to_vec(), Vec::new());
        for variant in 0..50 {
            let fields = format!("\"dt\":\"Title of number {variant}\"");
            products.insert((1, variant), state, Some(&fields));
            let extent = products.read().find((1, variant), state).flatten().unwrap();
            let id = Uuid::from_u128(0x1234_5678_9abc_def0_u128 << 64 | variant as u128).to_string();
            // Some are not ids, and some are not in the canonical form.
            let id = [id, "none".to_owned(), "0123456789ABCDEF0123456789ABCDEF".to_owned()][variant as usize % 17 % 3]
                .clone();
            page.extend_from_slice(format!("{{\"id\":\"{id}\",\"epi\":{variant},").as_bytes());
            spans.push(Span { at: page.len() as u32, extent });
            page.extend_from_slice(fields.as_bytes());
            page.extend_from_slice(b",\"pid\":\"the same for each of them\"},");
        }
        let compact = CompactPage::new(&page, &spans);
        assert!(compact.bytes() < page.len() / 2, "{} of {}", compact.bytes(), page.len());
        assert_eq!(compact.expand(&products), Some(page));
        let other_fields = "x".repeat(1 << 10);
        (0..2_000).for_each(|variant| products.insert((2, variant), state, Some(&other_fields)));
        assert_eq!(compact.expand(&products), None);
    }

    #[test]
    fn a_page_without_product_fields_is_compressed_too() {
        let products = ProductCache::new(None, 1 << 20);
        for page in [&b""[..], b"{}", &[b'x'; 100_000]] {
            assert_eq!(CompactPage::new(page, &[]).expand(&products).as_deref(), Some(page));
        }
    }
}
