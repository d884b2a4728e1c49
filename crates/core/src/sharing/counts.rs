//! Lookups across lists: which variants or products are on the caller's lists, and how many shoppers have a product on a
//! wishlist.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Query, Read, Row, Sql};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::row::equal_types;

/// Maximum variants or products of one call: those of a long listing page.
pub const MAX_VARIANTS: usize = 250;

/// Maximum products of one call.
pub const MAX_PRODUCTS: usize = 100;

/// Lists in which variants are looked up at once, and on a thread that serves other requests too.
const FEW_LISTS: usize = 100;

/// A list with at most this many items per variant is read as a whole: that takes less than a search for each variant.
const SHORT_LIST: usize = 4;

/// What is looked up: at most [`MAX_VARIANTS`] ids.
#[derive(Clone)]
pub enum Wanted {
    Variants(Vec<i64>),
    /// All variants of these products, but no more than [`MAX_VARIANTS`] of one list.
    Products(Vec<i64>),
}

/// The lists, by variant; by product too if products are wanted.
pub type Found = BTreeMap<(Option<i64>, i64), Vec<Uuid>>;

/// Finds which variants are on which of the caller's lists that are not archived.
#[derive(Clone)]
pub struct Contains {
    pub by: Shopper,
    pub wanted: Wanted,
    /// `None` for lists of every type.
    pub list_type: Option<String>,
    /// True to give up if the caller has many lists.
    pub only_if_few: bool,
}

/// A list that has items.
struct FilledList {
    id: Uuid,
    item_count: i64,
}

impl FromRow for FilledList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { id: uuid(row, 0)?, item_count: row.int(1)? })
    }
}

impl Read for Contains {
    const NAME: &'static str = "contains";
    /// `None` if it was given up.
    type Out = Option<Found>;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.by.store_id())
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let lists = self.lists(query).await?;
        if lists.len() > FEW_LISTS && self.only_if_few {
            return Ok(None);
        }
        let (ids, searches, is_of_variants) = match &self.wanted {
            Wanted::Variants(ids) => (ids, [OF_20, OF_60, OF_MOST], true),
            Wanted::Products(ids) => (ids, [PRODUCTS_OF_20, PRODUCTS_OF_60, PRODUCTS_OF_MOST], false),
        };
        let wanted: BTreeSet<i64> = ids.iter().copied().collect();
        // Unused parameters are 0, which is nothing's id.
        let [of_20, of_60, of_most] = searches;
        let (search, slots) = match wanted.len() {
            ..=20 => (of_20, 20),
            21..=60 => (of_60, 60),
            _ => (of_most, MAX_VARIANTS),
        };
        let slots: Vec<Arg<'_>> =
            wanted.iter().copied().chain(std::iter::repeat(0)).take(slots).map(Arg::Int).collect();
        let mut out = Found::new();
        for lists in lists.chunks(FEW_LISTS) {
            let mut statements: Vec<(Sql, Vec<Arg<'_>>)> = Vec::with_capacity(lists.len());
            for list in lists {
                let key = [self.by.store_id().into(), list.id.as_bytes().into()];
                let is_short = usize::try_from(list.item_count).is_ok_and(|count| count <= SHORT_LIST * wanted.len());
                statements.push(if is_short && is_of_variants {
                    (ALL, key.to_vec())
                } else {
                    (search, [&key[..], &slots].concat())
                });
            }
            let batch: Vec<_> = statements.iter().map(|(sql, args)| sql.bind(args)).collect();
            query
                .query_all(&batch, &mut |number, row| {
                    let variant = row.int(0)?;
                    let product = if is_of_variants { None } else { Some(row.int(1)?) };
                    if product.is_some() || wanted.contains(&variant) {
                        out.entry((product, variant)).or_default().push(lists[number].id);
                    }
                    Ok(())
                })
                .await?;
        }
        Ok(Some(out))
    }
}

impl Contains {
    /// The lists to look at, and one more than few if there are many.
    async fn lists<Q: Query>(&self, query: &mut Q) -> Result<Vec<FilledList>> {
        let limit = if self.only_if_few { FEW_LISTS + 1 } else { usize::MAX };
        let (list_type, same_type) = equal_types(self.list_type.as_deref());
        let args = [
            self.by.store_id().into(),
            (&self.by.id().0).into(),
            list_type.into(),
            same_type.into(),
            i64::try_from(limit).unwrap_or(i64::MAX).into(),
        ];
        Ok(query.rows(FILLED_LISTS.bind(&args)).await?)
    }
}

/// Shoppers that are counted on a thread that serves other requests too.
const FEW: i64 = 10_000;

/// Counts the shoppers who have a product on a wishlist.
#[derive(Clone)]
pub struct SocialCount {
    pub by: Shopper,
    pub products: Vec<i64>,
    /// True to give up products that many shoppers want.
    pub only_if_few: bool,
}

impl Read for SocialCount {
    const NAME: &'static str = "social_count";
    /// In the order of the input. `None` if it was given up.
    type Out = Vec<Option<i64>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let products = i64::try_from(self.products.len()).map_err(Error::internal)?;
        let limit = if self.only_if_few { FEW / products.max(1) } else { i64::MAX };
        let keys: Vec<[Arg<'_>; 3]> =
            self.products.iter().map(|product| [self.by.store_id().into(), (*product).into(), limit.into()]).collect();
        let batch: Vec<_> = keys.iter().map(|key| COUNT.bind(key)).collect();
        let mut out = vec![None; self.products.len()];
        query
            .query_all(&batch, &mut |number, row| {
                out[number] = Some(row.int(0)?).filter(|count| *count < limit);
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

macro_rules! listed {
    ($variants:expr) => {
        concat!("select variant_id from items where store_id = $1 and list_id = $2 and variant_id in (", $variants, ")")
    };
}

// A list may have thousands of variants of a product: the limit is [`MAX_VARIANTS`].
macro_rules! listed_products {
    ($products:expr) => {
        concat!(
            "select variant_id, product_id from items where store_id = $1 and list_id = $2 and product_id in (",
            $products,
            ") limit 250"
        )
    };
}

/// Parameters for 20 ids.
macro_rules! twenty {
    () => {
        "$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22"
    };
}

/// Parameters for 60 ids.
macro_rules! sixty {
    () => {
        concat!(
            twenty!(),
            ", $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43,
             $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62"
        )
    };
}

/// Parameters for [`MAX_VARIANTS`].
macro_rules! most {
    () => {
        concat!(
            sixty!(),
            ", $63, $64, $65, $66, $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, $77, $78, $79, $80, $81, $82, $83,
             $84, $85, $86, $87, $88, $89, $90, $91, $92, $93, $94, $95, $96, $97, $98, $99, $100, $101, $102, $103,
             $104, $105, $106, $107, $108, $109, $110, $111, $112, $113, $114, $115, $116, $117, $118, $119, $120, $121,
             $122, $123, $124, $125, $126, $127, $128, $129, $130, $131, $132, $133, $134, $135, $136, $137, $138, $139,
             $140, $141, $142, $143, $144, $145, $146, $147, $148, $149, $150, $151, $152, $153, $154, $155, $156, $157,
             $158, $159, $160, $161, $162, $163, $164, $165, $166, $167, $168, $169, $170, $171, $172, $173, $174, $175,
             $176, $177, $178, $179, $180, $181, $182, $183, $184, $185, $186, $187, $188, $189, $190, $191, $192, $193,
             $194, $195, $196, $197, $198, $199, $200, $201, $202, $203, $204, $205, $206, $207, $208, $209, $210, $211,
             $212, $213, $214, $215, $216, $217, $218, $219, $220, $221, $222, $223, $224, $225, $226, $227, $228, $229,
             $230, $231, $232, $233, $234, $235, $236, $237, $238, $239, $240, $241, $242, $243, $244, $245, $246, $247,
             $248, $249, $250, $251, $252"
        )
    };
}

statements! {
    FILLED_LISTS = "select list_id, item_count from lists
                    where store_id = $1 and shopper_id = $2 and archived = 0 and item_count > 0
                      and ($3 = '' or type in ($3, $4))
                    order by ordinal limit $5";
    // Ordered so that the narrow index on variants is used.
    ALL = "select variant_id from items where store_id = $1 and list_id = $2 order by variant_id";
    OF_20 = listed!(twenty!());
    OF_60 = listed!(sixty!());
    OF_MOST = listed!(most!());
    PRODUCTS_OF_20 = listed_products!(twenty!());
    PRODUCTS_OF_60 = listed_products!(sixty!());
    PRODUCTS_OF_MOST = listed_products!(most!());
    COUNT = "select count(*) from (select distinct w.person from wishes w
                                   where w.store_id = $1 and w.product_id = $2 limit $3) p";
}
