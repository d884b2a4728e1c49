//! Completes what is pending of a shopper's lists, in small steps, before an operation that needs them complete.

use uuid::Uuid;
use wishbone_storage::{Database, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::profile::FindByEmail;
use crate::lists::copy::{self, CopyItems};
use crate::lists::delete;
use crate::merging::merge_steps::MergeLists;
use crate::merging::pending::{FindPending, Pending, PendingUndo};
use crate::merging::undo::UndoMerge;
use crate::merging::undo_steps::{NeedsSteps, PrepareUndo};
use crate::merging::union::UniteItems;
use crate::moment::Moment;
use crate::operator::Operator;
use crate::tokens::ShopperId;

/// Settles the lists of the shopper with an address.
pub async fn settle_by_email(
    database: &Database,
    store_id: i64,
    email: &str,
    moment: &(dyn Fn() -> Moment + Sync),
) -> Result<()> {
    match database.read(FindByEmail { store_id, email: email.to_owned() }).await? {
        Some((shopper, _)) => settle(database, store_id, shopper, moment).await,
        None => Ok(()),
    }
}

/// Completes copies, unions, deletions, merges and undos of the shopper.
pub async fn settle(
    database: &Database,
    store_id: i64,
    shopper: ShopperId,
    moment: &(dyn Fn() -> Moment + Sync),
) -> Result<()> {
    loop {
        let undos = complete_lists(database, store_id, shopper, moment).await?;
        if undos.is_empty() {
            return Ok(());
        }
        for undo in undos {
            undo_some(database, undo, moment).await?;
        }
    }
}

/// Takes all steps of an undo but the last, which is [`UndoMerge`].
pub async fn prepare_undo(database: &Database, undo: PendingUndo, moment: &(dyn Fn() -> Moment + Sync)) -> Result<()> {
    loop {
        complete_lists(database, undo.store_id, undo.shopper, moment).await?;
        let needs_steps = database.read(NeedsSteps { undo }).await?;
        if !needs_steps || !database.write(PrepareUndo { undo, moment: moment() }).await? {
            return Ok(());
        }
    }
}

/// Takes the next step of an undo.
pub async fn undo_some(database: &Database, undo: PendingUndo, moment: &(dyn Fn() -> Moment + Sync)) -> Result<()> {
    if !database.write(PrepareUndo { undo, moment: moment() }).await? {
        database.write(UndoMerge { undo, moment: moment() }).await?;
    }
    Ok(())
}

/// Completes the shopper's lists. Returns the undos that are pending.
async fn complete_lists(
    database: &Database,
    store_id: i64,
    shopper: ShopperId,
    moment: &(dyn Fn() -> Moment + Sync),
) -> Result<Vec<PendingUndo>> {
    let by = Operator::of_this_machine();
    loop {
        let Pending { copies, unions, deleted, merges, undos } =
            database.read(FindPending { store_id, shopper }).await?;
        // A merge needs complete lists.
        if copies.is_empty() && unions.is_empty() && deleted.is_empty() {
            if merges.is_empty() {
                return Ok(undos);
            }
            for merge in merges {
                database.write(MergeLists { merge, moment: moment() }).await?;
            }
        }
        for copy in copies {
            database.write(CopyItems { by, copy, now: moment().now }).await?;
        }
        for union in unions {
            database.write(UniteItems { union, moment: moment() }).await?;
        }
        for list_id in deleted {
            database.write(PurgeMergedList { store_id, list_id }).await?;
        }
    }
}

/// Deletes some items of a deleted list whose merge can be undone.
struct PurgeMergedList {
    store_id: i64,
    list_id: Uuid,
}

impl Write for PurgeMergedList {
    const NAME: &'static str = "purge_merged_list";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let list = [self.store_id.into(), self.list_id.as_bytes().into()];
        if copy::is_source(tx, &list).await? {
            return Ok(());
        }
        delete::purge(tx, &list).await
    }
}
