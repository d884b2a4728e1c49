//! The nightly clean-up: deletes expired guests, expired responses of idempotency keys, merges that can no longer be
//! undone, subscriptions that nobody confirmed, counters of messages, and old events of webhooks.

use std::sync::atomic::Ordering;
use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::idempotency::PurgeResponses;
use wishbone_core::mail::limits::{self, PurgeCounters};
use wishbone_core::merging::journal::{PurgeMerges, UNDO_TIME};
use wishbone_core::moment::{HOUR, Millis};
use wishbone_core::operator::Operator;
use wishbone_core::privacy::guest_expiry::FindExpiredGuests;
use wishbone_core::stores::manage::ListStores;
use wishbone_core::stores::record::StoreRecord;
use wishbone_core::subscriptions::add::CONFIRMATION_TIME;
use wishbone_core::subscriptions::confirm::PurgeUnconfirmed;
use wishbone_core::webhooks::log::{PurgeEvents, RETENTION};

use crate::app::App;
use crate::jobs::job::{Job, Rest};

/// Start of the clean-up after midnight UTC.
const START: Millis = 3 * HOUR;
/// Guests per store and step; each has a transaction of its own.
const GUESTS: i64 = 50;
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
    let (mut more, mut failure) = (false, None);
    for store in app.database.read(ListStores { by }).await? {
        // A store that fails does not stop the others.
        match clean_store(app, store, now).await {
            Ok(left) => more |= left,
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        // The others go on after a short rest, the failed one with them.
        Some(error) if !more => Err(error),
        Some(error) => {
            tracing::warn!(cause = error.cause, "the clean-up of a store failed; it is repeated");
            Ok(Rest::Short)
        }
        None if more => Ok(Rest::Short),
        None => {
            app.cleaned_night.store(night, Ordering::Relaxed);
            Ok(Rest::UntilWoken)
        }
    }
}

/// Deletes a batch of each kind of one store. Returns whether there may be more.
async fn clean_store(app: &App, store: StoreRecord, now: Millis) -> Result<bool> {
    let (by, store_id) = (Operator::of_this_machine(), store.store_id);
    let mut more = app.database.write(PurgeResponses { by, store_id, now, limit: ROWS }).await? > 0;
    more |= app.database.write(PurgeMerges { by, store_id, before: now - UNDO_TIME }).await?;
    let before = now - CONFIRMATION_TIME;
    more |= app.database.write(PurgeUnconfirmed { by, store_id, before, limit: ROWS }).await? > 0;
    let before = now - limits::RETENTION;
    more |= app.database.write(PurgeCounters { by, store_id, before, limit: ROWS }).await? > 0;
    more |= app.database.write(PurgeEvents { by, store_id, before: now - RETENTION, limit: ROWS }).await? > 0;
    for guest in app.database.read(FindExpiredGuests { by, store, now, limit: GUESTS }).await? {
        app.database.write(guest).await?;
        app.deleted_list.notify_one();
        more = true;
    }
    Ok(more)
}
