//! Reading items: pages, whole lists, and the newest of every list. Product words and stock are
//! joined from the catalogue as it is now.

use uuid::Uuid;
use wishbone_store::{Arg, Bound, Query, Read, Row, Sql, Subject};

use crate::access::{Access, ListRef, Right, not_found};
use crate::caller::Shopper;
use crate::kept::{about_list, about_shopper, about_variant};
use crate::lists::{self, ListRow, gather, uuid};
use crate::page::{Cursor, Filter, Order, SortBy, SortValue};
use crate::record::{ItemRecord, OwnerName, View};
use crate::stores::ShareOwner;
use crate::words::{Gap, KnownWords, Words};
use crate::{Code, Error, Result};

/// How many items of each list fetch-lists shows.
const NEWEST: i64 = 50;

/// A part of a list: its row, its encoded items, and where it goes on.
#[derive(Debug)]
pub struct Page {
    pub list: ListRow,
    /// What was written before the items, and the items with commas between them.
    pub written: Vec<u8>,
    /// What the items are.
    pub variants: Vec<i64>,
    pub next: Option<Cursor>,
}

/// What a page shows.
pub struct Shown {
    pub by: Shopper,
    pub list: ListRow,
    pub variants: Vec<i64>,
    pub order: Order,
}

impl Shown {
    /// What a page in the usual order was made from; `None` if that cannot be told in few words.
    pub fn subjects(&self) -> Option<Vec<Subject>> {
        if self.order != Order::default() || !self.list.editors.is_empty() {
            return None;
        }
        let store_id = self.by.store_id();
        let mut out = vec![about_shopper(store_id, self.by.id()), about_list(store_id, &self.list.list_id)];
        out.extend(self.variants.iter().map(|variant| about_variant(store_id, *variant)));
        Some(out)
    }
}

/// A list with its contents.
#[derive(Debug)]
pub struct Contents {
    pub list: ListRow,
    /// Encoded items with commas between them, in segments: a long list fills tens of megabytes, and one buffer that
    /// grows would take up to three times as much.
    pub items: Vec<Vec<u8>>,
    /// Where visitors may learn it.
    pub owner: Option<OwnerName>,
    pub access: Access,
}

/// Room for an item of a page, about; a page that needs more grows.
const TYPICAL_ITEM: usize = 1_024;
const SEGMENT: usize = 256 << 10;
/// Room for the item that fills a segment: custom fields, note and product words at their longest.
const LARGE_ITEM: usize = 24 << 10;

/// One page of a list, for its owner alone.
pub struct ListPage {
    pub by: Shopper,
    pub list: Uuid,
    pub order: Order,
    pub after: Option<Cursor>,
    pub limit: i64,
    /// What need not be looked up.
    pub words: Option<KnownWords>,
    /// Writes what comes before the items: an answer is made in one buffer, from its first byte to its last.
    pub begin: fn(&mut Vec<u8>, &View<'_>, &ListRow),
}

impl Read for ListPage {
    const NAME: &'static str = "list_page";
    type Out = Page;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Page> {
        let store_id = self.by.store_id();
        let key = [store_id.into(), self.list.as_bytes().into()];
        // Other orders need to know what is in the catalogue to begin with.
        let words = self.words.as_ref().filter(|_| self.order == Order::default());
        let statement = if words.is_some() { NEWEST_WITHOUT_WORDS } else { self.statement() };
        let arguments = self.arguments(words.is_some());
        let view = View::own(&self.by);
        let mut found = Vec::with_capacity(1);
        let (mut variants, mut gaps, mut last, mut next) = (Vec::new(), Vec::new(), None, None);
        let most = usize::try_from(self.limit).unwrap_or(0);
        let mut out = Vec::with_capacity(most * TYPICAL_ITEM);
        query
            .query_all(&[lists::FIND.bind(&key), statement.bind(&arguments)], &mut |number, row| {
                if number == 0 {
                    gather(&mut found, row)?;
                } else if variants.len() == most {
                    next = last.take();
                } else if let Some(list) = found.first() {
                    if variants.is_empty() {
                        (self.begin)(&mut out, &view, list);
                    } else {
                        out.push(b',');
                    }
                    let mut item = item_record(row)?;
                    variants.push(item.variant_id);
                    match words.map(|words| words.get(store_id, item.variant_id)) {
                        None | Some(Some(Words(None))) => {
                            view.write_item(&mut out, list, &item);
                        }
                        Some(Some(Words(Some(known)))) => {
                            item.fields = Some(&known);
                            view.write_item(&mut out, list, &item);
                        }
                        Some(None) => {
                            let given = item.fields.replace("").map(str::to_owned);
                            let at = view.write_item(&mut out, list, &item);
                            gaps.push(Gap { at, variant_id: item.variant_id, given });
                        }
                    }
                    if variants.len() == most {
                        last = Some(self.cursor(row)?);
                    }
                }
                Ok(())
            })
            .await?;
        if let Some(words) = words {
            out = words.fill(query, store_id, out, gaps).await?;
        }
        let list = found.pop().ok_or_else(not_found)?;
        if variants.is_empty() {
            (self.begin)(&mut out, &view, &list);
        }
        if list.shopper_id != self.by.id().0 {
            return Err(Error::new(
                Code::NotGranted,
                "this list belongs to another shopper: fetch-user-list is for its owner",
            ));
        }
        Ok(Page { list, written: out, variants, next })
    }
}

impl ListPage {
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

    /// One row more than is shown tells whether there is another page.
    fn arguments(&self, without_words: bool) -> Vec<Arg<'_>> {
        let mut out: Vec<Arg<'_>> = vec![self.by.store_id().into(), self.list.as_bytes().into()];
        if !without_words {
            out.push(filter(self.order.filter).into());
        }
        let after = self.after.as_ref();
        if self.order.by == SortBy::Added {
            let edge = if self.order.ascending { i64::MIN } else { i64::MAX };
            out.push(after.map_or(edge, |cursor| cursor.added_at).into());
            out.push(after.map_or(edge, |cursor| cursor.seq).into());
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

    fn cursor(&self, row: &dyn Row) -> wishbone_store::Result<Cursor> {
        let value = match self.order.by {
            SortBy::Added => SortValue::Missing,
            SortBy::Price => row.opt_double(ITEM_COLUMNS)?.map_or(SortValue::Missing, SortValue::Price),
            SortBy::Title => {
                row.opt_blob(ITEM_COLUMNS)?.map_or(SortValue::Missing, |key| SortValue::Title(key.to_owned()))
            }
        };
        Ok(Cursor { value, added_at: row.int(3)?, seq: row.int(4)? })
    }
}

fn filter(filter: Filter) -> i64 {
    match filter {
        Filter::Any => -1,
        Filter::InStock => 1,
        Filter::OutOfStock => 0,
    }
}

/// A list with its contents, for its owner, for whoever has a link, or, when it is public, for anyone.
pub struct ListWithContents {
    pub by: Shopper,
    pub list: ListRef,
    pub exclude_archived: bool,
    pub limit: Option<i64>,
    pub offset: i64,
}

impl Read for ListWithContents {
    const NAME: &'static str = "list_with_contents";
    type Out = Contents;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Contents> {
        let found = self.list.find(query, &self.by).await?;
        let key = [self.by.store_id().into(), found.list_id.as_bytes().into()];
        let limit = self.limit.unwrap_or(i64::MAX);
        let arguments = [key[0], key[1], limit.into(), self.offset.into()];
        let mut batch = vec![lists::FIND.bind(&key), CONTENTS.bind(&arguments)];
        if self.by.store().settings.share_owner == ShareOwner::Name {
            batch.push(OWNER.bind(&key));
        }
        let (mut lists, mut view) = (Vec::with_capacity(1), None);
        let (mut items, mut segment, mut owner) = (Vec::new(), Vec::new(), None);
        query
            .query_all(&batch, &mut |number, row| {
                match (number, lists.first()) {
                    (0, _) => gather(&mut lists, row)?,
                    (1, Some(list)) => {
                        let view = view.get_or_insert_with(|| View::new(&self.by, Access::new(&self.by, &found, list)));
                        write_row(&mut segment, view, list, row)?;
                        if segment.len() > SEGMENT {
                            let mut next = Vec::with_capacity(SEGMENT + LARGE_ITEM);
                            next.push(b',');
                            items.push(std::mem::replace(&mut segment, next));
                        }
                    }
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
        // What a full segment left behind is only the comma before the next item.
        if segment != b"," {
            items.push(segment);
        }
        Ok(Contents { list, items, owner, access })
    }
}

/// Appends one encoded item.
fn write_row(out: &mut Vec<u8>, view: &View<'_>, list: &ListRow, row: &dyn Row) -> wishbone_store::Result<()> {
    if !out.is_empty() && out != b"," {
        out.push(b',');
    }
    view.write_item(out, list, &item_record(row)?);
    Ok(())
}

pub(crate) fn item_record(row: &dyn Row) -> wishbone_store::Result<ItemRecord<'_>> {
    Ok(ItemRecord {
        item_id: uuid(row, 0)?,
        variant_id: row.int(1)?,
        product_id: row.int(2)?,
        added_at: row.int(3)?,
        updated_at: row.int(5)?,
        device: row.opt_text(6)?,
        attributes: row.text(7)?,
        fields: row.opt_text(8)?,
        added_by: row.opt_int(9)?,
        changed_by: row.opt_int(10)?,
    })
}

/// Gathers the newest items of all lists of a shopper while their rows come by, in the lists' order.
pub(crate) struct NewestItems<'a> {
    view: View<'a>,
    /// Encoded, with commas between them: one entry for each list up to the one at hand.
    contents: Vec<Vec<u8>>,
    count: i64,
}

impl<'a> NewestItems<'a> {
    pub(crate) fn new(view: View<'a>) -> Self {
        Self { view, contents: Vec::new(), count: 0 }
    }

    /// Takes the arguments of the statement that fetches the lists themselves.
    pub(crate) fn statement<'b>(args: &'b [Arg<'b>]) -> Bound<'b> {
        OF_LISTS.bind(args)
    }

    pub(crate) fn visit(&mut self, lists: &[ListRow], row: &dyn Row) -> wishbone_store::Result<()> {
        let id = uuid(row, ITEM_COLUMNS)?;
        // Lists without items are passed over.
        while self.contents.is_empty() || lists.get(self.contents.len() - 1).is_some_and(|list| list.list_id != id) {
            self.contents.push(Vec::new());
            self.count = 0;
        }
        let at = self.contents.len() - 1;
        // Items of one moment share their time, so the statement may bring a few more than wanted.
        if let (Some(list), true) = (lists.get(at), self.count < NEWEST) {
            self.count += 1;
            write_row(&mut self.contents[at], &self.view, list, row)?;
        }
        Ok(())
    }

    /// The items of the list with this number.
    pub(crate) fn of(&self, number: usize) -> &[u8] {
        self.contents.get(number).map_or(&[], Vec::as_slice)
    }
}

/// How many columns an item takes at the front of a row.
const ITEM_COLUMNS: usize = 11;

macro_rules! item {
    () => {
        "i.item_id, i.variant_id, i.product_id, i.added_at, i.seq, i.updated_at, i.device, i.attributes,
         coalesce(p.fields, i.given) as fields, i.added_by, i.changed_by"
    };
}

macro_rules! items_and_products {
    () => {
        " from items i left join products p on p.store_id = i.store_id and p.variant_id = i.variant_id
         where i.store_id = $1 and i.list_id = $2"
    };
}

macro_rules! by_addition {
    ($comparison:literal, $direction:literal) => {
        concat!(
            "select ",
            item!(),
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

// Phase 0 starts at the front, 1 goes on after a value, 2 goes on among the items without one, which
// are last in both directions.
macro_rules! by_value {
    ($given:literal, $known:literal, $comparison:literal, $direction:literal) => {
        concat!(
            "select * from (select ",
            item!(),
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
    NEWEST_WITHOUT_WORDS = "select i.item_id, i.variant_id, i.product_id, i.added_at, i.seq, i.updated_at, i.device,
            i.attributes, i.given, i.added_by, i.changed_by
        from items i where i.store_id = $1 and i.list_id = $2 and (i.added_at, i.seq) < ($3, $4)
        order by i.added_at desc, i.seq desc limit $5";
    OLDEST_FIRST = by_addition!(">", "asc");
    PRICE_UP = by_value!("i.given_price", "p.price", ">", "asc");
    PRICE_DOWN = by_value!("i.given_price", "p.price", "<", "desc");
    TITLE_UP = by_value!("i.given_title_key", "p.title_key", ">", "asc");
    TITLE_DOWN = by_value!("i.given_title_key", "p.title_key", "<", "desc");
    pub(crate) CONTENTS = concat!("select ", item!(), items_and_products!(), "
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    OWNER = "select s.first_name, s.last_name
             from lists l join shoppers s on s.store_id = l.store_id and s.shopper_id = l.shopper_id
             where l.store_id = $1 and l.list_id = $2";
    OF_LISTS = concat!("select ", item!(), ", i.list_id
        from lists l
        join items i on i.store_id = l.store_id and i.list_id = l.list_id
             and i.added_at >= coalesce((select k.added_at from items k
                                         where k.store_id = l.store_id and k.list_id = l.list_id
                                         order by k.added_at desc, k.seq desc limit 1 offset 49), 0)
        left join products p on p.store_id = i.store_id and p.variant_id = i.variant_id
        where l.store_id = $1 and l.shopper_id = $2 and (l.archived = 0 or $3 = 1)
        order by l.ordinal, i.added_at desc, i.seq desc");
}
