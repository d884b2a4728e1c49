//! Lookups across lists: which variants are on the caller's lists, and how many shoppers have a product on a wishlist.

use std::collections::BTreeMap;

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Query, Read, Row};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::row::equal_types;

/// Maximum variants of one call: those of a long listing page.
pub const MAX_VARIANTS: usize = 250;

/// Maximum products of one call.
pub const MAX_PRODUCTS: usize = 100;

/// Lists in which variants are looked up on a thread that serves other requests too.
const FEW_LISTS: i64 = 100;

/// Finds which variants are on which of the caller's lists that are not archived. Takes one statement.
#[derive(Clone)]
pub struct Contains {
    pub by: Shopper,
    /// At most [`MAX_VARIANTS`].
    pub variants: Vec<i64>,
    /// `None` for lists of every type.
    pub list_type: Option<String>,
    /// True to give up if the caller has many lists.
    pub only_if_few: bool,
}

/// In place of a variant: the caller has many lists.
const MANY_LISTS: i64 = 0;

struct ListedVariant(i64, Uuid);

impl FromRow for ListedVariant {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.int(0)?, uuid(row, 1)?))
    }
}

impl Read for Contains {
    const NAME: &'static str = "contains";
    const SINGLE_STATEMENT: bool = true;
    /// `None` if it was given up.
    type Out = Option<BTreeMap<i64, Vec<Uuid>>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let limit = if self.only_if_few { FEW_LISTS + 1 } else { i64::MAX };
        let (list_type, same_type) = equal_types(self.list_type.as_deref());
        // Unused parameters are 0, which is no variant's id.
        let (statement, slots) = match self.variants.len() {
            ..=20 => (LISTED_OF_20, 20),
            21..=60 => (LISTED_OF_60, 60),
            _ => (LISTED_OF_MOST, MAX_VARIANTS),
        };
        let variants = self.variants.iter().copied().chain(std::iter::repeat(0)).take(slots);
        let (store_id, shopper) = (self.by.store_id().into(), (&self.by.id().0).into());
        let mut args = vec![store_id, shopper, list_type.into(), same_type.into(), limit.into(), FEW_LISTS.into()];
        args.extend(variants.map(Arg::Int));
        let (mut out, mut has_many) = (BTreeMap::<i64, Vec<Uuid>>::new(), false);
        for ListedVariant(variant, list) in query.rows(statement.bind(&args)).await? {
            match variant {
                MANY_LISTS => has_many = true,
                variant => out.entry(variant).or_default().push(list),
            }
        }
        Ok(Some(out).filter(|_| !(has_many && self.only_if_few)))
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

// The lists are materialized first, or SQLite would scan all items of the store. Of a short list, all items are read (the
// plus sign keeps the index of variants from being used): they lie together, while each variant is a search of its own.
macro_rules! listed {
    ($short:literal, $variants:expr) => {
        concat!(
            "with l as materialized
              (select list_id, ordinal, item_count from lists where store_id = $1 and shopper_id = $2 and archived = 0
                 and ($3 = '' or type in ($3, $4))
               order by ordinal limit $5)
            select 0, many.list_id, 0 from (select list_id from l order by ordinal limit 1 offset $6) many
            union all
            select i.variant_id, i.list_id, l.ordinal
            from l cross join items i
            where l.item_count <= ",
            $short,
            " and i.store_id = $1 and i.list_id = l.list_id and +i.variant_id in (",
            $variants,
            ") union all
            select i.variant_id, i.list_id, l.ordinal
            from l cross join items i
            where l.item_count > ",
            $short,
            " and i.store_id = $1 and i.list_id = l.list_id and i.variant_id in (",
            $variants,
            ") order by 3"
        )
    };
}

/// Parameters for 20 variants.
macro_rules! twenty {
    () => {
        "$7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26"
    };
}

/// Parameters for 60 variants.
macro_rules! sixty {
    () => {
        concat!(
            twenty!(),
            ", $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47,
             $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65, $66"
        )
    };
}

/// Parameters for [`MAX_VARIANTS`].
macro_rules! most {
    () => {
        concat!(
            sixty!(),
            ", $67, $68, $69, $70, $71, $72, $73, $74, $75, $76, $77, $78, $79, $80, $81, $82, $83, $84, $85, $86, $87,
             $88, $89, $90, $91, $92, $93, $94, $95, $96, $97, $98, $99, $100, $101, $102, $103, $104, $105, $106, $107,
             $108, $109, $110, $111, $112, $113, $114, $115, $116, $117, $118, $119, $120, $121, $122, $123, $124, $125,
             $126, $127, $128, $129, $130, $131, $132, $133, $134, $135, $136, $137, $138, $139, $140, $141, $142, $143,
             $144, $145, $146, $147, $148, $149, $150, $151, $152, $153, $154, $155, $156, $157, $158, $159, $160, $161,
             $162, $163, $164, $165, $166, $167, $168, $169, $170, $171, $172, $173, $174, $175, $176, $177, $178, $179,
             $180, $181, $182, $183, $184, $185, $186, $187, $188, $189, $190, $191, $192, $193, $194, $195, $196, $197,
             $198, $199, $200, $201, $202, $203, $204, $205, $206, $207, $208, $209, $210, $211, $212, $213, $214, $215,
             $216, $217, $218, $219, $220, $221, $222, $223, $224, $225, $226, $227, $228, $229, $230, $231, $232, $233,
             $234, $235, $236, $237, $238, $239, $240, $241, $242, $243, $244, $245, $246, $247, $248, $249, $250, $251,
             $252, $253, $254, $255, $256"
        )
    };
}

statements! {
    LISTED_OF_20 = listed!("20", twenty!());
    LISTED_OF_60 = listed!("200", sixty!());
    LISTED_OF_MOST = listed!("600", most!());
    COUNT = "select count(*) from (select distinct w.person from wishes w
                                   where w.store_id = $1 and w.product_id = $2 limit $3) p";
}
