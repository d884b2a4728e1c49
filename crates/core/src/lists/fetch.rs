//! Fetching all lists of a shopper without their contents.

use wishbone_storage::{Query, Read};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::row::{ListRow, collect_row, with_editors};
use crate::lists::view::{Parts, View};

/// The caller's lists, wishlists first, each type oldest first, as encoded records without contents.
pub struct FetchUserLists {
    pub by: Shopper,
    pub include_archived: bool,
}

impl Read for FetchUserLists {
    const NAME: &'static str = "fetch_user_lists";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let args = [self.by.store_id().into(), (&self.by.id().0).into(), self.include_archived.into()];
        let mut lists = Vec::new();
        query.query_all(&[OF_SHOPPER.bind(&args)], &mut |_, row| collect_row(&mut lists, row)).await?;
        lists.sort_by_key(ListRow::is_after_wishlists);
        let view = View::own(&self.by);
        let parts = Parts { people_as_null: true, ..Parts::default() };
        Ok(lists
            .iter()
            .map(|list| {
                let mut out = Vec::new();
                view.write_list(&mut out, list, &parts);
                out
            })
            .collect())
    }
}

/// Returns all lists of a shopper, including archived ones, oldest first.
pub(crate) async fn all_of<Q: Query>(query: &mut Q, by: &Shopper) -> Result<Vec<ListRow>> {
    let args = [by.store_id().into(), (&by.id().0).into(), true.into()];
    let mut lists = Vec::new();
    query.query_all(&[OF_SHOPPER.bind(&args)], &mut |_, row| collect_row(&mut lists, row)).await?;
    Ok(lists)
}

statements! {
    OF_SHOPPER = with_editors!("l.shopper_id = $2 and (l.archived = 0 or $3 = 1) order by l.ordinal");
}
