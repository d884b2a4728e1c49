//! One page of a list, in any order. Product fields and stock are the catalogue's current values.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Sql};

use crate::catalog::lookup::{self, ProductLookup};
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::items::encode::{CATALOG_COLUMNS, ITEM_COLUMNS, ItemWriter, item, item_without_product, items_and_products};
use crate::lists::access::not_found;
use crate::lists::cursor::{Cursor, Filter, Order, SortBy, SortValue};
use crate::lists::editors;
use crate::lists::row::{self, Editor, ListRow};
use crate::lists::view::View;

/// One page of a list.
pub struct Page {
    pub list: ListRow,
    /// What [`ListPage::open`] has written, and the encoded items with commas between them.
    pub text: Vec<u8>,
    /// `None` on the last page.
    pub next: Option<Cursor>,
}

/// Typical bytes of an encoded item.
const TYPICAL_ITEM: usize = 1_024;

/// Fetches one page of a list, for its owner only.
pub struct ListPage {
    pub by: Shopper,
    pub list: Uuid,
    pub order: Order,
    pub after: Option<Cursor>,
    pub limit: i64,
    pub products: ProductLookup,
    /// Writes what comes before the items, so that they need not be copied into the response.
    pub open: fn(&mut Vec<u8>, &View<'_>, &ListRow),
}

impl Read for ListPage {
    const NAME: &'static str = "list_page";
    type Out = Page;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.by.store_id())
    }

    fn needs_snapshot(&self) -> bool {
        self.cached_products().is_none()
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Page> {
        // Few lists have been changed by others, so editors are only read if one is shown.
        match self.read(query, false).await? {
            Some(page) => Ok(page),
            None => self.read(query, true).await?.ok_or_else(|| Error::internal("a page without its editors")),
        }
    }
}

/// What a statement of a page returns.
#[derive(Clone, Copy)]
enum Part {
    List,
    Editors,
    Items,
    CatalogVersion,
    Version,
}

impl ListPage {
    /// `None` if the page shows editors and is read without them.
    async fn read<Q: Query>(&self, query: &mut Q, with_editors: bool) -> Result<Option<Page>> {
        let store_id = self.by.store_id();
        let key = [store_id.into(), self.list.as_bytes().into()];
        let products = self.cached_products();
        let (statement, arguments) = match (products, &self.after) {
            (Some(_), None) => (FIRST_WITHOUT_PRODUCTS, vec![key[0], key[1], (self.limit + 1).into()]),
            (Some(_), Some(after)) => {
                let after = [after.added_at.into(), after.seq.into()];
                (NEXT_WITHOUT_PRODUCTS, vec![key[0], key[1], after[0], after[1], (self.limit + 1).into()])
            }
            (None, _) => (self.statement(), self.arguments()),
        };
        // The version comes last: if it has stayed the same, so have the items, since every change of them changes it.
        let (parts, batch): (Vec<Part>, Vec<Bound<'_>>) = [
            Some((Part::List, row::FIND_ROW.bind(&key))),
            with_editors.then(|| (Part::Editors, editors::OF_LIST.bind(&key))),
            Some((Part::Items, statement.bind(&arguments))),
            products.map(|_| (Part::CatalogVersion, lookup::VERSION.bind(&key[..1]))),
            (!query.is_snapshot()).then(|| (Part::Version, row::VERSION.bind(&key))),
        ]
        .into_iter()
        .flatten()
        .unzip();
        let view = View::own(&self.by);
        let mut found = Vec::with_capacity(1);
        let limit = usize::try_from(self.limit).unwrap_or(0);
        let mut items = ItemWriter::new(products, limit * TYPICAL_ITEM);
        let (mut last, mut next, mut catalog_version, mut version) = (None, None, None, None);
        query
            .query_all(&batch, &mut |number, row| {
                match (parts[number], found.first_mut()) {
                    (Part::List, _) => found.push(ListRow::from_row(row)?),
                    (Part::CatalogVersion, _) => catalog_version = row.opt_int(0)?,
                    (Part::Version, _) => version = row.opt_int(0)?,
                    (Part::Editors, Some(list)) => list.editors.extend(Editor::from_columns(row, 0)?),
                    (Part::Items, Some(_)) if items.count == limit => next = last.take(),
                    (Part::Items, Some(list)) => {
                        if items.count == 0 {
                            (self.open)(items.bytes(), &view, list);
                        }
                        items.write(&view, list, row)?;
                        if items.count == limit {
                            last = Some(self.cursor(row)?);
                        }
                    }
                    // Of a deleted list that is not purged yet.
                    (Part::Editors | Part::Items, None) => {}
                }
                Ok(())
            })
            .await?;
        let list = found.pop().ok_or_else(not_found)?;
        if list.shopper_id != self.by.id().0 {
            return Err(Error::new(
                Code::NotGranted,
                "this list belongs to another shopper: use the regid of its owner",
            ));
        }
        query.require_consistent(version == Some(list.version))?;
        if items.count == 0 {
            (self.open)(items.bytes(), &view, &list);
        }
        if view.shows_editors(&list, items.has_editor) && !with_editors {
            return Ok(None);
        }
        let mut text = ItemWriter::finish(vec![items], query, self.by.store(), catalog_version).await?;
        Ok(Some(Page { list, text: text.pop().unwrap_or_default(), next }))
    }

    /// Other orders and filters need the catalogue in the statement.
    fn cached_products(&self) -> Option<&ProductLookup> {
        Some(&self.products).filter(|_| self.order == Order::default())
    }

    fn statement(&self) -> Sql {
        match (self.order.by, self.order.ascending) {
            (SortBy::Added, false) => NEWEST_FIRST,
            (SortBy::Added, true) => OLDEST_FIRST,
            (SortBy::Price, false) => PRICE_DOWN,
            (SortBy::Price, true) => PRICE_UP,
            (SortBy::Title, false) => TITLE_DOWN,
            (SortBy::Title, true) => TITLE_UP,
        }
    }

    /// Requests one row more than the page has, to know whether there is another page.
    fn arguments(&self) -> Vec<Arg<'_>> {
        let mut out: Vec<Arg<'_>> =
            vec![self.by.store_id().into(), self.list.as_bytes().into(), filter(self.order.filter).into()];
        let after = self.after.as_ref();
        if self.order.by == SortBy::Added {
            let start = if self.order.ascending { i64::MIN } else { i64::MAX };
            out.push(after.map_or(start, |cursor| cursor.added_at).into());
            out.push(after.map_or(start, |cursor| cursor.seq).into());
        } else {
            let (phase, value) = match after.map(|cursor| &cursor.value) {
                None => (0, Arg::Null),
                Some(SortValue::Price(price)) => (1, Arg::Double(*price)),
                Some(SortValue::Title(key)) => (1, Arg::Blob(key)),
                Some(SortValue::Missing) => (2, Arg::Null),
            };
            out.extend([Arg::Int(phase), value]);
            out.push(after.map_or(0, |cursor| cursor.added_at).into());
            out.push(after.map_or(0, |cursor| cursor.seq).into());
        }
        out.push((self.limit + 1).into());
        out
    }

    /// Reads the columns after those of the item: its place in the order of addition, and the value it is sorted by.
    fn cursor(&self, row: &dyn Row) -> wishbone_storage::Result<Cursor> {
        let at = ITEM_COLUMNS + if self.cached_products().is_none() { CATALOG_COLUMNS } else { 0 };
        let (added_at, seq, value) = (row.int(at)?, row.int(at + 1)?, at + 2);
        let value = match self.order.by {
            SortBy::Added => SortValue::Missing,
            SortBy::Price => row.opt_double(value)?.map_or(SortValue::Missing, SortValue::Price),
            SortBy::Title => row.opt_blob(value)?.map_or(SortValue::Missing, |key| SortValue::Title(key.to_owned())),
        };
        Ok(Cursor { value, added_at, seq })
    }
}

fn filter(filter: Filter) -> i64 {
    match filter {
        Filter::Any => -1,
        Filter::InStock => 1,
        Filter::OutOfStock => 0,
    }
}

macro_rules! place {
    () => {
        ", i.added_at, i.seq"
    };
}

macro_rules! by_addition {
    ($comparison:literal, $direction:literal) => {
        concat!(
            "select ",
            item!(),
            place!(),
            items_and_products!(),
            "
            and ($3 = -1 or coalesce(p.in_stock, 1) = $3) and (i.added_at, i.seq) ",
            $comparison,
            " ($4, $5)
            order by i.added_at ",
            $direction,
            ", i.seq ",
            $direction,
            " limit $6"
        )
    };
}

// Phase 0 is the first page, 1 continues after a value, 2 continues among items without a value, which are last in both
// directions.
macro_rules! by_value {
    ($given:literal, $known:literal, $comparison:literal, $direction:literal) => {
        concat!(
            "select * from (select ",
            item!(),
            place!(),
            ",
                case when p.variant_id is null then ",
            $given,
            " else ",
            $known,
            " end as value",
            items_and_products!(),
            "
                and ($3 = -1 or coalesce(p.in_stock, 1) = $3)) as t
            where $4 = 0
               or ($4 = 1 and (value ",
            $comparison,
            " $5 or value is null or (value = $5 and (added_at, seq) < ($6, $7))))
               or ($4 = 2 and value is null and (added_at, seq) < ($6, $7))
            order by value ",
            $direction,
            " nulls last, added_at desc, seq desc limit $8"
        )
    };
}

statements! {
    NEWEST_FIRST = by_addition!("<", "desc");
    // Without a start, which SQLite would compare with every row.
    FIRST_WITHOUT_PRODUCTS = concat!("select ", item_without_product!(), place!(), "
        from items i where i.store_id = $1 and i.list_id = $2 order by i.added_at desc, i.seq desc limit $3");
    NEXT_WITHOUT_PRODUCTS = concat!("select ", item_without_product!(), place!(), "
        from items i where i.store_id = $1 and i.list_id = $2 and (i.added_at, i.seq) < ($3, $4)
        order by i.added_at desc, i.seq desc limit $5");
    OLDEST_FIRST = by_addition!(">", "asc");
    PRICE_UP = by_value!("i.given_price", "p.price", ">", "asc");
    PRICE_DOWN = by_value!("i.given_price", "p.price", "<", "desc");
    TITLE_UP = by_value!("i.given_title_key", "p.title_key", ">", "asc");
    TITLE_DOWN = by_value!("i.given_title_key", "p.title_key", "<", "desc");
}
