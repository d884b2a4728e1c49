//! Deleting a list with everything that belongs to it.

use wishbone_storage::{Arg, Sql, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::access::{self, ListTarget, Right};
use crate::lists::copy;
use crate::lists::events::record_list;
use crate::lists::row::ListRow;
use crate::moment::Moment;
use crate::webhooks::event_type::EventType;

pub struct DeleteList {
    pub by: Shopper,
    pub list: ListTarget,
    pub moment: Moment,
}

impl Write for DeleteList {
    const NAME: &'static str = "delete_list";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let (store_id, shopper) = (self.by.store_id(), &self.by.id().0);
        // The shopper is locked before the list, as everywhere, to avoid deadlocks.
        tx.execute(COUNT_DOWN.bind(&[store_id.into(), shopper.into()])).await?;
        let (list, _) = access::lock(tx, &self.by, &self.list, Right::Own).await?;
        // A duplicate is complete even if the original is deleted at once.
        copy::finish_from(tx, store_id, &list, self.moment.now).await?;
        let args = [store_id.into(), list.list_id.as_bytes().into()];
        record_list(tx, &self.by, EventType::ListDeleted, &list, &self.moment).await?;
        tx.execute_all(&DELETE_ALL.map(|statement| statement.bind(&args))).await?;
        Ok(list)
    }
}

/// Deletes the `limit` oldest items of a list that has more. Returns how many, or `None` if it does not have more.
pub(crate) async fn delete_oldest_items<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], limit: i64) -> Result<Option<u64>> {
    let mut boundary = None;
    tx.query_all(&[BOUNDARY.bind(&[list[0], list[1], limit.into()])], &mut |_, row| {
        boundary = Some((row.int(0)?, row.int(1)?));
        Ok(())
    })
    .await?;
    let Some((added_at, seq)) = boundary else { return Ok(None) };
    Ok(Some(tx.execute(DELETE_BEFORE.bind(&[list[0], list[1], added_at.into(), seq.into()])).await?))
}

/// Deletes a list and everything that belongs to it, items first.
pub(crate) const DELETE_ALL: [Sql; 7] =
    [DELETE_ITEMS, DELETE_EDITORS, DELETE_COMMENTS, DELETE_LINKS, copy::FINISH, DELETE_OF_LIST, DELETE];

statements! {
    COUNT_DOWN = "update shoppers set list_count = list_count - 1 where store_id = $1 and shopper_id = $2";
    BOUNDARY = "select added_at, seq from items where store_id = $1 and list_id = $2 order by added_at, seq limit 1 offset $3";
    DELETE_BEFORE = "delete from items where store_id = $1 and list_id = $2 and (added_at, seq) < ($3, $4)";
    DELETE_ITEMS = "delete from items where store_id = $1 and list_id = $2";
    DELETE_EDITORS = "delete from editors where store_id = $1 and list_id = $2";
    DELETE_COMMENTS = "delete from comments where store_id = $1 and list_id = $2";
    DELETE_LINKS = "delete from share_links where store_id = $1 and list_id = $2";
    pub(crate) DELETE = "delete from lists where store_id = $1 and list_id = $2";
    pub(crate) DELETE_OF_LIST = "delete from shares where store_id = $1 and list_id = $2";
}
