//! The nightly clean-up: deletes expired guests, expired responses of idempotency keys, merges that can no longer be
//! undone, subscriptions that nobody confirmed, and old events of webhooks.

use std::sync::atomic::Ordering;
use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::idempotency::PurgeResponses;
use wishbone_core::merging::journal::{PurgeMerges, UNDO_TIME};
use wishbone_core::moment::{HOUR, Millis};
use wishbone_core::operator::Operator;
use wishbone_core::privacy::guest_expiry::{FindExpiredGuests, PurgeDeletedLists};
use wishbone_core::stores::manage::ListStores;
use wishbone_core::subscriptions::add::CONFIRMATION_TIME;
use wishbone_core::subscriptions::confirm::PurgeUnconfirmed;
use wishbone_core::webhooks::log::{PurgeEvents, RETENTION};

use crate::app::App;
use crate::jobs::job::{Job, Rest};

/// Start of the clean-up after midnight UTC.
const START: Millis = 3 * HOUR;
/// Guests per store and step; each has a transaction of its own.
const GUESTS: i64 = 50;
/// Merges per transaction; each may have thousands of items.
const MERGES: i64 = 5;
/// Rows per transaction.
const ROWS: i64 = 500;

pub(super) struct CleanUp;

impl Job for CleanUp {
    const NAME: &'static str = "clean up";
    const PAUSE: Duration = Duration::from_secs(10 * 60);

    async fn step(app: &App) -> Result<Rest> {
        clean_some(app).await
    }
}

/// Deletes a batch of each kind. Rests until woken once nothing is left for this night.
pub async fn clean_some(app: &App) -> Result<Rest> {
    let now = app.environment.now();
    let night = (now - START).div_euclid(24 * HOUR);
    if app.cleaned_night.load(Ordering::Relaxed) == night {
        return Ok(Rest::UntilWoken);
    }
    let by = Operator::of_this_machine();
    let mut more = app.database.write(PurgeDeletedLists { by, limit: ROWS }).await?;
    for store in app.database.read(ListStores { by }).await? {
        let store_id = store.store_id;
        more |= app.database.write(PurgeResponses { by, store_id, now, limit: ROWS }).await? > 0;
        more |= app.database.write(PurgeMerges { by, store_id, before: now - UNDO_TIME, limit: MERGES }).await? > 0;
        let before = now - CONFIRMATION_TIME;
        more |= app.database.write(PurgeUnconfirmed { by, store_id, before, limit: ROWS }).await? > 0;
        more |= app.database.write(PurgeEvents { by, store_id, before: now - RETENTION, limit: ROWS }).await? > 0;
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
