//! Tells streams of changes of lists, whichever node made them. The states of many shoppers are read in one
//! statement; nothing is read while nobody watches.

use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::lists::live::{MAX_WATCHED, ReadStates};
use wishbone_core::operator::Operator;

use crate::app::App;
use crate::jobs::job::{Job, Rest};
use crate::live::registry::WatcherKey;

pub(super) struct WatchLists;

impl Job for WatchLists {
    const NAME: &'static str = "watch lists";
    /// A change is seen within a second, also if the database takes a while.
    const PAUSE: Duration = Duration::from_millis(400);

    async fn step(app: &App) -> Result<Rest> {
        if app.live.is_due(app.admission.is_overloaded()) {
            watch_lists(app).await?;
        }
        Ok(Rest::UntilWoken)
    }
}

/// Compares the lists of all who watch with what was last seen.
pub async fn watch_lists(app: &App) -> Result<()> {
    let seen = app.live.last_seen();
    let mut outcome = Ok(());
    for of_store in seen.chunk_by(|(a, _), (b, _)| a.0 == b.0) {
        for part in of_store.chunks(MAX_WATCHED) {
            // A store that fails does not stop the others.
            if let Err(error) = compare(app, part).await {
                outcome = Err(error);
                break;
            }
        }
    }
    outcome
}

/// Compares the lists of shoppers of one store.
async fn compare(app: &App, seen: &[(WatcherKey, i64)]) -> Result<()> {
    let Some(((store_id, _), _)) = seen.first().copied() else { return Ok(()) };
    let by = Operator::of_this_machine();
    let shoppers = seen.iter().map(|((_, shopper_id), _)| *shopper_id).collect();
    let states = app.of_job(app.database.read(ReadStates { by, store_id, shoppers })).await?;
    for ((key, stamp), state) in seen.iter().zip(states) {
        if state.stamp != *stamp {
            app.live.publish(key, state);
        }
    }
    Ok(())
}
