//! All lists of a shopper, each with its newest items.

use wishbone_storage::{Arg, Bound, Query, Read, Row};

use crate::catalog::lookup::ProductLookup;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::items::encode::{ItemWriter, STAMP_COLUMN, item, item_columns_without_products};
use crate::lists::row::{ListRow, collect_row, equal_types, with_editors};
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

/// Fetches a part of the caller's lists, oldest first, each with its newest items, as encoded records. Takes two statements
/// for a part.
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

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<ListsPart> {
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
        let view = View::own(&self.by);
        let (mut lists, mut newest) = (Vec::new(), NewestItems::new(View::own(&self.by), self.products.as_ref()));
        query
            .query_all(&[LISTS.bind(&args), newest.statement(&args)], &mut |number, row| match number {
                0 => collect_row(&mut lists, row),
                _ => newest.visit(&lists, row),
            })
            .await?;
        let newest = newest.finish(query, self.by.store_id()).await?;
        let mut order: Vec<usize> = (0..lists.len()).collect();
        order.sort_by_key(|number| lists[*number].is_after_wishlists());
        let records = order.into_iter().map(|number| {
            let mut out = Vec::new();
            let parts = Parts {
                contents: Some(newest.get(number).map_or(&[], Vec::as_slice)),
                with_userinfo: true,
                with_rights: true,
                people_as_null: false,
            };
            view.write_list(&mut out, &lists[number], &parts);
            out
        });
        let next = match (lists.get(MAX_LISTS - 1), group) {
            (Some(last), _) => Some(PartStart { group, after: last.ordinal }),
            (None, Group::Wishlists) => Some(PartStart { group: Group::Others, after: -1 }),
            (None, Group::All | Group::Others) => None,
        };
        Ok(ListsPart { records: records.collect(), next })
    }
}

/// Items per list. The statements have the same number.
const NEWEST: usize = 50;

/// Collects the newest items of all lists of a shopper from rows in the lists' order.
struct NewestItems<'a> {
    view: View<'a>,
    products: Option<&'a ProductLookup>,
    /// One per list, up to the current one.
    contents: Vec<ItemWriter<'a>>,
}

impl<'a> NewestItems<'a> {
    fn new(view: View<'a>, products: Option<&'a ProductLookup>) -> Self {
        Self { view, products, contents: Vec::new() }
    }

    /// The statement for the items; its arguments are those of the statement for the lists.
    fn statement<'b>(&self, args: &'b [Arg<'b>]) -> Bound<'b> {
        if self.products.is_some() { OF_LISTS_WITHOUT_PRODUCTS.bind(args) } else { OF_LISTS.bind(args) }
    }

    fn visit(&mut self, lists: &[ListRow], row: &dyn Row) -> wishbone_storage::Result<()> {
        let id = uuid(row, STAMP_COLUMN + 1)?;
        // Skips lists without items.
        while self.contents.is_empty() || lists.get(self.contents.len() - 1).is_some_and(|list| list.list_id != id) {
            self.contents.push(ItemWriter::new(self.products, 0));
        }
        let list = lists.get(self.contents.len() - 1);
        if let (Some(list), Some(items)) = (list, self.contents.last_mut().filter(|items| items.count < NEWEST)) {
            items.write(&self.view, list, row)?;
        }
        Ok(())
    }

    /// Returns the encoded items per list. The last lists without items are missing.
    async fn finish<Q: Query>(self, query: &mut Q, store_id: i64) -> Result<Vec<Vec<u8>>> {
        let lists = ItemWriter::finish(self.contents, query, store_id).await?;
        Ok(lists.into_iter().map(|items| items.text).collect())
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
    LISTS = with_editors!(concat!(part!(), " order by l.ordinal"));
    OF_LISTS = of_lists!(
        concat!(item!(), ", 0"),
        "left join products p on p.store_id = $1 and p.variant_id = i.variant_id"
    );
    OF_LISTS_WITHOUT_PRODUCTS = of_lists!(item_columns_without_products!(), "");
}
