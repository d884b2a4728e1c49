//! Reading items: pages, whole lists, and the newest of every list. Product words and stock are
//! those of the catalogue as it is now.

use uuid::Uuid;
use wishbone_store::{Arg, Bound, Query, Read, Row, Sql, Subject};

use crate::access::{Access, ListRef, Right, not_found};
use crate::caller::Shopper;
use crate::item_writer::{ITEM_COLUMNS, ItemWriter, STAMP_COLUMN, item_columns, item_columns_without_words};
use crate::kept::{about_catalog, about_list, about_shopper, about_variant};
use crate::lists::{self, ListRow, gather, uuid};
use crate::page::{Cursor, Filter, Order, SortBy, SortValue};
use crate::record::{OwnerName, View};
use crate::squeezed::Span;
use crate::stores::ShareOwner;
use crate::words::{Filled, KnownWords};
use crate::{Code, Error, Result};

/// How many items of each list fetch-lists shows.
const NEWEST: usize = 50;

/// A part of a list: its row, its encoded items, and where it goes on.
pub struct Page {
    pub list: ListRow,
    /// What was written before the items, and the items with commas between them.
    pub written: Vec<u8>,
    /// Where in that are words of the dictionary, if all of its words are.
    pub spans: Option<Vec<Span>>,
    /// What the items are.
    pub variants: Vec<i64>,
    pub next: Option<Cursor>,
}

/// What a page was made from.
pub struct Sources {
    shopper: Subject,
    list: Subject,
    catalog: Subject,
    variants: Box<[Subject]>,
}

impl Page {
    /// What it was made from, if it is in the usual order; `None` if that cannot be told in few words.
    pub fn sources(&self, by: &Shopper, order: Order) -> Option<Sources> {
        if order != Order::default() || !self.list.editors.is_empty() {
            return None;
        }
        let store_id = by.store_id();
        Some(Sources {
            shopper: about_shopper(store_id, by.id()),
            list: about_list(store_id, &self.list.list_id),
            catalog: about_catalog(store_id),
            variants: self.variants.iter().map(|variant| about_variant(store_id, *variant)).collect(),
        })
    }
}

impl Sources {
    /// Whether all of them are. Where no words have changed, none need be asked for.
    pub fn are(&self, unchanged: impl Fn(Subject) -> bool) -> bool {
        unchanged(self.shopper)
            && unchanged(self.list)
            && (unchanged(self.catalog) || self.variants.iter().all(|variant| unchanged(*variant)))
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.variants)
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
        let (mut variants, mut last, mut next) = (Vec::new(), None, None);
        let most = usize::try_from(self.limit).unwrap_or(0);
        let mut items = ItemWriter::new(words, most * TYPICAL_ITEM);
        query
            .query_all(&[lists::FIND.bind(&key), statement.bind(&arguments)], &mut |number, row| {
                if number == 0 {
                    gather(&mut found, row)?;
                } else if items.count == most {
                    next = last.take();
                } else if let Some(list) = found.first() {
                    if items.count == 0 {
                        (self.begin)(items.bytes(), &view, list);
                    }
                    variants.push(items.write(&view, list, row)?);
                    if items.count == most {
                        last = Some(self.cursor(row)?);
                    }
                }
                Ok(())
            })
            .await?;
        let list = found.pop().ok_or_else(not_found)?;
        if items.count == 0 {
            (self.begin)(items.bytes(), &view, &list);
        }
        if list.shopper_id != self.by.id().0 {
            return Err(Error::new(
                Code::NotGranted,
                "this list belongs to another shopper: fetch-user-list is for its owner",
            ));
        }
        let Filled { text, spans } = ItemWriter::finish(vec![items], query, store_id).await?.pop().unwrap_or_default();
        Ok(Page { list, written: text, spans, variants, next })
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
    /// What need not be looked up.
    pub words: Option<KnownWords>,
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
        let words = self.words.as_ref();
        let statement = if words.is_some() { CONTENTS_WITHOUT_WORDS } else { CONTENTS };
        let mut batch = vec![lists::FIND.bind(&key), statement.bind(&arguments)];
        if self.by.store().settings.share_owner == ShareOwner::Name {
            batch.push(OWNER.bind(&key));
        }
        let (mut lists, mut view) = (Vec::with_capacity(1), None);
        let (mut segments, mut owner) = (vec![ItemWriter::new(words, 0)], None);
        query
            .query_all(&batch, &mut |number, row| {
                match (number, lists.first(), segments.last_mut()) {
                    (0, ..) => gather(&mut lists, row)?,
                    (1, Some(list), Some(segment)) => {
                        let view = view.get_or_insert_with(|| View::new(&self.by, Access::new(&self.by, &found, list)));
                        segment.write(view, list, row)?;
                        if segment.bytes().len() > SEGMENT {
                            segments.push(ItemWriter::new(words, SEGMENT + LARGE_ITEM));
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
        segments.retain(|segment| segment.count > 0);
        let items = ItemWriter::finish(segments, query, self.by.store_id()).await?;
        let mut items: Vec<Vec<u8>> = items.into_iter().map(|segment| segment.text).collect();
        items.iter_mut().skip(1).for_each(|segment| segment.insert(0, b','));
        Ok(Contents { list, items, owner, access })
    }
}

/// Gathers the newest items of all lists of a shopper while their rows come by, in the lists' order.
pub(crate) struct NewestItems<'a> {
    view: View<'a>,
    words: Option<&'a KnownWords>,
    /// One for each list up to the one at hand.
    contents: Vec<ItemWriter<'a>>,
}

impl<'a> NewestItems<'a> {
    pub(crate) fn new(view: View<'a>, words: Option<&'a KnownWords>) -> Self {
        Self { view, words, contents: Vec::new() }
    }

    /// Takes the arguments of the statement that fetches the lists themselves.
    pub(crate) fn statement<'b>(&self, args: &'b [Arg<'b>]) -> Bound<'b> {
        if self.words.is_some() { OF_LISTS_WITHOUT_WORDS.bind(args) } else { OF_LISTS.bind(args) }
    }

    pub(crate) fn visit(&mut self, lists: &[ListRow], row: &dyn Row) -> wishbone_store::Result<()> {
        let id = uuid(row, STAMP_COLUMN + 1)?;
        // Lists without items are passed over.
        while self.contents.is_empty() || lists.get(self.contents.len() - 1).is_some_and(|list| list.list_id != id) {
            self.contents.push(ItemWriter::new(self.words, 0));
        }
        let list = lists.get(self.contents.len() - 1);
        // Items of one moment share their time, so the statement may bring a few more than wanted.
        if let (Some(list), Some(items)) = (list, self.contents.last_mut().filter(|items| items.count < NEWEST)) {
            items.write(&self.view, list, row)?;
        }
        Ok(())
    }

    /// The items of one list after the other; of those at the end there may be none.
    pub(crate) async fn finish<Q: Query>(self, query: &mut Q, store_id: i64) -> Result<Vec<Vec<u8>>> {
        let lists = ItemWriter::finish(self.contents, query, store_id).await?;
        Ok(lists.into_iter().map(|items| items.text).collect())
    }
}

/// Items with the words of the catalogue, or what they were given where it knows none.
macro_rules! item {
    () => {
        item_columns!("coalesce(p.fields, i.given)")
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

macro_rules! of_lists {
    ($columns:expr, $products:literal) => {
        concat!(
            "select ",
            $columns,
            ", i.list_id
        from lists l
        join items i on i.store_id = l.store_id and i.list_id = l.list_id
             and i.added_at >= coalesce((select k.added_at from items k
                                         where k.store_id = l.store_id and k.list_id = l.list_id
                                         order by k.added_at desc, k.seq desc limit 1 offset 49), 0) ",
            $products,
            " where l.store_id = $1 and l.shopper_id = $2 and (l.archived = 0 or $3 = 1)
        order by l.ordinal, i.added_at desc, i.seq desc"
        )
    };
}

statements! {
    NEWEST_FIRST = by_addition!("<", "desc");
    NEWEST_WITHOUT_WORDS = concat!("select ", item_columns_without_words!(), "
        from items i where i.store_id = $1 and i.list_id = $2 and (i.added_at, i.seq) < ($3, $4)
        order by i.added_at desc, i.seq desc limit $5");
    OLDEST_FIRST = by_addition!(">", "asc");
    PRICE_UP = by_value!("i.given_price", "p.price", ">", "asc");
    PRICE_DOWN = by_value!("i.given_price", "p.price", "<", "desc");
    TITLE_UP = by_value!("i.given_title_key", "p.title_key", ">", "asc");
    TITLE_DOWN = by_value!("i.given_title_key", "p.title_key", "<", "desc");
    pub(crate) CONTENTS = concat!("select ", item!(), items_and_products!(), "
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    CONTENTS_WITHOUT_WORDS = concat!("select ", item_columns_without_words!(), "
        from items i where i.store_id = $1 and i.list_id = $2
        order by i.added_at desc, i.seq desc limit $3 offset $4");
    OWNER = "select s.first_name, s.last_name
             from lists l join shoppers s on s.store_id = l.store_id and s.shopper_id = l.shopper_id
             where l.store_id = $1 and l.list_id = $2";
    OF_LISTS = of_lists!(
        concat!(item!(), ", 0"),
        "left join products p on p.store_id = i.store_id and p.variant_id = i.variant_id"
    );
    OF_LISTS_WITHOUT_WORDS = of_lists!(item_columns_without_words!(), "");
}
