//! Undoing a merge while its journal exists: the guest gets its lists back as they were, and the shopper keeps the changes
//! made since.

use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{Database, FromRow, Query, Row, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, bad_regid};
use crate::identity::guest_sessions;
use crate::identity::profile::FindByEmail;
use crate::lists::changes;
use crate::lists::copy::BATCH;
use crate::lists::wishes;
use crate::merging::belongings;
use crate::merging::detach::{COUNT_COMMENTS, Detach};
use crate::merging::events;
use crate::merging::journal::{PURGE_PARTS, UNDO_TIME, guest_regid};
use crate::merging::merge::{self, Participant};
use crate::merging::merge_steps::lock_lists;
use crate::merging::pending::{PendingUndo, not_settled, require_complete_lists};
use crate::merging::plan::MergeList;
use crate::merging::recorded_list::{self, RecordedList};
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
}

/// A merge that can be undone. Its participants, and the lists that are affected by the next step, are locked.
pub(crate) struct Merged {
    shopper: Participant,
    guest: Participant,
    merge: RecordedMerge,
    /// The lists of the guest in the journal that are next, see [`recorded_list::read`].
    pub(crate) lists: Vec<RecordedList>,
    /// The affected lists of the shopper.
    pub(crate) affected: Vec<MergeList>,
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
    // Once begun, an undo is completed before the next login.
    if !merge.is_begun && tx.first::<i64>(LATER.bind(&key)).await?.is_some() {
        return Err(Error::new(
            Code::Forbidden,
            "a later login of this shopper added to the same list: undo that one first (user/merges lists them)",
        ));
    }
    let mut ids = recorded_list::next_ids(tx, undo).await?;
    // As many as one step returns; what they are is read when they are locked.
    ids.truncate(recorded_list::read(tx, undo, &ids).await?.len());
    let affected = recorded_list::affected(tx, undo, &ids).await?;
    let affected = lock_lists(tx, *store_id, &affected).await?;
    let affected = affected.into_iter().filter(|list| list.shopper_id == shopper_id.0).collect();
    let lists = recorded_list::read(tx, undo, &ids).await?;
    Ok(Some(Merged { shopper, guest, merge, lists, affected }))
}

/// The next step of an undo.
pub(crate) enum Step<'m> {
    /// A long list that moved must be detached.
    Detach(&'m RecordedList),
    /// Items of a long list must be restored up to this time and number.
    Restore(&'m RecordedList, (Millis, i64)),
    /// Lists return, and more are left.
    Return,
    /// Some of what the guest had besides lists returns.
    Belongings,
    /// What is left can be done by [`UndoMerge`].
    Last,
}

/// Determines the next step of an undo from its next lists.
pub(crate) async fn next_step<'m, Q: Query>(
    query: &mut Q,
    undo: &PendingUndo,
    lists: &'m [RecordedList],
) -> Result<Step<'m>> {
    let key = [undo.store_id.into(), (&undo.guest.0).into()];
    let count: i64 = query.first(COUNT.bind(&key)).await?.unwrap_or(0);
    let is_last = i64::try_from(lists.len()).map_err(Error::internal)? == count;
    let end = match is_last {
        false => Step::Return,
        true if belongings::needs_steps(query, undo).await? => Step::Belongings,
        true => Step::Last,
    };
    let Some(list) = lists.first().filter(|list| list.cost() > BATCH) else { return Ok(end) };
    if list.into.is_none() && list.version.is_some() {
        return Ok(Step::Detach(list));
    }
    let after = [key[0], key[1], list.list_id.as_bytes().into(), BATCH.into()];
    let mut boundary = None;
    query
        .query_all(&[BOUNDARY.bind(&after)], &mut |_, row| {
            boundary = Some((row.int(0)?, row.int(1)?));
            Ok(())
        })
        .await?;
    Ok(boundary.map_or(end, |boundary| Step::Restore(list, boundary)))
}

/// Returns the lists of a step to the guest.
pub(crate) async fn return_lists<T: Tx>(
    tx: &mut T,
    undo: &PendingUndo,
    merged: &Merged,
    moment: &Moment,
) -> Result<()> {
    let changed = Detach::new(undo, moment).run(tx, &merged.lists, &merged.affected).await?;
    restore::lists(tx, undo, &merged.lists).await?;
    let counted: Vec<_> = changed.iter().map(|list| [undo.store_id.into(), list.as_bytes().into()]).collect();
    tx.execute_all(&counted.iter().map(|key| COUNT_COMMENTS.bind(key)).collect::<Vec<_>>()).await?;
    let united: Vec<(Uuid, Option<Uuid>)> = merged.lists.iter().map(|list| (list.list_id, list.into)).collect();
    if let Some(store) = tx.first::<StoreRecord>(record::BY_ID.bind(&[undo.store_id.into()])).await? {
        events::record_undo(tx, &Arc::new(store), (&undo.guest, &undo.shopper), &united, moment).await?;
    }
    Ok(())
}

impl Write for UndoMerge {
    const NAME: &'static str = "undo_merge";
    /// `None` if the guest was never merged, or the merge is undone already.
    type Out = Option<Undone>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let PendingUndo { store_id, guest: guest_id, shopper: shopper_id } = &self.undo;
        let Some(merged) = lock(tx, &self.undo, self.moment.now).await? else { return Ok(None) };
        if !matches!(next_step(tx, &self.undo, &merged.lists).await?, Step::Last) {
            return Err(not_settled());
        }
        return_lists(tx, &self.undo, &merged, &self.moment).await?;
        let Merged { shopper, guest, merge, .. } = merged;
        belongings::restore(tx, &self.undo).await?;
        belongings::restore_subscriptions(tx, &self.undo, merge.subscription_offset, guest.next_subscription).await?;
        let key = [(*store_id).into(), (&guest_id.0).into()];
        let clears_names = merge.filled_names && shopper.names() == guest.names();
        let (first_name, last_name) = if clears_names { ("", "") } else { shopper.names() };
        let names = [first_name.into(), last_name.into(), key[0], (&shopper_id.0).into()];
        let undone = [self.moment.now.into(), key[0], key[1]];
        tx.execute_all(&[
            SET_NAMES.bind(&names),
            guest_sessions::DELETE_OF_GUEST.bind(&[key[0], (&shopper_id.0).into(), key[1]]),
            MARK_UNDONE.bind(&undone),
            FINISH.bind(&key),
            PURGE_PARTS.bind(&[key[0], key[1], i64::MAX.into()]),
        ])
        .await?;
        let lists: Option<i64> = tx.first(REACTIVATE.bind(&undone)).await?;
        wishes::transfer(tx, *store_id, guest_id, guest_id).await?;
        changes::record_many(tx, *store_id, &[shopper_id.0, guest_id.0]).await?;
        Ok(Some(Undone { lists: lists.unwrap_or(0) }))
    }
}

fn expired() -> Error {
    Error::new(Code::Forbidden, "this merge is more than 30 days old and cannot be undone")
}

statements! {
    LOCK = "update shoppers set generation = generation where store_id = $1 and shopper_id = $2
            returning next_list, next_subscription, first_name, last_name, merged_into, list_count";
    // Locked, so that the journal is not deleted meanwhile.
    FIND = "update merges set undone_at = undone_at where store_id = $1 and guest_id = $2 and undone_at is null
            returning filled_names, subscription_offset, merged_at,
                      (select count(*) from undos u where u.store_id = $1 and u.guest_id = $2)";
    BOUNDARY = "select added_at, seq from merged_items where store_id = $1 and guest_id = $2 and list_id = $3
                order by added_at, seq limit 1 offset $4";
    FINISH = "delete from undos where store_id = $1 and guest_id = $2";
    COUNT = "select count(*) from merged_lists where store_id = $1 and guest_id = $2";
    // A list that moved was no target before the merge; in a target, later unions have higher offsets.
    LATER = "select o.seq_offset from merged_lists m
             join merged_lists o on o.store_id = $1 and o.into_id = coalesce(m.into_id, m.list_id)
             where m.store_id = $1 and o.store_id = $1 and m.guest_id = $2 and o.guest_id <> $2
               and o.seq_offset > coalesce(m.seq_offset, -1) limit 1";
    SET_NAMES = "update shoppers set first_name = $1, last_name = $2 where store_id = $3 and shopper_id = $4";
    // An undo counts as a visit: the guest must not expire for the time as the shopper.
    REACTIVATE = "update shoppers set merged_into = null, updated_at = $1, seen_at = $1 where store_id = $2 and shopper_id = $3
                  returning list_count";
    MARK_UNDONE = "update merges set undone_at = $1, item_count = 0 where store_id = $2 and guest_id = $3";
}
