//! Deleting a list with everything that belongs to it.

use std::slice::from_mut;

use uuid::Uuid;
use wishbone_storage::{Arg, ROW_OVERHEAD, Sql, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::access::{self, ListTarget, Right};
use crate::lists::changes::{self, ChangeKind};
use crate::lists::copy;
use crate::lists::editors;
use crate::lists::events::record_list;
use crate::lists::merge_journal;
use crate::lists::row::{ListId, ListRow};
use crate::lists::view::View;
use crate::lists::wishes;
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::webhooks::event_type::EventType;

pub struct DeleteList {
    pub by: Shopper,
    pub list: ListTarget,
    pub moment: Moment,
}

/// A deleted list.
pub struct DeletedList {
    pub list: ListRow,
    /// About how many bytes of items were deleted with it.
    pub freed: u64,
    /// True if its items are left to [`PurgeDeletedLists`], which frees what they take.
    pub is_left: bool,
}

impl Write for DeleteList {
    const NAME: &'static str = "delete_list";
    type Out = DeletedList;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<DeletedList> {
        let (store_id, shopper) = (self.by.store_id(), &self.by.id().0);
        // The shopper is locked before the list, as everywhere, to avoid deadlocks.
        tx.execute(COUNT_DOWN.bind(&[store_id.into(), shopper.into()])).await?;
        let (mut list, _) = access::lock(tx, &self.by, &self.list, Right::Own).await?;
        if View::own(&self.by).shows_editors(&list, false) {
            editors::load(tx, store_id, from_mut(&mut list)).await?;
        }
        let args = [store_id.into(), list.list_id.as_bytes().into()];
        record_list(tx, &self.by, EventType::ListDeleted, &list, &self.moment).await?;
        changes::record(tx, store_id, ChangeKind::Deleted, &list).await?;
        // A duplicate is complete even if the original is deleted at once.
        if list.item_count > copy::BATCH || copy::is_source(tx, &args).await? {
            tx.execute_all(&DELETE_LATER.map(|statement| statement.bind(&args))).await?;
            return Ok(DeletedList { is_left: !list.merged, freed: 0, list });
        }
        let freed = if list.merged {
            // The journal keeps the items.
            merge_journal::record_before(tx, &args, merge_journal::END).await?;
            0
        } else {
            size_before(tx, &args, merge_journal::END).await?
        };
        delete_all(tx, &args).await?;
        Ok(DeletedList { list, freed, is_left: false })
    }
}

/// Deletes some items of a store's deleted list that is no longer copied from.
pub struct PurgeDeletedLists {
    pub by: Operator,
    pub store_id: i64,
}

/// A list of which some items were purged.
#[derive(Clone, Copy, Debug)]
pub struct PurgedList {
    pub list_id: Uuid,
    /// About how many bytes of items were deleted.
    pub freed: u64,
    /// True if there may be more.
    pub is_left: bool,
}

impl Write for PurgeDeletedLists {
    const NAME: &'static str = "purge_deleted_lists";
    /// `None` if there is nothing left.
    type Out = Option<PurgedList>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let store_id = self.store_id.into();
        let Some(ListId(list_id)) = tx.first(NEXT_DELETED.bind(&[store_id])).await? else { return Ok(None) };
        let list = [store_id, list_id.as_bytes().into()];
        let before = boundary(tx, &list, copy::BATCH).await?;
        let freed = size_before(tx, &list, before.unwrap_or(merge_journal::END)).await?;
        purge(tx, &list).await?;
        Ok(Some(PurgedList { list_id, freed, is_left: before.is_some() }))
    }
}

/// Deletes some items of a deleted list, or the rest.
pub(crate) async fn purge<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2]) -> Result<()> {
    // It may have been purged, and restored by an undo, in the meantime.
    if tx.first::<ListId>(LOCK_DELETED.bind(list)).await?.is_none() {
        return Ok(());
    }
    let boundary = boundary(tx, list, copy::BATCH).await?;
    merge_journal::record_before(tx, list, boundary.unwrap_or(merge_journal::END)).await?;
    match boundary {
        Some(before) => {
            delete_items(tx, list, before).await?;
        }
        None => {
            delete_all(tx, list).await?;
            tx.execute(UNMARK_DELETED.bind(list)).await?;
        }
    }
    Ok(())
}

/// Deletes the `limit` oldest items of a list that has more. Returns how many, or `None` if it does not have more.
pub(crate) async fn delete_oldest_items<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], limit: i64) -> Result<Option<u64>> {
    match boundary(tx, list, limit).await? {
        Some(before) => delete_items(tx, list, before).await.map(Some),
        None => Ok(None),
    }
}

/// Deletes the items of a list before a time and number. Returns how many.
pub(crate) async fn delete_items<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], before: (Millis, i64)) -> Result<u64> {
    wishes::subtract(tx, list, before).await?;
    Ok(tx.execute(DELETE_BEFORE.bind(&[list[0], list[1], before.0.into(), before.1.into()])).await?)
}

/// About how many bytes the items of a list before a time and number take.
async fn size_before<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], before: (Millis, i64)) -> Result<u64> {
    let overhead = i64::try_from(ROW_OVERHEAD).map_err(Error::internal)?;
    let args = [overhead.into(), list[0], list[1], before.0.into(), before.1.into()];
    let bytes: Option<i64> = tx.first(SIZE_BEFORE.bind(&args)).await?;
    u64::try_from(bytes.unwrap_or(0)).map_err(Error::internal)
}

/// Deletes a list and everything that belongs to it. Returns the number of items.
pub(crate) async fn delete_all<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2]) -> Result<u64> {
    let items = delete_items(tx, list, merge_journal::END).await?;
    tx.execute_all(&DELETE_REST.map(|sql| sql.bind(list))).await?;
    Ok(items)
}

/// Returns the time and number of the item after the `limit` oldest ones, if a list has so many.
pub(crate) async fn boundary<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], limit: i64) -> Result<Option<(Millis, i64)>> {
    let mut boundary = None;
    tx.query_all(&[BOUNDARY.bind(&[list[0], list[1], limit.into()])], &mut |_, row| {
        boundary = Some((row.int(0)?, row.int(1)?));
        Ok(())
    })
    .await?;
    Ok(boundary)
}

/// Deletes a list, so that nobody can reach what belongs to it. [`PurgeDeletedLists`] deletes that in small steps.
pub(crate) const DELETE_LATER: [Sql; 3] = [MARK_DELETED, copy::FINISH, DELETE];

/// Deletes a list and everything that belongs to it except items.
const DELETE_REST: [Sql; 6] = [DELETE_EDITORS, DELETE_COMMENTS, DELETE_LINKS, copy::FINISH, DELETE_OF_LIST, DELETE];

statements! {
    COUNT_DOWN = "update shoppers set list_count = list_count - 1 where store_id = $1 and shopper_id = $2";
    BOUNDARY = "select added_at, seq from items where store_id = $1 and list_id = $2 order by added_at, seq limit 1 offset $3";
    pub(crate) DELETE_BEFORE = "delete from items where store_id = $1 and list_id = $2 and (added_at, seq) < ($3, $4)";
    SIZE_BEFORE = "select coalesce(sum(octet_length(members) + coalesce(octet_length(given), 0) + $1), 0) from items
                   where store_id = $2 and list_id = $3 and (added_at, seq) < ($4, $5)";
    DELETE_EDITORS = "delete from editors where store_id = $1 and list_id = $2";
    DELETE_COMMENTS = "delete from comments where store_id = $1 and list_id = $2";
    DELETE_LINKS = "delete from share_links where store_id = $1 and list_id = $2";
    // Before the list is deleted.
    pub(crate) MARK_DELETED = "insert into deleted_lists (store_id, list_id, wished_by)
                               select store_id, list_id, wished_by from lists where store_id = $1 and list_id = $2";
    pub(crate) UNMARK_DELETED = "delete from deleted_lists where store_id = $1 and list_id = $2";
    LOCK_DELETED = "update deleted_lists set list_id = list_id where store_id = $1 and list_id = $2 returning list_id";
    NEXT_DELETED = "select d.list_id from deleted_lists d
                    where d.store_id = $1
                      and not exists (select 1 from copies c where c.store_id = $1 and c.source_id = d.list_id)
                      and not exists (select 1 from unions u where u.store_id = $1 and u.list_id = d.list_id)
                      and not exists (select 1 from merged_lists m join undos u on u.store_id = $1 and u.guest_id = m.guest_id
                                      where m.store_id = $1 and m.list_id = d.list_id)
                    order by d.list_id limit 1";
    DELETE = "delete from lists where store_id = $1 and list_id = $2";
    pub(crate) DELETE_OF_LIST = "delete from shares where store_id = $1 and list_id = $2";
}
