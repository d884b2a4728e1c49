//! The guest's lists in the journal of a merge, and what an undo makes of them.

use std::collections::BTreeSet;

use uuid::Uuid;
use wishbone_storage::{Bound, FromRow, Query, Row};

use crate::decode::uuid;
use crate::error::Result;
use crate::lists::copy::BATCH;
use crate::lists::row::ListId;
use crate::merging::merge_steps::LISTS;
use crate::merging::pending::PendingUndo;

/// A list of the guest in the journal, and its present state.
pub(crate) struct RecordedList {
    pub(crate) list_id: Uuid,
    /// The shopper's list that it was united with; `None` for a list that moved.
    pub(crate) into: Option<Uuid>,
    /// The present version of a list that moved, while it is the shopper's.
    pub(crate) version: Option<i64>,
    /// The version right after the merge, of the list itself or of the one that it was united with.
    pub(crate) merged_version: Option<i64>,
    /// The version of the shopper's list right before the union.
    pub(crate) into_version: Option<i64>,
    pub(crate) unarchived: bool,
    /// The present number of items of a list that moved, while it is the shopper's.
    pub(crate) item_count: i64,
    comment_count: i64,
    /// The number of its items in the journal, at most one more than a step restores.
    pub(crate) recorded: i64,
    /// True if another list of the guest was united with it.
    is_target: bool,
    /// True if it has a share link that it did not have before the merge.
    is_linked: bool,
}

impl FromRow for RecordedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            into: row.opt_blob(1)?.map(Uuid::from_slice).transpose().map_err(wishbone_storage::Error::bug)?,
            merged_version: row.opt_int(2)?,
            version: row.opt_int(3)?,
            unarchived: row.opt_int(4)? == Some(1),
            into_version: row.opt_int(5)?,
            item_count: row.opt_int(6)?.unwrap_or(0),
            comment_count: row.int(7)?,
            recorded: row.int(8)?,
            is_target: row.int(9)? > 0,
            is_linked: row.int(10)? > 0,
        })
    }
}

/// What becomes of a list that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is the guest's again, as it is.
    Returned,
    /// It is restored from the journal. The shopper has deleted it.
    Freed,
    /// It is restored from the journal: another list of the guest was united with it, or a part of it with another list.
    Restored,
    /// It is restored from the journal. It was changed or shared since, so the shopper keeps it under a new id.
    Kept,
}

impl RecordedList {
    pub(crate) fn fate(&self) -> Fate {
        let Some(version) = self.version else { return Fate::Freed };
        if self.merged_version != Some(version) || self.is_linked {
            return Fate::Kept;
        }
        if self.is_target || self.recorded > 0 { Fate::Restored } else { Fate::Returned }
    }

    /// The items that an undo has to rewrite, or to restore from the journal.
    pub(crate) fn cost(&self) -> i64 {
        match (self.into, self.fate()) {
            (None, Fate::Returned) => 0,
            (None, Fate::Kept | Fate::Restored) => self.item_count + self.recorded,
            _ => self.recorded,
        }
    }

    pub(crate) fn has_comments(&self) -> bool {
        self.comment_count > 0
    }

    fn total_cost(&self) -> i64 {
        self.cost() + self.comment_count
    }
}

/// The ids of the lists that an undo returns next: those that moved first, since others may have been united with them; then
/// those that were united, the last one first.
pub(crate) async fn next_ids<Q: Query>(query: &mut Q, undo: &PendingUndo) -> Result<Vec<Uuid>> {
    let limit = i64::try_from(LISTS).unwrap_or(i64::MAX);
    let args = [undo.store_id.into(), (&undo.guest.0).into(), limit.into()];
    let ids: Vec<ListId> = query.rows(NEXT.bind(&args)).await?;
    Ok(ids.into_iter().map(|ListId(id)| id).collect())
}

/// The lists that the undo of some lists may change: themselves, those that they were united with, and those that their
/// comments are on.
pub(crate) async fn affected<Q: Query>(query: &mut Q, undo: &PendingUndo, lists: &[Uuid]) -> Result<BTreeSet<Uuid>> {
    let keys: Vec<_> =
        lists.iter().map(|list| [undo.store_id.into(), (&undo.guest.0).into(), list.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().flat_map(|key| [INTO.bind(key), COMMENTED.bind(key)]).collect();
    let mut affected: BTreeSet<Uuid> = lists.iter().copied().collect();
    query
        .query_all(&batch, &mut |_, row| {
            affected.insert(uuid(row, 0)?);
            Ok(())
        })
        .await?;
    Ok(affected)
}

/// Returns the first of these lists, as many as one step can return; at least one, which may be too long for it.
pub(crate) async fn read<Q: Query>(query: &mut Q, undo: &PendingUndo, lists: &[Uuid]) -> Result<Vec<RecordedList>> {
    let keys: Vec<_> = lists
        .iter()
        .map(|list| {
            let [store_id, guest, shopper] = [undo.store_id.into(), (&undo.guest.0).into(), (&undo.shopper.0).into()];
            [store_id, guest, list.as_bytes().into(), (BATCH + 1).into(), shopper]
        })
        .collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FIND.bind(key)).collect();
    let mut found: Vec<RecordedList> = Vec::with_capacity(lists.len());
    query
        .query_all(&batch, &mut |_, row| {
            found.push(RecordedList::from_row(row)?);
            Ok(())
        })
        .await?;
    let mut left = BATCH;
    let fits = found.iter().take_while(|list| {
        left -= list.total_cost();
        left >= 0
    });
    let count = fits.count().max(1);
    found.truncate(count);
    Ok(found)
}

statements! {
    NEXT = "select list_id from merged_lists where store_id = $1 and guest_id = $2
            order by case when into_id is null then 0 else 1 end, seq_offset desc nulls last, ordinal, list_id limit $3";
    INTO = "select into_id from merged_lists where store_id = $1 and guest_id = $2 and list_id = $3 and into_id is not null";
    COMMENTED = "select c.list_id from merged_parts p join comments c on c.store_id = $1 and c.comment_id = p.part_id
        where p.store_id = $1 and c.store_id = $1 and p.guest_id = $2 and p.kind = 'comment' and p.list_id = $3";
    FIND = "select m.list_id, m.into_id, m.merged_version, l.version, m.unarchived, m.into_version, l.item_count,
               m.comment_count,
               (select count(*) from (select i.seq from merged_items i
                                      where i.store_id = $1 and i.guest_id = $2 and i.list_id = $3 limit $4) i),
               (select count(*) from merged_lists o where o.store_id = $1 and o.into_id = $3 and o.guest_id = $2),
               (select count(*) from share_links k
                where k.store_id = $1 and k.list_id = $3 and m.into_id is null
                  and not exists (select 1 from merged_parts p
                                  where p.store_id = $1 and p.guest_id = $2 and p.kind = 'link' and p.list_id = $3
                                    and p.part_id = k.link_id))
        from merged_lists m
        left join lists l on l.shopper_id = $5 and l.store_id = $1 and l.list_id = $3
        where m.store_id = $1 and m.guest_id = $2 and m.list_id = $3";
}
