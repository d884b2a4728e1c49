//! The words of products, kept in memory. A page of fifty items would look fifty products up, which takes longer than
//! all the rest.

use std::sync::Arc;

use wishbone_store::{Arg, Bound, Query, Since, Subject};

use crate::Result;
use crate::catalog::WORDS;
use crate::kept::{Keep, Kept, about_variant};
use crate::product_fields::UNKNOWN;

/// What the catalogue says of a variant, encoded; `None` when it does not know it.
#[derive(Clone, Debug)]
pub struct Words(pub(crate) Option<Arc<str>>);

impl Keep for Words {
    /// Store and variant.
    type Key = (i64, i64);

    fn subjects(&self, (store_id, variant_id): &Self::Key) -> impl Iterator<Item = Subject> {
        std::iter::once(about_variant(*store_id, *variant_id))
    }

    fn bytes(&self, _: &Self::Key) -> usize {
        self.0.as_ref().map_or(0, |words| words.len())
    }
}

/// What is known of the catalogue when a read begins.
pub struct KnownWords {
    kept: Arc<Kept<Words>>,
    since: Since,
}

impl KnownWords {
    pub fn new(kept: &Arc<Kept<Words>>, since: Since) -> Self {
        Self { kept: Arc::clone(kept), since }
    }

    pub(crate) fn get(&self, store_id: i64, variant_id: i64) -> Option<Words> {
        self.kept.get(&(store_id, variant_id))
    }

    /// Looks up what was missing, keeps it, and puts it where it belongs.
    pub(crate) async fn fill<Q: Query>(
        &self,
        query: &mut Q,
        store_id: i64,
        items: Vec<u8>,
        gaps: Vec<Gap>,
    ) -> Result<Vec<u8>> {
        if gaps.is_empty() {
            return Ok(items);
        }
        let keys: Vec<[Arg<'_>; 2]> = gaps.iter().map(|gap| [store_id.into(), gap.variant_id.into()]).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| WORDS.bind(key)).collect();
        let mut found: Vec<Option<Arc<str>>> = vec![None; gaps.len()];
        query
            .query_all(&batch, &mut |number, row| {
                found[number] = Some(row.text(0)?.into());
                Ok(())
            })
            .await?;
        let (mut out, mut copied) = (Vec::with_capacity(items.len() + gaps.len() * TYPICAL), 0);
        for (gap, words) in gaps.into_iter().zip(found) {
            out.extend_from_slice(&items[copied..gap.at]);
            copied = gap.at;
            out.push(b',');
            out.extend_from_slice(words.as_deref().or(gap.given.as_deref()).unwrap_or(UNKNOWN).as_bytes());
            self.kept.keep((store_id, gap.variant_id), self.since, Words(words));
        }
        out.extend_from_slice(&items[copied..]);
        Ok(out)
    }
}

/// Bytes of a product's words.
const TYPICAL: usize = 256;

/// An item that waits for the words of its product.
pub(crate) struct Gap {
    /// Where they go.
    pub(crate) at: usize,
    pub(crate) variant_id: i64,
    /// What the item was added with.
    pub(crate) given: Option<String>,
}
