//! Inserts what items show of their products into encoded items, from the product cache where possible: reading the fifty
//! products of a page from the database would take longer than the rest of the read.
//!
//! Each read returns the version of the store's catalogue. If that is another than the cache has, what has changed in between is
//! evicted first.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use wishbone_storage::{Arg, Bound, Query};

use crate::catalog::availability::Availability;
use crate::catalog::fields::UNKNOWN;
use crate::catalog::product_cache::{CatalogState, Lag, ProductCache};
use crate::catalog::shown_product::{SAVED_PRICE, differs_from_price};
use crate::catalog::web_url::shown_fields;
use crate::error::Result;
use crate::moment::Millis;
use crate::stores::record::{StoreRecord, unknown};

/// The product cache as one read may use it.
#[derive(Clone)]
pub struct ProductLookup {
    cache: Arc<ProductCache>,
    now: Millis,
}

impl ProductLookup {
    pub fn new(cache: &Arc<ProductCache>, now: Millis) -> Self {
        Self { cache: Arc::clone(cache), now }
    }

    /// Fills the placeholders, and caches the fields that had to be read. `version` is what [`VERSION`] has returned.
    pub(crate) async fn render<Q: Query>(
        &self,
        query: &mut Q,
        store: &StoreRecord,
        version: Option<i64>,
        parts: Vec<Template>,
    ) -> Result<Vec<Vec<u8>>> {
        let store_id = store.store_id;
        let version = version.ok_or_else(|| unknown(&store.pid))?;
        let state = CatalogState { store_id, version, low_stock: store.settings.alerts.low_stock };
        self.advance(query, state).await?;
        let parts: Vec<Template> =
            parts.into_iter().map(|part| part.render_cached(&self.cache, self.now, state)).collect();
        let missing: BTreeSet<i64> =
            parts.iter().flat_map(|part| &part.placeholders).map(|placeholder| placeholder.variant_id).collect();
        if missing.is_empty() {
            return Ok(parts.into_iter().map(|part| part.text).collect());
        }
        let missing: Vec<i64> = missing.into_iter().collect();
        let (found, version_after) = look_up(query, state, &missing).await?;
        query.require_consistent(version_after.is_none_or(|after| after == version))?;
        let fields = |variant_id: &i64| found.get(variant_id).map(String::as_str);
        self.cache.insert(self.now, state, missing.iter().map(|variant_id| (*variant_id, fields(variant_id))));
        let render = |part: Template| {
            let all = part.placeholders.iter();
            let all = all.map(|one| Some(fields(&one.variant_id).unwrap_or(one.given()).as_bytes()));
            part.render(&all.collect::<Vec<_>>()).0
        };
        Ok(parts.into_iter().map(render).collect())
    }

    /// Advances the cache to the state that this read sees.
    async fn advance<Q: Query>(&self, query: &mut Q, state: CatalogState) -> Result<()> {
        let (since, changed) = match self.cache.lag(self.now, state) {
            Lag::None | Lag::Ahead => return Ok(()),
            Lag::Everything => (None, Vec::new()),
            Lag::ChangesSince(version) => {
                let limit = MAX_CHANGES + 1;
                let changed: Vec<i64> =
                    query.rows(CHANGED.bind(&[state.store_id.into(), version.into(), limit.into()])).await?;
                (Some(version).filter(|_| changed.len() < limit as usize), changed)
            }
        };
        self.cache.advance(self.now, since, &changed, state);
        Ok(())
    }
}

/// Products per statement: as many as a page has.
const BATCH: usize = 50;

/// The most changed variants that are evicted one by one.
const MAX_CHANGES: i64 = 1_000;

/// Returns what items show of variants and, if that may have changed meanwhile, the catalogue's version after they were read.
async fn look_up<Q: Query>(
    query: &mut Q,
    state: CatalogState,
    variants: &[i64],
) -> Result<(HashMap<i64, String>, Option<i64>)> {
    // Unused parameters are 0, which is no variant's id.
    let arguments = |some: &[i64]| -> Vec<Arg<'_>> {
        let variants = some.iter().copied().chain(std::iter::repeat(0)).take(BATCH);
        std::iter::once(state.store_id).chain(variants).map(Arg::Int).collect()
    };
    let arguments: Vec<Vec<Arg<'_>>> = variants.chunks(BATCH).map(arguments).collect();
    let mut batch: Vec<Bound<'_>> = arguments.iter().map(|arguments| FIELDS.bind(arguments)).collect();
    let (version_at, key) = (batch.len(), [state.store_id.into()]);
    batch.extend((!query.is_snapshot()).then(|| VERSION.bind(&key)));
    let (mut found, mut version) = (HashMap::with_capacity(variants.len()), None);
    query
        .query_all(&batch, &mut |number, row| {
            if number == version_at {
                version = row.opt_int(0)?;
            } else {
                let availability = Availability::from_columns(row, 2, state.low_stock)?;
                let mut shown = shown_fields(row.text(1)?).into_owned();
                if let Some(availability) = availability {
                    shown.extend([",", availability.member()]);
                }
                found.insert(row.int(0)?, shown);
            }
            Ok(())
        })
        .await?;
    Ok((found, version))
}

/// The place in an encoded item where its product's fields belong.
#[derive(Clone)]
pub(crate) struct Placeholder {
    /// Offset in the text.
    pub(crate) at: usize,
    pub(crate) variant_id: i64,
    /// The fields that the item was added with, for a product that is not in the catalogue.
    pub(crate) given: Option<Box<str>>,
    pub(crate) saved_price: Option<Box<str>>,
}

impl Placeholder {
    fn given(&self) -> &str {
        self.given.as_deref().unwrap_or(UNKNOWN)
    }
}

/// Encoded items without some of their product fields.
#[derive(Default)]
pub(crate) struct Template {
    pub(crate) text: Vec<u8>,
    pub(crate) placeholders: Vec<Placeholder>,
}

/// The longest price when an item was saved, with its key.
const LONGEST_SAVED_PRICE: usize = 40;

/// Capacity for what callers append to the text.
const SPARE: usize = 1_024;

impl Template {
    /// Fills the placeholders whose fields are cached.
    fn render_cached(self, cache: &ProductCache, now: Millis, state: CatalogState) -> Self {
        let Some(guard) = cache.read(now, state) else { return self };
        // All lookups before the first copy, so that their cache misses overlap.
        let fields = self.placeholders.iter().map(|placeholder| {
            Some(guard.find(placeholder.variant_id)?.unwrap_or_else(|| placeholder.given().as_bytes()))
        });
        let fields: Vec<Option<&[u8]>> = fields.collect();
        let (text, open) = self.render(&fields);
        let missing = self.placeholders.iter().zip(&fields).filter(|(_, fields)| fields.is_none());
        let placeholders = missing.zip(open).map(|((placeholder, _), at)| Placeholder { at, ..placeholder.clone() });
        Self { text, placeholders: placeholders.collect() }
    }

    /// Fills each placeholder with its fields. Returns the text, and the offsets of placeholders without fields.
    fn render(&self, fields: &[Option<&[u8]>]) -> (Vec<u8>, Vec<usize>) {
        let inserted: usize = fields.iter().flatten().map(|fields| fields.len() + LONGEST_SAVED_PRICE).sum();
        let (mut out, mut open) = (Vec::with_capacity(self.text.len() + inserted + SPARE), Vec::new());
        let mut copied = 0;
        for (placeholder, fields) in self.placeholders.iter().zip(fields) {
            out.extend_from_slice(&self.text[copied..placeholder.at]);
            copied = placeholder.at;
            match fields {
                Some(fields) => {
                    out.push(b',');
                    out.extend_from_slice(fields);
                    let saved_price = placeholder.saved_price.as_deref();
                    if let Some(price) = saved_price.filter(|price| differs_from_price(price, fields)) {
                        out.extend_from_slice(SAVED_PRICE.as_bytes());
                        out.extend_from_slice(price.as_bytes());
                    }
                }
                None => open.push(out.len()),
            }
        }
        out.extend_from_slice(&self.text[copied..]);
        (out, open)
    }
}

statements! {
    pub(crate) FIELDS = "select variant_id, fields, stock, deleted from products where store_id = $1 and variant_id in (
             $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
             $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44,
             $45, $46, $47, $48, $49, $50, $51)";
    pub(crate) VERSION = "select catalog_version from store_states where store_id = $1";
    CHANGED = "select variant_id from products where store_id = $1 and changed_in > $2 limit $3";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_fields_are_inserted_and_missing_ones_keep_their_placeholder() {
        let (cache, state) = (ProductCache::new(1 << 20), CatalogState { store_id: 1, version: 7, low_stock: 5 });
        cache.advance(0, None, &[], state);
        cache.insert(0, state, [(7, Some("seven")), (8, None)]);
        let placeholder = |at, variant_id, given: Option<&str>| Placeholder {
            at,
            variant_id,
            given: given.map(Into::into),
            saved_price: None,
        };
        let placeholders = vec![placeholder(1, 9, None), placeholder(2, 7, None), placeholder(3, 8, Some("given"))];
        let Template { text, placeholders } =
            Template { text: b"abcd".to_vec(), placeholders }.render_cached(&cache, 0, state);
        assert_eq!(String::from_utf8(text).unwrap(), "ab,sevenc,givend");
        assert_eq!((placeholders.len(), placeholders[0].at, placeholders[0].variant_id), (1, 1, 9));

        let placeholders = vec![placeholder(2, 7, None), placeholder(3, 8, Some("given")), placeholder(4, 7, None)];
        let Template { text, placeholders } =
            Template { text: b"abcd".to_vec(), placeholders }.render_cached(&cache, 0, state);
        assert_eq!(String::from_utf8(text).unwrap(), "ab,sevenc,givend,seven");
        assert!(placeholders.is_empty());
    }

    #[test]
    fn the_price_when_an_item_was_saved_is_shown_if_it_is_another() {
        for (saved, price, is_shown) in [
            ("19.95", "19.95", false),
            ("19.90", "19.9", false),
            ("20", "19.95", true),
            ("19.95", "null", true),
            ("1", "10", true),
        ] {
            let fields = format!(r#""dt":"","iu":"","pr":{price},"ct":"""#);
            let placeholder = Placeholder { at: 1, variant_id: 7, given: None, saved_price: Some(saved.into()) };
            let template = Template { text: b"{}".to_vec(), placeholders: vec![placeholder] };
            let (text, open) = template.render(&[Some(fields.as_bytes())]);
            let expected = if is_shown { format!(r#"{{,{fields},"spr":{saved}}}"#) } else { format!("{{,{fields}}}") };
            assert_eq!(String::from_utf8(text).unwrap(), expected);
            assert!(open.is_empty());
        }
    }
}
