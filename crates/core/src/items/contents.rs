//! A list with its full contents.

use wishbone_storage::{Query, Read};

use crate::catalog::lookup::ProductLookup;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::items::encode::{ItemWriter, item, item_columns_without_products, items_and_products};
use crate::lists::access::{Access, ListRef, Right, not_found};
use crate::lists::row::{self, ListRow, collect_row};
use crate::lists::view::{OwnerName, View};
use crate::stores::settings::ShareOwner;

/// A list with its contents.
#[derive(Debug)]
pub struct Contents {
    pub list: ListRow,
    /// Encoded items with commas between them, in segments: a long list has tens of megabytes, and one growing buffer would
    /// take up to three times as much.
    pub items: Vec<Vec<u8>>,
    /// The owner's name, if the store shows it.
    pub owner: Option<OwnerName>,
    pub access: Access,
}

const SEGMENT_BYTES: usize = 256 << 10;

/// Extra capacity for the item that fills a segment: custom fields, note and product fields of maximum length.
const LARGE_ITEM: usize = 24 << 10;

/// Typical bytes of an item.
const TYPICAL_ITEM: usize = 1 << 10;

/// The capacity of a segment: for the whole list if it is short.
fn capacity(list: &ListRow) -> usize {
    let bytes = usize::try_from(list.item_count).unwrap_or(usize::MAX).saturating_mul(TYPICAL_ITEM);
    bytes.min(SEGMENT_BYTES + LARGE_ITEM)
}

/// Fetches a list with its contents, for a caller who may read it.
#[derive(Clone)]
pub struct ListWithContents {
    pub by: Shopper,
    pub list: ListRef,
    pub exclude_archived: bool,
    pub limit: Option<i64>,
    pub offset: i64,
    /// The product cache, if it can be used.
    pub products: Option<ProductLookup>,
}

impl Read for ListWithContents {
    const NAME: &'static str = "list_with_contents";
    type Out = Contents;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.by.store_id())
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Contents> {
        let found = self.list.find(query, &self.by).await?;
        let key = [self.by.store_id().into(), found.list_id.as_bytes().into()];
        let limit = self.limit.unwrap_or(i64::MAX);
        let arguments = [key[0], key[1], limit.into(), self.offset.into()];
        let products = self.products.as_ref();
        let statement = if products.is_some() { CONTENTS_WITHOUT_PRODUCTS } else { CONTENTS };
        let mut batch = vec![row::FIND.bind(&key), statement.bind(&arguments)];
        if self.by.store().settings.share_owner == ShareOwner::Name {
            batch.push(OWNER.bind(&key));
        }
        let (mut lists, mut view) = (Vec::with_capacity(1), None);
        let (mut segments, mut owner) = (Vec::<ItemWriter<'_>>::new(), None);
        query
            .query_all(&batch, &mut |number, row| {
                match (number, lists.first()) {
                    (0, _) => collect_row(&mut lists, row)?,
                    (1, Some(list)) => {
                        let view = view.get_or_insert_with(|| View::new(&self.by, Access::new(&self.by, &found, list)));
                        if segments.last_mut().is_none_or(|last| last.bytes().len() > SEGMENT_BYTES) {
                            segments.push(ItemWriter::new(products, capacity(list)));
                        }
                        if let Some(segment) = segments.last_mut() {
                            segment.write(view, list, row)?;
                        }
                    }
                    // Items of a deleted list that are not purged yet.
                    (1, ..) => {}
                    _ => owner = Some(OwnerName(row.text(0)?.to_owned(), row.text(1)?.to_owned())),
                }
                Ok(())
            })
            .await?;
        let list = lists.pop().ok_or_else(not_found)?;
        let access = Access::new(&self.by, &found, &list);
        if list.archived && self.exclude_archived {
            return Err(not_found());
        }
        access.require(Right::Read)?;
        let mut items = ItemWriter::finish(segments, query, self.by.store_id()).await?;
        items.iter_mut().skip(1).for_each(|segment| segment.insert(0, b','));
        Ok(Contents { list, items, owner, access })
    }
}

statements! {
    pub(crate) CONTENTS = concat!("select ", item!(), items_and_products!(), "
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    CONTENTS_WITHOUT_PRODUCTS = concat!("select ", item_columns_without_products!(), "
        from items i where i.store_id = $1 and i.list_id = $2
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    OWNER = "select s.first_name, s.last_name
             from lists l join shoppers s on s.store_id = $1 and s.shopper_id = l.shopper_id
             where l.store_id = $1 and l.list_id = $2";
}
