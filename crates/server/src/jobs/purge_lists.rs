//! Deletes what belonged to deleted lists.

use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::error::Result;
use wishbone_core::lists::delete::{PurgeDeletedLists, PurgedList};
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::Work;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

pub(super) struct PurgeLists;

impl Job for PurgeLists {
    const NAME: &'static str = "purge lists";
    const PAUSE: Duration = Duration::from_secs(60);

    async fn step(app: &App) -> Result<Rest> {
        purge_some(app).await
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.deleted_list)
    }
}

/// Deletes a batch of items of each store.
pub async fn purge_some(app: &App) -> Result<Rest> {
    let by = Operator::of_this_machine();
    let mut outcome = Ok(Rest::UntilWoken);
    for store_id in app.stores_with(Work::DeletedLists).await? {
        // A store that fails does not stop the others.
        match app.database.write(PurgeDeletedLists { by, store_id }).await {
            Ok(None) => {}
            Ok(Some(PurgedList { list_id, freed, is_left })) => {
                app.refund_purged(list_id, freed, is_left);
                outcome = outcome.map(|_| Rest::None);
            }
            Err(error) => outcome = Err(error),
        }
    }
    outcome
}
