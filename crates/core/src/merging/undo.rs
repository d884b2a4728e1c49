//! Undoing a merge while its journal exists: the guest gets its lists back as they were, and the shopper keeps the changes
//! made since.

use uuid::Uuid;
use wishbone_storage::{Database, FromRow, Row, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, bad_regid};
use crate::identity::guest_sessions;
use crate::identity::profile::{BY_EMAIL, ShopperKey};
use crate::merging::detach::{Detach, RecordedList};
use crate::merging::events;
use crate::merging::journal::{PURGE_COMMENTS, PURGE_ITEMS, PURGE_LISTS, PURGE_PARTS, UNDO_TIME, guest_regid};
use crate::merging::merge::{self, Participant};
use crate::merging::restore::Restore;
use crate::merging::settle;
use crate::moment::{Millis, Moment};
use crate::stores::admin::StoreAdmin;
use crate::tokens::{Keys, Regid, RegidKind, ShopperId};

/// Undoes a merge.
pub struct UndoMerge {
    by: StoreAdmin,
    regid: Regid,
    email: String,
    moment: Moment,
}

impl UndoMerge {
    pub fn new(by: StoreAdmin, keys: &Keys, regid: &str, email: String, moment: Moment) -> Result<Self> {
        let regid = keys.read_regid(regid).filter(|regid| regid.store_id == by.store_id()).ok_or_else(bad_regid)?;
        Ok(Self { by, regid, email, moment })
    }

    /// Completes what is pending of the shopper, which the undo requires.
    pub async fn settle(&self, database: &Database, moment: &(dyn Fn() -> Moment + Sync)) -> Result<()> {
        settle::settle_by_email(database, self.by.store_id(), &self.email, moment).await
    }

    /// The guest's credentials, which work again after the undo.
    pub fn credentials(&self, keys: &Keys) -> Credentials {
        let epoch = (self.regid.kind == RegidKind::DeviceGuest).then_some(self.regid.generation);
        Credentials::of(keys, self.by.store(), guest_regid(self.by.store(), self.regid.shopper, epoch), 0)
    }
}

struct RecordedMerge {
    filled_names: bool,
    subscription_offset: i64,
    merged_at: Millis,
}

impl FromRow for RecordedMerge {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { filled_names: row.flag(0)?, subscription_offset: row.int(1)?, merged_at: row.int(2)? })
    }
}

impl Write for UndoMerge {
    const NAME: &'static str = "undo_merge";
    /// The number of lists that the guest has again; `None` if the guest was never merged, or the merge is undone already.
    type Out = Option<i64>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let (store_id, guest_id) = (self.by.store_id(), &self.regid.shopper.0);
        let by_email = [store_id.into(), (&self.email).into()];
        // The shopper is locked before the guest, as in a merge.
        let Some(ShopperKey(shopper_id, _)) = tx.first(BY_EMAIL.bind(&by_email)).await? else { return Ok(None) };
        let Some(shopper) = self.lock(tx, &shopper_id).await? else { return Ok(None) };
        let Some(guest) = self.lock(tx, &self.regid.shopper).await? else { return Ok(None) };
        match guest.merged_into {
            None => return Ok(None),
            Some(into) if into != shopper_id => return Err(merge::forbidden()),
            Some(_) => {}
        }
        let key = [store_id.into(), guest_id.into()];
        let recorded: Option<RecordedMerge> = tx.first(FIND.bind(&key)).await?;
        let recorded = recorded.filter(|merge| self.moment.now - merge.merged_at <= UNDO_TIME).ok_or_else(expired)?;
        // Lists that go back must be complete, and copies of them too.
        settle::require_settled(tx, store_id, &shopper_id).await?;
        let of_shopper = merge::lists_of(tx, store_id, &shopper_id).await?;
        let of_shopper = merge::lock_lists(tx, store_id, of_shopper).await?;
        let lists = self.recorded_lists(tx, &shopper_id).await?;
        let guest_id = &self.regid.shopper;
        let mut detach = Detach { store_id, guest: guest_id, shopper: &shopper_id, moment: &self.moment, used_ids: 0 };
        let changed: Vec<Uuid> = detach.run(tx, &lists, &of_shopper).await?.into_iter().collect();
        let subscription_offset = recorded.subscription_offset;
        let restore = Restore { store_id, guest: guest_id, shopper: &shopper_id, subscription_offset };
        restore.run(tx, &lists).await?;
        let counted: Vec<_> = changed.iter().map(|list| [key[0], list.as_bytes().into()]).collect();
        tx.execute_all(&counted.iter().map(|key| COUNT_COMMENTS.bind(key)).collect::<Vec<_>>()).await?;
        let clears_names = recorded.filled_names && shopper.names() == guest.names();
        let (first_name, last_name) = if clears_names { ("", "") } else { shopper.names() };
        let names = [first_name.into(), last_name.into(), key[0], (&shopper_id.0).into()];
        let undone = [self.moment.now.into(), key[0], key[1]];
        tx.execute_all(&[
            SET_NAMES.bind(&names),
            REACTIVATE.bind(&undone),
            guest_sessions::DELETE_OF_GUEST.bind(&[key[0], (&shopper_id.0).into(), key[1]]),
            MARK_UNDONE.bind(&undone),
            PURGE_LISTS.bind(&key),
            PURGE_ITEMS.bind(&key),
            PURGE_PARTS.bind(&key),
            PURGE_COMMENTS.bind(&key),
        ])
        .await?;
        let united: Vec<(Uuid, Option<Uuid>)> = lists.iter().map(|list| (list.list_id, list.into)).collect();
        let participants = (&self.regid.shopper, &shopper_id);
        events::record_undo(tx, self.by.store(), participants, &united, &self.moment).await?;
        Ok(Some(i64::try_from(lists.len()).map_err(Error::internal)?))
    }
}

impl UndoMerge {
    async fn lock<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<Option<Participant>> {
        Ok(tx.first(LOCK.bind(&[self.by.store_id().into(), (&shopper.0).into()])).await?)
    }

    /// Returns the lists in the journal, and fails if a later merge added to one of their targets.
    async fn recorded_lists<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<Vec<RecordedList>> {
        let (store_id, guest_id) = (self.by.store_id().into(), (&self.regid.shopper.0).into());
        let lists: Vec<RecordedList> = tx.rows(FIND_LISTS.bind(&[(&shopper.0).into(), store_id, guest_id])).await?;
        for list in &lists {
            // A list that moved was no target before the merge; in a target, later unions have higher offsets.
            let (into, offset) = (list.into.unwrap_or(list.list_id), list.seq_offset.unwrap_or(-1));
            let later = [store_id, into.as_bytes().into(), guest_id, offset.into()];
            if tx.first::<i64>(LATER.bind(&later)).await?.is_some() {
                return Err(Error::new(
                    Code::Forbidden,
                    "a later login of this shopper added to the same list: undo that one first (user/merges lists them)",
                ));
            }
        }
        Ok(lists)
    }
}

fn expired() -> Error {
    Error::new(Code::Forbidden, "this merge is more than 30 days old and cannot be undone")
}

statements! {
    LOCK = "update shoppers set generation = generation where store_id = $1 and shopper_id = $2
            returning next_list, next_subscription, first_name, last_name, merged_into";
    FIND = "select filled_names, subscription_offset, merged_at from merges
            where store_id = $1 and guest_id = $2 and undone_at is null";
    LATER = "select seq_offset from merged_lists
             where store_id = $1 and into_id = $2 and guest_id <> $3 and seq_offset > $4
             order by seq_offset desc nulls last limit 1";
    FIND_LISTS = "select m.list_id, m.into_id, m.merged_version, l.version, m.unarchived, m.seq_offset, m.into_version
        from merged_lists m
        left join lists l on l.store_id = m.store_id and l.list_id = m.list_id and l.shopper_id = $1
        where m.store_id = $2 and m.guest_id = $3 order by m.ordinal";
    COUNT_COMMENTS = "update lists set comment_count = (select count(*) from comments c
                                                        where c.store_id = lists.store_id and c.list_id = lists.list_id)
                      where store_id = $1 and list_id = $2";
    SET_NAMES = "update shoppers set first_name = $1, last_name = $2 where store_id = $3 and shopper_id = $4";
    // An undo counts as a visit: the guest must not expire for the time as the shopper.
    REACTIVATE = "update shoppers set merged_into = null, updated_at = $1, seen_at = $1 where store_id = $2 and shopper_id = $3";
    MARK_UNDONE = "update merges set undone_at = $1, item_count = 0 where store_id = $2 and guest_id = $3";
}
