//! What is pending of a shopper's lists: copies, unions, deletions and undos of long lists, which proceed in small steps.

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Sql};

use crate::error::{Code, Error, Result};
use crate::lists::copy::{self, PendingCopy};
use crate::lists::row::ListId;
use crate::merging::union::{self, PendingUnion};
use crate::moment::Millis;
use crate::operator::Operator;
use crate::tokens::ShopperId;

/// A merge of which lists are left to be merged.
#[derive(Clone, Copy, Debug)]
pub struct PendingMerge {
    pub(crate) store_id: i64,
    pub(crate) guest: ShopperId,
    pub(crate) shopper: ShopperId,
    /// Added to the ordinals of the guest's lists.
    pub(crate) list_offset: i64,
}

impl FromRow for PendingMerge {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            store_id: row.int(0)?,
            guest: ShopperId::from_slice(row.blob(1)?)?,
            shopper: ShopperId::from_slice(row.blob(2)?)?,
            list_offset: row.int(3)?,
        })
    }
}

/// Finds merges of a store that are left to be completed.
pub struct FindMerges {
    pub by: Operator,
    pub store_id: i64,
    pub limit: i64,
}

impl Read for FindMerges {
    const NAME: &'static str = "find_merges";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<PendingMerge>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(MERGES.bind(&[self.store_id.into(), self.limit.into()])).await?)
    }
}

/// A merge to be undone.
#[derive(Clone, Copy, Debug)]
pub struct PendingUndo {
    pub(crate) store_id: i64,
    pub(crate) guest: ShopperId,
    pub(crate) shopper: ShopperId,
}

impl FromRow for PendingUndo {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            store_id: row.int(0)?,
            guest: ShopperId::from_slice(row.blob(1)?)?,
            shopper: ShopperId::from_slice(row.blob(2)?)?,
        })
    }
}

/// Finds undos of a store that began before a time, after which their calls have ended.
pub struct FindUndos {
    pub by: Operator,
    pub store_id: i64,
    pub before: Millis,
    pub limit: i64,
}

impl Read for FindUndos {
    const NAME: &'static str = "find_undos";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<PendingUndo>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(UNDOS.bind(&[self.store_id.into(), self.before.into(), self.limit.into()])).await?)
    }
}

/// Fails if something is pending of a shopper. In a write, the shopper's row must be locked.
pub(crate) async fn require_settled<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<()> {
    require_none(query, &PENDING, store_id, shopper).await
}

/// The same, except for undos.
pub(crate) async fn require_complete_lists<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<()> {
    require_none(query, &PENDING[..PENDING.len() - 1], store_id, shopper).await
}

async fn require_none<Q: Query>(query: &mut Q, of: &[Sql], store_id: i64, shopper: &ShopperId) -> Result<()> {
    let key = [store_id.into(), (&shopper.0).into()];
    let mut is_pending = false;
    query
        .query_all(&of.iter().map(|sql| sql.bind(&key)).collect::<Vec<_>>(), &mut |_, _| {
            is_pending = true;
            Ok(())
        })
        .await?;
    if is_pending { Err(not_settled()) } else { Ok(()) }
}

pub(crate) fn not_settled() -> Error {
    Error::new(
        Code::Overloaded,
        "lists of this shopper are still being copied or merged: retry after the time in Retry-After",
    )
}

/// What may be pending of a shopper: copies, also by others of lists that moved to the shopper, unions, such lists that were
/// deleted, merges, and undos.
const PENDING: [Sql; 6] =
    [copy::OF_SHOPPER, COPIES_OF_MOVED, union::OF_SHOPPER, DELETED, MERGES_OF_PARTICIPANT, OF_PARTICIPANT];

pub(crate) struct FindPending {
    pub(crate) store_id: i64,
    pub(crate) shopper: ShopperId,
}

#[derive(Default)]
pub(crate) struct Pending {
    pub(crate) copies: Vec<PendingCopy>,
    pub(crate) unions: Vec<PendingUnion>,
    pub(crate) deleted: Vec<Uuid>,
    pub(crate) merges: Vec<PendingMerge>,
    pub(crate) undos: Vec<PendingUndo>,
}

impl Read for FindPending {
    const NAME: &'static str = "find_pending";
    type Out = Pending;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Pending> {
        let key = [self.store_id.into(), (&self.shopper.0).into()];
        let mut pending = Pending::default();
        query
            .query_all(&PENDING.map(|sql| sql.bind(&key)), &mut |number, row| {
                match number {
                    0 | 1 => pending.copies.push(PendingCopy::from_row(row)?),
                    2 => pending.unions.push(PendingUnion::from_row(row)?),
                    3 => pending.deleted.push(ListId::from_row(row)?.0),
                    4 => pending.merges.push(PendingMerge::from_row(row)?),
                    _ => pending.undos.push(PendingUndo::from_row(row)?),
                }
                Ok(())
            })
            .await?;
        // In the same order on both engines. Sorted here: with `order by`, SQLite walks the primary key of the whole store.
        pending.copies.sort_unstable_by_key(PendingCopy::list_id);
        pending.unions.sort_unstable_by_key(|union| union.list_id);
        pending.deleted.sort_unstable();
        Ok(pending)
    }
}

statements! {
    // SQLite joins in this order: a shopper has few merges, a store has many.
    COPIES_OF_MOVED = "select c.store_id, c.list_id from copies c
        where c.store_id = $1
          and c.source_id in (select m.list_id
                              from merges j cross join merged_lists m
                              where j.store_id = $1 and m.store_id = $1 and j.shopper_id = $2
                                and m.guest_id = j.guest_id and m.into_id is null)";
    // Lists that are being restored are marked as deleted, too.
    DELETED = "select d.list_id
        from merges j cross join merged_lists m cross join deleted_lists d
        where j.store_id = $1 and m.store_id = $1 and d.store_id = $1 and j.shopper_id = $2
          and m.guest_id = j.guest_id and m.into_id is null and d.list_id = m.list_id
          and not exists (select 1 from undos u where u.store_id = $1 and u.guest_id = j.guest_id)";
    UNDOS = "select store_id, guest_id, shopper_id from undos where store_id = $1 and started_at < $2
             order by guest_id limit $3";
    OF_PARTICIPANT = "select store_id, guest_id, shopper_id from undos where store_id = $1 and shopper_id = $2
                      union all
                      select store_id, guest_id, shopper_id from undos where store_id = $1 and guest_id = $2";
    MERGES = "select store_id, guest_id, shopper_id, list_offset from merge_steps where store_id = $1 order by guest_id limit $2";
    MERGES_OF_PARTICIPANT = "select store_id, guest_id, shopper_id, list_offset from merge_steps
                             where store_id = $1 and shopper_id = $2
                             union all
                             select store_id, guest_id, shopper_id, list_offset from merge_steps
                             where store_id = $1 and guest_id = $2";
}
