//! Continues what proceeds in steps: copies of long lists, merges, transfers of wishes, and undos of merges.

use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::error::Result;
use wishbone_core::lists::copy::{CopyItems, FindCopies};
use wishbone_core::lists::wishes::{FindTransfers, TransferWishes};
use wishbone_core::merging::merge_steps::MergeLists;
use wishbone_core::merging::pending::{FindMerges, FindUndos};
use wishbone_core::merging::settle::undo_some;
use wishbone_core::merging::union::{FindUnions, UniteItems};
use wishbone_core::moment::{MINUTE, Millis};
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::Work;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

/// Copies, merges, undos and transfers of a store in one step, so that a long one does not block the others.
const BATCH: i64 = 20;

/// The time after which the call that began an undo has ended.
const UNDO_CALL: Millis = MINUTE;

pub(super) struct CopyLists;

impl Job for CopyLists {
    const NAME: &'static str = "copy lists";
    const PAUSE: Duration = Duration::from_secs(60);

    async fn step(app: &App) -> Result<Rest> {
        copy_next(app).await
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.new_copy)
    }
}

/// Copies or moves a batch of items of each list.
pub async fn copy_next(app: &App) -> Result<Rest> {
    let mut outcome = Ok(Rest::UntilWoken);
    for store_id in app.stores_with(Work::Steps).await? {
        // A store that fails does not stop the others.
        match continue_store(app, store_id).await {
            Ok(true) => outcome = outcome.map(|_| Rest::None),
            Ok(false) => {}
            Err(error) => outcome = Err(error),
        }
    }
    outcome
}

/// Makes a step of everything that a store has in progress. Returns whether there was anything.
async fn continue_store(app: &App, store_id: i64) -> Result<bool> {
    let (by, limit) = (Operator::of_this_machine(), BATCH);
    let copies = app.database.read(FindCopies { by, store_id, limit }).await?;
    let unions = app.database.read(FindUnions { by, store_id, limit }).await?;
    let merges = app.database.read(FindMerges { by, store_id, limit }).await?;
    let before = app.environment.now() - UNDO_CALL;
    let undos = app.database.read(FindUndos { by, store_id, before, limit }).await?;
    let transfers = app.database.read(FindTransfers { by, store_id, limit }).await?;
    let is_idle =
        copies.is_empty() && unions.is_empty() && merges.is_empty() && undos.is_empty() && transfers.is_empty();
    let mut outcome = Ok(!is_idle);
    for copy in copies {
        // A failed copy does not stop the others.
        let list = copy.list_id();
        match app.write_reserved(list, CopyItems { by, copy, now: app.environment.now() }).await {
            Ok(true) => {}
            Ok(false) => {
                app.settle(list);
                // The original may be deleted, and waits to be purged.
                app.deleted_list.notify_one();
            }
            Err(error) => outcome = Err(error),
        }
    }
    for union in unions {
        if let Err(error) = app.database.write(UniteItems { union, moment: app.environment.moment() }).await {
            outcome = Err(error);
        }
    }
    for merge in merges {
        if let Err(error) = app.database.write(MergeLists { merge, moment: app.environment.moment() }).await {
            outcome = Err(error);
        }
    }
    for undo in undos {
        if let Err(error) = undo_some(&app.database, undo, &|| app.environment.moment()).await {
            outcome = Err(error);
        }
    }
    for transfer in transfers {
        if let Err(error) = app.database.write(TransferWishes { by, transfer }).await {
            outcome = Err(error);
        }
    }
    outcome
}
