//! All lists of a shopper, each with its newest items.

use wishbone_storage::{Arg, Bound, Query, Read, Row};

use crate::catalog::lookup::ProductLookup;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::items::encode::{ItemWriter, STAMP_COLUMN, item, item_columns_without_products};
use crate::lists::fetch;
use crate::lists::row::{ListRow, SAVE_FOR_LATER, SAVE_FOR_LATER_SHORT, collect_row};
use crate::lists::view::{Parts, View};

/// Fetches the caller's lists, oldest first, each with its newest items, as encoded records. Takes two statements for any
/// number of lists.
pub struct FetchLists {
    pub by: Shopper,
    pub list_type: Option<String>,
    pub include_archived: bool,
    /// The product cache, if it can be used.
    pub products: Option<ProductLookup>,
}

impl Read for FetchLists {
    const NAME: &'static str = "fetch_lists";
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let args = [self.by.store_id().into(), (&self.by.id().0).into(), self.include_archived.into()];
        let mut lists = Vec::new();
        let mut newest = NewestItems::new(View::own(&self.by), self.products.as_ref());
        query
            .query_all(&[fetch::OF_SHOPPER.bind(&args), newest.statement(&args)], &mut |number, row| match number {
                0 => collect_row(&mut lists, row),
                _ => newest.visit(&lists, row),
            })
            .await?;
        let newest = newest.finish(query, self.by.store_id()).await?;
        let wanted = |(_, list): &(usize, &ListRow)| match self.list_type.as_deref() {
            None => true,
            Some(SAVE_FOR_LATER | SAVE_FOR_LATER_SHORT) => list.is_save_for_later(),
            Some(list_type) => list.list_type == list_type,
        };
        let view = View::own(&self.by);
        let mut wanted: Vec<(usize, &ListRow)> = lists.iter().enumerate().filter(wanted).collect();
        wanted.sort_by_key(|(_, list)| list.is_after_wishlists());
        Ok(wanted
            .into_iter()
            .map(|(number, list)| {
                let mut out = Vec::new();
                let parts = Parts {
                    contents: Some(newest.get(number).map_or(&[], Vec::as_slice)),
                    with_userinfo: true,
                    with_rights: true,
                    people_as_null: false,
                };
                view.write_list(&mut out, list, &parts);
                out
            })
            .collect())
    }
}

/// Items per list. The statements have the same number.
const NEWEST: usize = 50;

/// Collects the newest items of all lists of a shopper from rows in the lists' order.
pub(crate) struct NewestItems<'a> {
    view: View<'a>,
    products: Option<&'a ProductLookup>,
    /// One per list, up to the current one.
    contents: Vec<ItemWriter<'a>>,
}

impl<'a> NewestItems<'a> {
    pub(crate) fn new(view: View<'a>, products: Option<&'a ProductLookup>) -> Self {
        Self { view, products, contents: Vec::new() }
    }

    /// The statement for the items; its arguments are those of the statement for the lists.
    pub(crate) fn statement<'b>(&self, args: &'b [Arg<'b>]) -> Bound<'b> {
        if self.products.is_some() { OF_LISTS_WITHOUT_PRODUCTS.bind(args) } else { OF_LISTS.bind(args) }
    }

    pub(crate) fn visit(&mut self, lists: &[ListRow], row: &dyn Row) -> wishbone_storage::Result<()> {
        let id = uuid(row, STAMP_COLUMN + 1)?;
        // Skips lists without items.
        while self.contents.is_empty() || lists.get(self.contents.len() - 1).is_some_and(|list| list.list_id != id) {
            self.contents.push(ItemWriter::new(self.products, 0));
        }
        let list = lists.get(self.contents.len() - 1);
        // Items added at the same time are not separated by the statement, so it may return a few more.
        if let (Some(list), Some(items)) = (list, self.contents.last_mut().filter(|items| items.count < NEWEST)) {
            items.write(&self.view, list, row)?;
        }
        Ok(())
    }

    /// Returns the encoded items per list. The last lists without items are missing.
    pub(crate) async fn finish<Q: Query>(self, query: &mut Q, store_id: i64) -> Result<Vec<Vec<u8>>> {
        let lists = ItemWriter::finish(self.contents, query, store_id).await?;
        Ok(lists.into_iter().map(|items| items.text).collect())
    }
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
    OF_LISTS = of_lists!(
        concat!(item!(), ", 0"),
        "left join products p on p.store_id = i.store_id and p.variant_id = i.variant_id"
    );
    OF_LISTS_WITHOUT_PRODUCTS = of_lists!(item_columns_without_products!(), "");
}
