//! The nightly clean-up: guests who did not come back, answers that nobody can ask for any more, and merges that can no
//! longer be undone.

use std::sync::atomic::Ordering;
use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::idempotency::PurgeResponses;
use wishbone_core::merging::journal::{PurgeMerges, UNDO_TIME};
use wishbone_core::moment::Millis;
use wishbone_core::operator::Operator;
use wishbone_core::privacy::guest_expiry::{FindExpiredGuests, PurgeDeletedLists};
use wishbone_core::stores::manage::ListStores;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

const HOUR: Millis = 60 * 60 * 1_000;
/// When a night's clean-up begins, in UTC.
const BEGIN: Millis = 3 * HOUR;
/// Guests of one store in one step; each is a transaction of its own.
const GUESTS: i64 = 50;
/// Merges of one transaction; each may have thousands of items.
const MERGES: i64 = 5;
/// Rows of one transaction.
const ROWS: i64 = 500;

pub(super) struct CleanUp;

impl Job for CleanUp {
    const NAME: &'static str = "clean up";
    const PAUSE: Duration = Duration::from_secs(10 * 60);

    async fn step(app: &App) -> Result<Rest> {
        clean_some(app).await
    }
}

/// Removes a little of everything that is due, until nothing is left of this night's work.
pub async fn clean_some(app: &App) -> Result<Rest> {
    let now = app.environment.now();
    let night = (now - BEGIN).div_euclid(24 * HOUR);
    if app.cleaned_night.load(Ordering::Relaxed) == night {
        return Ok(Rest::UntilWoken);
    }
    let by = Operator::of_this_machine();
    let mut more = app.database.write(PurgeDeletedLists { by, limit: ROWS }).await?;
    for store in app.database.read(ListStores { by }).await? {
        let store_id = store.store_id;
        more |= app.database.write(PurgeResponses { by, store_id, now, limit: ROWS }).await? > 0;
        more |= app.database.write(PurgeMerges { by, store_id, before: now - UNDO_TIME, limit: MERGES }).await? > 0;
        for guest in app.database.read(FindExpiredGuests { by, store, now, limit: GUESTS }).await? {
            app.database.write(guest).await?;
            more = true;
        }
    }
    if more {
        return Ok(Rest::Short);
    }
    app.cleaned_night.store(night, Ordering::Relaxed);
    Ok(Rest::UntilWoken)
}
