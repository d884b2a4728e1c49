//! All lists of a shopper, each with its newest items.

use wishbone_storage::{Arg, Bound, Query, Read};

use crate::catalog::lookup::{self, ProductLookup};
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::items::contents;
use crate::items::encode::ItemWriter;
use crate::lists::editors;
use crate::lists::fetch::{Group, PartStart};
use crate::lists::row::{ListRow, columns, equal_types};
use crate::lists::view::{Parts, View};

/// The most lists of one read: a bounded amount of work.
pub const MAX_LISTS: i64 = 10;

/// Items per list.
const NEWEST: i64 = 50;

/// Typical bytes of an item without its product fields.
const TYPICAL_ITEM: usize = 768;

/// Fetches a part of the caller's lists, oldest first, each with its newest items, as encoded records.
#[derive(Clone)]
pub struct FetchLists {
    pub by: Shopper,
    /// `None` for all but save-for-later lists: storefronts take the first list as the default wishlist.
    pub list_type: Option<String>,
    pub include_archived: bool,
    pub products: ProductLookup,
    pub start: PartStart,
    /// Lists to read, at most [`MAX_LISTS`].
    pub limit: i64,
}

#[derive(Debug)]
pub struct ListsPart {
    /// Encoded lists, wishlists first.
    pub records: Vec<Vec<u8>>,
    /// The start of the next part, if there may be one.
    pub next: Option<PartStart>,
}

impl Read for FetchLists {
    const NAME: &'static str = "fetch_lists";
    type Out = ListsPart;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.by.store_id())
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<ListsPart> {
        let mut lists = self.lists(query).await?;
        // Few lists have been changed by others, so editors are only read if one is shown.
        let records = match self.records(query, &lists, false).await? {
            Some(records) => records,
            None => {
                editors::load(query, self.by.store_id(), &mut lists).await?;
                let records = self.records(query, &lists, true).await?;
                records.ok_or_else(|| Error::internal("lists without their editors"))?
            }
        };
        let mut ordered: Vec<_> = records.into_iter().zip(&lists).collect();
        ordered.sort_by_key(|(_, list)| Group::of(list));
        let next = self.start.next(lists.last().filter(|_| lists.len() as i64 == self.limit));
        Ok(ListsPart {
            records: ordered.into_iter().map(|(record, _)| record).collect(),
            // Without a type there are none of these.
            next: next.filter(|next| next.group != Group::SaveForLater),
        })
    }
}

impl FetchLists {
    /// The records of the lists, in their order. `None` if they show editors, which were not loaded.
    async fn records<Q: Query>(
        &self,
        query: &mut Q,
        lists: &[ListRow],
        has_editors: bool,
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let view = View::own(&self.by);
        let mut records: Vec<Record<'_>> = lists.iter().map(|list| Record::open(&view, list, &self.products)).collect();
        let catalog_version = self.write_items(query, &view, lists, &mut records).await?;
        let items_have_editor = records.iter().any(|record| record.items.has_editor);
        if !has_editors && lists.iter().any(|list| view.shows_editors(list, items_have_editor)) {
            return Ok(None);
        }
        let (items, ends): (Vec<_>, Vec<_>) = records.into_iter().map(|record| (record.items, record.end)).unzip();
        let mut records = ItemWriter::finish(items, query, self.by.store(), catalog_version).await?;
        records.iter_mut().zip(&ends).for_each(|(record, end)| record.extend_from_slice(end));
        Ok(Some(records))
    }

    /// The rows of this part.
    async fn lists<Q: Query>(&self, query: &mut Q) -> Result<Vec<ListRow>> {
        let (list_type, same_type) = equal_types(self.list_type.as_deref());
        let args = [
            self.by.store_id().into(),
            (&self.by.id().0).into(),
            self.start.after.into(),
            self.include_archived.into(),
            list_type.into(),
            same_type.into(),
            (self.start.group as i64).into(),
            self.limit.into(),
        ];
        Ok(query.rows(LISTS.bind(&args)).await?)
    }

    /// Writes the newest items of each list into its record. Returns the version of the catalogue.
    async fn write_items<Q: Query>(
        &self,
        query: &mut Q,
        view: &View<'_>,
        lists: &[ListRow],
        records: &mut [Record<'_>],
    ) -> Result<Option<i64>> {
        let mut filled: Vec<(&ListRow, &mut Record<'_>)> =
            lists.iter().zip(records).filter(|(list, _)| list.item_count > 0).collect();
        if filled.is_empty() {
            return Ok(None);
        }
        let store = self.by.store_id().into();
        let args: Vec<[Arg<'_>; 4]> =
            filled.iter().map(|(list, _)| [store, list.list_id.as_bytes().into(), NEWEST.into(), 0.into()]).collect();
        let mut batch: Vec<Bound<'_>> =
            args.iter().map(|args| contents::CONTENTS_WITHOUT_PRODUCTS.bind(args)).collect();
        batch.push(lookup::VERSION.bind(&args[0][..1]));
        let mut catalog_version = None;
        query
            .query_all(&batch, &mut |number, row| {
                match filled.get_mut(number) {
                    Some((list, record)) => record.items.write(view, list, row)?,
                    None => catalog_version = row.opt_int(0)?,
                }
                Ok(())
            })
            .await?;
        Ok(catalog_version)
    }
}

/// The record of a list, of which the items are still to be written.
struct Record<'a> {
    /// What comes before the items, which therefore need not be copied, and the items.
    items: ItemWriter<'a>,
    /// What comes after them.
    end: Vec<u8>,
}

impl<'a> Record<'a> {
    fn open(view: &View<'_>, list: &ListRow, products: &'a ProductLookup) -> Self {
        let parts = Parts { contents: Some(&[]), with_userinfo: true, with_rights: true, people_as_null: false };
        let count = usize::try_from(list.item_count.min(NEWEST)).unwrap_or(0);
        let mut items = ItemWriter::new(Some(products), (count + 2) * TYPICAL_ITEM);
        let contents_end = view.write_list(items.bytes(), list, &parts);
        let end = items.bytes().split_off(contents_end);
        Self { items, end }
    }
}

statements! {
    LISTS = concat!("select ", columns!(""), " from lists
        where store_id = $1 and shopper_id = $2 and ordinal > $3 and ($4 = 1 or archived = 0)
          and (type = $5 or type = $6 or ($5 = '' and type <> '_saveForLater' and type <> 'sfl'))
          and (($7 = 1 and type = 'wl') or ($7 = 2 and type <> 'wl') or $7 = 0)
        order by ordinal limit $8");
}
