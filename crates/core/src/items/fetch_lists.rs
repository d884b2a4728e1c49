//! All lists of a shopper, each with its newest items.

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row};

use crate::catalog::lookup::ProductLookup;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::items::encode::{ITEM_COLUMNS, ItemWriter, item, item_without_product};
use crate::lists::row::{ListRow, collect_row, columns, equal_types, with_editors};
use crate::lists::view::{Parts, View};

/// Lists of one read: a bounded amount of work. The statements have the same number.
const MAX_LISTS: usize = 10;

/// Which lists of the caller to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    All = 0,
    Wishlists = 1,
    Others = 2,
}

/// Where a part of the lists begins.
#[derive(Clone, Copy, Debug)]
pub struct PartStart {
    group: Group,
    /// Lists with a higher ordinal are read.
    after: i64,
}

impl PartStart {
    pub const FIRST: Self = Self { group: Group::All, after: -1 };

    /// The start of the first part if the lists do not fit into one: wishlists come first.
    pub const FIRST_OF_SEVERAL: Self = Self { group: Group::Wishlists, after: -1 };
}

/// Fetches a part of the caller's lists, oldest first, each with its newest items, as encoded records. The items of all of
/// them are one statement.
#[derive(Clone)]
pub struct FetchLists {
    pub by: Shopper,
    pub list_type: Option<String>,
    pub include_archived: bool,
    /// The product cache, if it can be used.
    pub products: Option<ProductLookup>,
    pub start: PartStart,
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
        // Few lists have been changed by others, so editors are only read if one is shown.
        match self.read(query, false).await? {
            Some(part) => Ok(part),
            None => self.read(query, true).await?.ok_or_else(|| Error::internal("lists without their editors")),
        }
    }
}

impl FetchLists {
    /// `None` if the lists show editors and are read without them.
    async fn read<Q: Query>(&self, query: &mut Q, with_editors: bool) -> Result<Option<ListsPart>> {
        let PartStart { group, after } = self.start;
        let (list_type, same_type) = equal_types(self.list_type.as_deref());
        let args = [
            self.by.store_id().into(),
            (&self.by.id().0).into(),
            after.into(),
            self.include_archived.into(),
            list_type.into(),
            same_type.into(),
            (group as i64).into(),
        ];
        let (mut lists, mut records) = (Vec::new(), Records::new(View::own(&self.by), self.products.as_ref()));
        let lists_statement = if with_editors { LISTS_WITH_EDITORS } else { LISTS };
        let mut batch = vec![lists_statement.bind(&args), records.statement(&args)];
        let stamp_statement = self.products.as_ref().and_then(ProductLookup::stamp_statement);
        batch.extend(stamp_statement.map(|stamp| stamp.bind(&args[..1])));
        let mut stamp = None;
        query
            .query_all(&batch, &mut |number, row| {
                match number {
                    0 if with_editors => collect_row(&mut lists, row)?,
                    0 => lists.push(ListRow::from_row(row)?),
                    1 => records.visit(&lists, row)?,
                    _ => stamp = row.opt_int(0)?,
                }
                Ok(())
            })
            .await?;
        if records.show_editors(&lists) && !with_editors {
            return Ok(None);
        }
        let records = records.finish(query, self.by.store_id(), stamp, &lists).await?;
        let next = match (lists.get(MAX_LISTS - 1), group) {
            (Some(last), _) => Some(PartStart { group, after: last.ordinal }),
            (None, Group::Wishlists) => Some(PartStart { group: Group::Others, after: -1 }),
            (None, Group::All | Group::Others) => None,
        };
        let (wishlists, others): (Vec<_>, Vec<_>) =
            records.into_iter().zip(&lists).partition(|(_, list)| !list.is_after_wishlists());
        let records = wishlists.into_iter().chain(others).map(|(record, _)| record).collect();
        Ok(Some(ListsPart { records, next }))
    }
}

/// Items per list. The statements have the same number.
const NEWEST: usize = 50;

/// Typical bytes of an item without its product fields.
const TYPICAL_ITEM: usize = 768;

/// The records of lists with their newest items, from rows in the lists' order.
struct Records<'a> {
    view: View<'a>,
    products: Option<&'a ProductLookup>,
    /// Per list, what comes before the items and the items, and what comes after them. Empty before the first item.
    lists: Vec<(ItemWriter<'a>, Vec<u8>)>,
    /// The number of the current list.
    current: usize,
}

impl<'a> Records<'a> {
    fn new(view: View<'a>, products: Option<&'a ProductLookup>) -> Self {
        Self { view, products, lists: Vec::new(), current: 0 }
    }

    /// The statement for the items; its arguments are those of the statement for the lists.
    fn statement<'b>(&self, args: &'b [Arg<'b>]) -> Bound<'b> {
        if self.products.is_some() { OF_LISTS_WITHOUT_PRODUCTS.bind(args) } else { OF_LISTS.bind(args) }
    }

    /// Writes the records up to their items, so that those need not be copied.
    fn open(&mut self, lists: &[ListRow]) {
        let parts = Parts { contents: Some(&[]), with_userinfo: true, with_rights: true, people_as_null: false };
        self.lists.extend(lists.iter().map(|list| {
            let items = usize::try_from(list.item_count).unwrap_or(NEWEST).min(NEWEST);
            let mut record = ItemWriter::new(self.products, (items + 2) * TYPICAL_ITEM);
            let contents_end = self.view.write_list(record.bytes(), list, &parts);
            let rest = record.bytes().split_off(contents_end);
            (record, rest)
        }));
    }

    fn visit(&mut self, lists: &[ListRow], row: &dyn Row) -> wishbone_storage::Result<()> {
        if self.lists.is_empty() {
            self.open(lists);
        }
        let id = uuid(row, ITEM_COLUMNS)?;
        // Skips lists without items.
        while lists.get(self.current).is_some_and(|list| list.list_id != id) {
            self.current += 1;
        }
        if let (Some(list), Some((record, _))) = (lists.get(self.current), self.lists.get_mut(self.current))
            && record.count < NEWEST
        {
            record.write(&self.view, list, row)?;
        }
        Ok(())
    }

    fn show_editors(&self, lists: &[ListRow]) -> bool {
        let items_have_editor = self.lists.iter().any(|(items, _)| items.has_editor);
        lists.iter().any(|list| self.view.shows_editors(list, items_have_editor))
    }

    /// Returns the record of each list.
    async fn finish<Q: Query>(
        mut self,
        query: &mut Q,
        store_id: i64,
        stamp: Option<i64>,
        lists: &[ListRow],
    ) -> Result<Vec<Vec<u8>>> {
        if self.lists.is_empty() {
            self.open(lists);
        }
        let (records, rests): (Vec<_>, Vec<_>) = self.lists.into_iter().unzip();
        let mut records = ItemWriter::finish(records, query, store_id, stamp).await?;
        records.iter_mut().zip(&rests).for_each(|(record, rest)| record.extend_from_slice(rest));
        Ok(records)
    }
}

/// The condition that selects the lists of a part.
macro_rules! wanted {
    ($list:literal) => {
        concat!(
            "($4 = 1 or ",
            $list,
            ".archived = 0) and ($5 = '' or ",
            $list,
            ".type = $5 or ",
            $list,
            ".type = $6)
             and (($7 = 1 and ",
            $list,
            ".type = 'wl') or ($7 = 2 and ",
            $list,
            ".type <> 'wl') or $7 = 0)"
        )
    };
}

macro_rules! part {
    () => {
        concat!(
            "l.shopper_id = $2 and l.ordinal > $3
             and l.ordinal <= coalesce((select c.ordinal from lists c
                                        where c.store_id = $1 and c.shopper_id = $2 and c.ordinal > $3 and ",
            wanted!("c"),
            "
                                        order by c.ordinal limit 1 offset 9), 9223372036854775807)
             and ",
            wanted!("l")
        )
    };
}

// Items that were added in one call share their time, so up to as many as a call may add are read too many. (A comparison
// of two columns would read none of them, but SQLite evaluates its right side for each row.)
macro_rules! of_lists {
    ($columns:expr, $products:literal) => {
        concat!(
            "select ",
            $columns,
            ", i.list_id
        from lists l
        join items i on i.store_id = $1 and i.list_id = l.list_id
             and i.added_at >= case when l.item_count > 50 then
                                 coalesce((select k.added_at from items k
                                           where k.store_id = $1 and k.list_id = l.list_id
                                           order by k.added_at desc, k.seq desc limit 1 offset 49), 0) else 0 end ",
            $products,
            " where l.store_id = $1 and ",
            part!(),
            " order by l.ordinal, i.added_at desc, i.seq desc"
        )
    };
}

statements! {
    LISTS = concat!("select ", columns!("l."), " from lists l where l.store_id = $1 and ", part!(), " order by l.ordinal");
    LISTS_WITH_EDITORS = with_editors!(concat!(part!(), " order by l.ordinal"));
    OF_LISTS = of_lists!(item!(), "left join products p on p.store_id = $1 and p.variant_id = i.variant_id");
    OF_LISTS_WITHOUT_PRODUCTS = of_lists!(item_without_product!(), "");
}
