//! A list with its full contents.

use wishbone_storage::{Bound, FromRow, Query, Read};

use crate::catalog::lookup::{self, ProductLookup};
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::items::encode::{ItemWriter, item, item_without_product, items_and_products};
use crate::lists::access::{Access, ListRef, ResolvedList, Right, not_found};
use crate::lists::editors;
use crate::lists::row::{self, Editor, ListRow};
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
    pub products: ProductLookup,
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
        // Few lists have been changed by others, so editors are only read if one is shown.
        match self.read(query, &found, false).await? {
            Some(contents) => Ok(contents),
            None => self.read(query, &found, true).await?.ok_or_else(|| Error::internal("a list without its editors")),
        }
    }
}

/// What a statement returns.
#[derive(Clone, Copy)]
enum Part {
    List,
    Editors,
    Items,
    CatalogVersion,
    Owner,
}

impl ListWithContents {
    /// `None` if the list shows editors and is read without them.
    async fn read<Q: Query>(
        &self,
        query: &mut Q,
        found: &ResolvedList,
        with_editors: bool,
    ) -> Result<Option<Contents>> {
        let key = [self.by.store_id().into(), found.list_id.as_bytes().into()];
        let limit = self.limit.unwrap_or(i64::MAX);
        let arguments = [key[0], key[1], limit.into(), self.offset.into()];
        let shows_owner = self.by.store().settings.share_owner == ShareOwner::Name;
        let (parts, batch): (Vec<Part>, Vec<Bound<'_>>) = [
            Some((Part::List, row::FIND_ROW.bind(&key))),
            with_editors.then(|| (Part::Editors, editors::OF_LIST.bind(&key))),
            Some((Part::Items, CONTENTS_WITHOUT_PRODUCTS.bind(&arguments))),
            Some((Part::CatalogVersion, lookup::VERSION.bind(&key[..1]))),
            shows_owner.then(|| (Part::Owner, OWNER.bind(&key))),
        ]
        .into_iter()
        .flatten()
        .unzip();
        let (mut lists, mut view) = (Vec::with_capacity(1), None);
        let (mut segments, mut owner, mut catalog_version) = (Vec::<ItemWriter<'_>>::new(), None, None);
        query
            .query_all(&batch, &mut |number, row| {
                match (parts[number], lists.first_mut()) {
                    (Part::List, _) => lists.push(ListRow::from_row(row)?),
                    (Part::CatalogVersion, _) => catalog_version = row.opt_int(0)?,
                    (Part::Owner, _) => owner = Some(OwnerName(row.text(0)?.to_owned(), row.text(1)?.to_owned())),
                    (Part::Editors, Some(list)) => list.editors.extend(Editor::from_columns(row, 0)?),
                    (Part::Items, Some(list)) => {
                        let view = view.get_or_insert_with(|| View::new(&self.by, Access::new(&self.by, found, list)));
                        if segments.last_mut().is_none_or(|last| last.bytes().len() > SEGMENT_BYTES) {
                            segments.push(ItemWriter::new(Some(&self.products), capacity(list)));
                        }
                        if let Some(segment) = segments.last_mut() {
                            segment.write(view, list, row)?;
                        }
                    }
                    // Of a deleted list that is not purged yet.
                    (Part::Editors | Part::Items, None) => {}
                }
                Ok(())
            })
            .await?;
        let list = lists.pop().ok_or_else(not_found)?;
        let access = Access::new(&self.by, found, &list);
        if list.archived && self.exclude_archived {
            return Err(not_found());
        }
        access.require(Right::Read)?;
        let items_have_editor = segments.iter().any(|items| items.has_editor);
        let shows_editors = View::new(&self.by, access.clone()).shows_editors(&list, items_have_editor);
        if shows_editors && !with_editors {
            return Ok(None);
        }
        let mut items = ItemWriter::finish(segments, query, self.by.store(), catalog_version).await?;
        items.iter_mut().skip(1).for_each(|segment| segment.insert(0, b','));
        Ok(Some(Contents { list, items, owner, access }))
    }
}

statements! {
    pub(crate) CONTENTS = concat!("select ", item!(), items_and_products!(), "
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    pub(crate) CONTENTS_WITHOUT_PRODUCTS = concat!("select ", item_without_product!(), "
        from items i where i.store_id = $1 and i.list_id = $2
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    OWNER = "select s.first_name, s.last_name
             from lists l join shoppers s on s.store_id = $1 and s.shopper_id = l.shopper_id
             where l.store_id = $1 and l.list_id = $2";
}
