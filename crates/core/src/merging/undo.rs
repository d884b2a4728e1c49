//! Undoing a merge while its journal exists: the guest gets its lists back as they were, and the shopper keeps the changes
//! made since.

use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{Database, FromRow, Row, Tx, Write, WriteSet};

use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, bad_regid};
use crate::identity::guest_sessions;
use crate::identity::profile::FindByEmail;
use crate::lists::copy::BATCH;
use crate::lists::wishes;
use crate::merging::detach::{Boundary, COUNT_COMMENTS, Detach};
use crate::merging::events;
use crate::merging::journal::{PURGE_COMMENTS, PURGE_ITEMS, PURGE_LISTS, PURGE_PARTS, UNDO_TIME, guest_regid};
use crate::merging::merge::{self, Participant};
use crate::merging::pending::{PendingUndo, not_settled, require_complete_lists};
use crate::merging::plan::MergeList;
use crate::merging::recorded_list::{Fate, RecordedList};
use crate::merging::restore;
use crate::moment::{Millis, Moment};
use crate::stores::admin::StoreAdmin;
use crate::stores::record::{self, StoreRecord};
use crate::tokens::{Keys, Regid, RegidKind};

/// A guest who may have been merged, by the regid of that time.
pub struct MergedGuest {
    by: StoreAdmin,
    regid: Regid,
}

impl MergedGuest {
    pub fn new(by: StoreAdmin, keys: &Keys, regid: &str) -> Result<Self> {
        let regid = keys.read_regid(regid).filter(|regid| regid.store_id == by.store_id()).ok_or_else(bad_regid)?;
        Ok(Self { by, regid })
    }

    /// The undo of the merge into the shopper with an address. `None` if there is no such shopper.
    pub async fn undo(&self, database: &Database, email: String) -> Result<Option<PendingUndo>> {
        let store_id = self.by.store_id();
        let found = database.read(FindByEmail { store_id, email }).await?;
        Ok(found.map(|(shopper, _)| PendingUndo { store_id, guest: self.regid.shopper, shopper }))
    }

    /// The guest's credentials, which work again after the undo.
    pub fn credentials(&self, keys: &Keys) -> Credentials {
        let epoch = (self.regid.kind == RegidKind::DeviceGuest).then_some(self.regid.generation);
        Credentials::of(keys, self.by.store(), guest_regid(self.by.store(), self.regid.shopper, epoch), 0)
    }
}

/// Undoes a merge: the last step, after those of [`PrepareUndo`](crate::merging::undo_steps::PrepareUndo).
pub struct UndoMerge {
    pub undo: PendingUndo,
    pub moment: Moment,
}

struct RecordedMerge {
    filled_names: bool,
    subscription_offset: i64,
    merged_at: Millis,
    is_begun: bool,
}

impl FromRow for RecordedMerge {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            filled_names: row.flag(0)?,
            subscription_offset: row.int(1)?,
            merged_at: row.int(2)?,
            is_begun: row.int(3)? > 0,
        })
    }
}

/// The result of an undo.
pub struct Undone {
    /// The number of lists that the guest has again.
    pub lists: i64,
    write_set: WriteSet,
}

/// A merge that can be undone. Its participants and the shopper's lists are locked.
pub(crate) struct Merged {
    shopper: Participant,
    guest: Participant,
    merge: RecordedMerge,
    /// The guest's lists in the journal.
    pub(crate) lists: Vec<RecordedList>,
    pub(crate) of_shopper: Vec<MergeList>,
}

/// Locks a merge. `None` if the guest was never merged, or the merge is undone already.
pub(crate) async fn lock<T: Tx>(tx: &mut T, undo: &PendingUndo, now: Millis) -> Result<Option<Merged>> {
    let PendingUndo { store_id, guest: guest_id, shopper: shopper_id } = undo;
    let key = [(*store_id).into(), (&guest_id.0).into()];
    // The shopper is locked before the guest, as in a merge.
    let shopper: Option<Participant> = tx.first(LOCK.bind(&[key[0], (&shopper_id.0).into()])).await?;
    let guest: Option<Participant> = tx.first(LOCK.bind(&key)).await?;
    let (Some(shopper), Some(guest)) = (shopper, guest) else { return Ok(None) };
    match &guest.merged_into {
        None => return Ok(None),
        Some(into) if into != shopper_id => return Err(merge::forbidden()),
        Some(_) => {}
    }
    let merge: Option<RecordedMerge> = tx.first(FIND.bind(&key)).await?;
    let merge = merge.filter(|it| it.is_begun || now - it.merged_at <= UNDO_TIME).ok_or_else(expired)?;
    // Lists that go back must be complete, and copies of them too.
    require_complete_lists(tx, *store_id, shopper_id).await?;
    let of_shopper = merge::lists_of(tx, *store_id, shopper_id).await?;
    let of_shopper = merge::lock_lists(tx, *store_id, of_shopper).await?;
    let lists = recorded_lists(tx, undo).await?;
    Ok(Some(Merged { shopper, guest, merge, lists, of_shopper }))
}

/// A step that must come before [`UndoMerge`].
pub(crate) enum Step<'m> {
    /// A long list that moved must be detached.
    Detach(&'m RecordedList, Fate),
    /// Items up to this one must be restored.
    Restore(Boundary),
}

pub(crate) async fn next_step<'m, T: Tx>(
    tx: &mut T,
    undo: &PendingUndo,
    detach: &Detach<'_>,
    merged: &'m Merged,
) -> Result<Option<Step<'m>>> {
    if let Some((list, fate)) = detach.next_long(tx, &merged.lists, &merged.of_shopper).await? {
        return Ok(Some(Step::Detach(list, fate)));
    }
    let mut boundary = None;
    let after = [undo.store_id.into(), (&undo.guest.0).into(), BATCH.into()];
    tx.query_all(&[BOUNDARY.bind(&after)], &mut |_, row| {
        boundary = Some((row.blob(0)?.to_owned(), row.int(1)?, row.int(2)?));
        Ok(())
    })
    .await?;
    Ok(boundary.map(Step::Restore))
}

impl Write for UndoMerge {
    const NAME: &'static str = "undo_merge";
    /// `None` if the guest was never merged, or the merge is undone already.
    type Out = Option<Undone>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let PendingUndo { store_id, guest: guest_id, shopper: shopper_id } = &self.undo;
        let Some(merged) = lock(tx, &self.undo, self.moment.now).await? else { return Ok(None) };
        let mut detach = Detach::new(&self.undo, &self.moment);
        if next_step(tx, &self.undo, &detach, &merged).await?.is_some() {
            return Err(not_settled());
        }
        let Merged { shopper, guest, merge, lists, of_shopper } = merged;
        let key = [(*store_id).into(), (&guest_id.0).into()];
        let changed: Vec<Uuid> = detach.run(tx, &lists, &of_shopper).await?.into_iter().collect();
        restore::all(tx, &self.undo, &lists, merge.subscription_offset).await?;
        let counted: Vec<_> = changed.iter().map(|list| [key[0], list.as_bytes().into()]).collect();
        tx.execute_all(&counted.iter().map(|key| COUNT_COMMENTS.bind(key)).collect::<Vec<_>>()).await?;
        let clears_names = merge.filled_names && shopper.names() == guest.names();
        let (first_name, last_name) = if clears_names { ("", "") } else { shopper.names() };
        let names = [first_name.into(), last_name.into(), key[0], (&shopper_id.0).into()];
        let undone = [self.moment.now.into(), key[0], key[1]];
        tx.execute_all(&[
            SET_NAMES.bind(&names),
            REACTIVATE.bind(&undone),
            guest_sessions::DELETE_OF_GUEST.bind(&[key[0], (&shopper_id.0).into(), key[1]]),
            MARK_UNDONE.bind(&undone),
            FINISH.bind(&key),
            PURGE_LISTS.bind(&key),
            PURGE_ITEMS.bind(&key),
            PURGE_PARTS.bind(&key),
            PURGE_COMMENTS.bind(&key),
        ])
        .await?;
        wishes::transfer(tx, *store_id, guest_id, guest_id).await?;
        let united: Vec<(Uuid, Option<Uuid>)> = lists.iter().map(|list| (list.list_id, list.into)).collect();
        if let Some(store) = tx.first::<StoreRecord>(record::BY_ID.bind(&key[..1])).await? {
            events::record_undo(tx, &Arc::new(store), (guest_id, shopper_id), &united, &self.moment).await?;
        }
        let write_set = self.undo.write_set(&changed);
        Ok(Some(Undone { lists: i64::try_from(lists.len()).map_err(Error::internal)?, write_set }))
    }

    fn write_set(&self, undone: &Self::Out) -> WriteSet {
        undone.as_ref().map(|undone| undone.write_set.clone()).unwrap_or_default()
    }
}

/// Returns the lists in the journal, and fails if a later merge added to one of their targets.
async fn recorded_lists<T: Tx>(tx: &mut T, undo: &PendingUndo) -> Result<Vec<RecordedList>> {
    let (store_id, guest_id) = (undo.store_id.into(), (&undo.guest.0).into());
    let lists: Vec<RecordedList> = tx.rows(FIND_LISTS.bind(&[(&undo.shopper.0).into(), store_id, guest_id])).await?;
    // A list that moved was no target before the merge; in a target, later unions have higher offsets.
    let targets: Vec<_> = lists
        .iter()
        .map(|list| (list.into.unwrap_or(list.list_id).into_bytes(), list.seq_offset.unwrap_or(-1)))
        .collect();
    let later: Vec<_> =
        targets.iter().map(|(into, offset)| [store_id, into.into(), guest_id, (*offset).into()]).collect();
    let mut has_later = false;
    tx.query_all(&later.iter().map(|args| LATER.bind(args)).collect::<Vec<_>>(), &mut |_, _| {
        has_later = true;
        Ok(())
    })
    .await?;
    if has_later {
        return Err(Error::new(
            Code::Forbidden,
            "a later login of this shopper added to the same list: undo that one first (user/merges lists them)",
        ));
    }
    Ok(lists)
}

fn expired() -> Error {
    Error::new(Code::Forbidden, "this merge is more than 30 days old and cannot be undone")
}

statements! {
    LOCK = "update shoppers set generation = generation where store_id = $1 and shopper_id = $2
            returning next_list, next_subscription, first_name, last_name, merged_into";
    // Locked, so that the journal is not deleted meanwhile.
    FIND = "update merges set undone_at = undone_at where store_id = $1 and guest_id = $2 and undone_at is null
            returning filled_names, subscription_offset, merged_at,
                      (select count(*) from undos u where u.store_id = $1 and u.guest_id = $2)";
    // Lists that exist are not restored from the journal, or not yet.
    BOUNDARY = "select m.list_id, m.added_at, m.seq from merged_items m
        where m.store_id = $1 and m.guest_id = $2
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = m.list_id)
        order by m.list_id, m.added_at, m.seq limit 1 offset $3";
    FINISH = "delete from undos where store_id = $1 and guest_id = $2";
    LATER = "select seq_offset from merged_lists
             where store_id = $1 and into_id = $2 and guest_id <> $3 and seq_offset > $4
             order by seq_offset desc nulls last limit 1";
    FIND_LISTS = "select m.list_id, m.into_id, m.merged_version, l.version, m.unarchived, m.seq_offset, m.into_version
        from merged_lists m
        left join lists l on l.shopper_id = $1 and l.store_id = $2 and l.list_id = m.list_id
        where m.store_id = $2 and m.guest_id = $3 order by m.ordinal";
    SET_NAMES = "update shoppers set first_name = $1, last_name = $2 where store_id = $3 and shopper_id = $4";
    // An undo counts as a visit: the guest must not expire for the time as the shopper.
    REACTIVATE = "update shoppers set merged_into = null, updated_at = $1, seen_at = $1 where store_id = $2 and shopper_id = $3";
    MARK_UNDONE = "update merges set undone_at = $1, item_count = 0 where store_id = $2 and guest_id = $3";
}
