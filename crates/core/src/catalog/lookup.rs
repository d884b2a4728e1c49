//! Inserts product fields into encoded items, from the product cache where possible: reading the fifty products of a page
//! from the database would take longer than the rest of the read.
//!
//! On SQLite every write passes through this process, so entries are invalidated exactly. On PostgreSQL each read returns
//! the store's catalogue stamp: an entry is valid while the stamp is unchanged, and for a minute at most, which bounds
//! staleness after writes without a stamp (by hand, or by an older server).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use wishbone_storage::{Arg, Bound, Query, ReadVersion};

use crate::cache::compact_page::Span;
use crate::cache::products::{Extent, ProductCache, Validity};
use crate::catalog::fields::UNKNOWN;
use crate::error::Result;
use crate::moment::Millis;

/// The product cache as one read may use it.
#[derive(Clone)]
pub struct ProductLookup {
    cache: Arc<ProductCache>,
    version: Option<ReadVersion>,
    now: Millis,
}

impl ProductLookup {
    /// `version` is that of the read on an engine that only this process writes to, else `None`.
    pub fn new(cache: &Arc<ProductCache>, version: Option<ReadVersion>, now: Millis) -> Self {
        Self { cache: Arc::clone(cache), version, now }
    }

    /// Fills the placeholders, and caches the fields that had to be read.
    pub(crate) async fn render<Q: Query>(
        &self,
        query: &mut Q,
        store_id: i64,
        stamp: i64,
        parts: &[Template],
    ) -> Result<Vec<Rendered>> {
        let validity = self.version.map_or(Validity::Stamped { stamp, at: self.now }, Validity::Version);
        let parts: Vec<(Rendered, Vec<Placeholder>)> =
            parts.iter().map(|part| part.render_cached(&self.cache, store_id, validity)).collect();
        let missing: BTreeSet<i64> =
            parts.iter().flat_map(|(_, placeholders)| placeholders).map(|placeholder| placeholder.variant_id).collect();
        if missing.is_empty() {
            return Ok(parts.into_iter().map(|(rendered, _)| rendered).collect());
        }
        let missing: Vec<i64> = missing.into_iter().collect();
        let found = look_up(query, store_id, &missing).await?;
        for variant_id in missing {
            self.cache.insert((store_id, variant_id), validity, found.get(&variant_id).map(String::as_str));
        }
        let render = |(rendered, placeholders): (Rendered, Vec<Placeholder>)| {
            let part = Template { items: rendered.text, placeholders };
            let text = part.render(|_, placeholder, _| {
                Some(found.get(&placeholder.variant_id).map_or(placeholder.given(), String::as_bytes))
            });
            Rendered { text, spans: None }
        };
        Ok(parts.into_iter().map(render).collect())
    }
}

/// Products per statement: as many as a page has.
const BATCH: usize = 50;

async fn look_up<Q: Query>(query: &mut Q, store_id: i64, variants: &[i64]) -> Result<HashMap<i64, String>> {
    // Unused parameters are 0, which is no variant's id.
    let arguments = |some: &[i64]| -> Vec<Arg<'_>> {
        let variants = some.iter().copied().chain(std::iter::repeat(0)).take(BATCH);
        std::iter::once(store_id).chain(variants).map(Arg::Int).collect()
    };
    let arguments: Vec<Vec<Arg<'_>>> = variants.chunks(BATCH).map(arguments).collect();
    let batch: Vec<Bound<'_>> = arguments.iter().map(|arguments| FIELDS.bind(arguments)).collect();
    let mut found = HashMap::with_capacity(variants.len());
    query
        .query_all(&batch, &mut |_, row| {
            found.insert(row.int(0)?, row.text(1)?.to_owned());
            Ok(())
        })
        .await?;
    Ok(found)
}

/// The place in an encoded item where its product's fields belong.
pub(crate) struct Placeholder {
    /// Offset in the text.
    pub(crate) at: usize,
    pub(crate) variant_id: i64,
    /// The fields that the item was added with, for a product that is not in the catalogue.
    pub(crate) given: Option<Arc<str>>,
}

impl Placeholder {
    fn given(&self) -> &[u8] {
        self.given.as_deref().unwrap_or(UNKNOWN).as_bytes()
    }
}

/// Encoded items without product fields.
#[derive(Default)]
pub(crate) struct Template {
    pub(crate) items: Vec<u8>,
    pub(crate) placeholders: Vec<Placeholder>,
}

/// Encoded items with product fields.
#[derive(Default)]
pub(crate) struct Rendered {
    pub(crate) text: Vec<u8>,
    /// The spans of cached fields; `None` if some fields were not in the cache.
    pub(crate) spans: Option<Vec<Span>>,
}

/// Typical bytes of a product's fields.
const TYPICAL_FIELDS: usize = 512;

impl Template {
    /// Fills the placeholders whose fields are cached. Returns the others, at their new offsets.
    fn render_cached(&self, cache: &ProductCache, store_id: i64, now: Validity) -> (Rendered, Vec<Placeholder>) {
        let guard = cache.read();
        // All lookups before the first copy, so that their cache misses overlap.
        let known =
            self.placeholders.iter().map(|placeholder| match guard.find((store_id, placeholder.variant_id), now)? {
                Some(extent) => Some((guard.fields(extent)?, Some(extent))),
                None => Some((placeholder.given(), None)),
            });
        let known: Vec<Option<(&[u8], Option<Extent>)>> = known.collect();
        let (mut missing, mut spans) = (Vec::new(), Vec::with_capacity(self.placeholders.len()));
        let text = self.render(|number, placeholder, at| {
            let Some((fields, extent)) = known[number] else {
                missing.push(Placeholder { at, variant_id: placeholder.variant_id, given: placeholder.given.clone() });
                return None;
            };
            spans.extend(extent.map(|extent| Span { at: at as u32 + 1, extent }));
            Some(fields)
        });
        (Rendered { text, spans: missing.is_empty().then_some(spans) }, missing)
    }

    /// Fills each placeholder with what `fields` returns for its number and new offset; `None` leaves it open.
    fn render<'w>(&'w self, mut fields: impl FnMut(usize, &'w Placeholder, usize) -> Option<&'w [u8]>) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.items.len() + self.placeholders.len() * TYPICAL_FIELDS);
        let mut copied = 0;
        for (number, placeholder) in self.placeholders.iter().enumerate() {
            out.extend_from_slice(&self.items[copied..placeholder.at]);
            copied = placeholder.at;
            if let Some(fields) = fields(number, placeholder, out.len()) {
                out.push(b',');
                out.extend_from_slice(fields);
            }
        }
        out.extend_from_slice(&self.items[copied..]);
        out
    }
}

statements! {
    pub(crate) FIELDS = "select variant_id, fields from products where store_id = $1 and variant_id in (
             $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
             $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44,
             $45, $46, $47, $48, $49, $50, $51)";
}

#[cfg(test)]
mod tests {
    use wishbone_storage::ChangeTracker;

    use super::*;

    #[test]
    fn cached_fields_are_inserted_and_missing_ones_keep_their_placeholder() {
        let changes = Arc::new(ChangeTracker::default());
        let cache = ProductCache::new(Some(&changes), 1 << 20);
        let validity = Validity::Version(changes.read_version().unwrap());
        cache.insert((1, 7), validity, Some("seven"));
        cache.insert((1, 8), validity, None);
        let placeholder =
            |at, variant_id, given: Option<&str>| Placeholder { at, variant_id, given: given.map(Into::into) };
        let placeholders = vec![placeholder(1, 9, None), placeholder(2, 7, None), placeholder(3, 8, Some("given"))];
        let (rendered, missing) = Template { items: b"abcd".to_vec(), placeholders }.render_cached(&cache, 1, validity);
        assert_eq!(String::from_utf8(rendered.text).unwrap(), "ab,sevenc,givend");
        assert_eq!((missing.len(), missing[0].at, missing[0].variant_id), (1, 1, 9));
        assert!(rendered.spans.is_none(), "some fields are missing");

        let placeholders = vec![placeholder(2, 7, None), placeholder(3, 8, Some("given")), placeholder(4, 7, None)];
        let (rendered, missing) = Template { items: b"abcd".to_vec(), placeholders }.render_cached(&cache, 1, validity);
        assert_eq!(String::from_utf8(rendered.text).unwrap(), "ab,sevenc,givend,seven");
        assert!(missing.is_empty());
        let at: Vec<u32> = rendered.spans.unwrap().iter().map(|span| span.at).collect();
        assert_eq!(at, [3, 17]);
    }
}
