//! The nightly clean-up: guests who did not come back, answers that nobody can ask for any more, and merges that can no
//! longer be undone.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use wishbone_core::caller::Operator;
use wishbone_core::guests::{ClearRemains, FindExpiredGuests};
use wishbone_core::merge_journal::{ForgetMerges, UNDO_TIME};
use wishbone_core::once::ForgetAnswers;
use wishbone_core::stores::ListStores;
use wishbone_core::{Millis, Result};

use super::{Job, Rest};
use crate::app::App;

const HOUR: Millis = 60 * 60 * 1_000;
/// When a night's clean-up begins, in UTC.
const BEGIN: Millis = 3 * HOUR;
/// Guests of one store in one step; each is a transaction of its own.
const GUESTS: i64 = 50;
/// Merges of one transaction; each may have thousands of items.
const MERGES: i64 = 5;
/// Rows of one transaction.
const ROWS: i64 = 500;

/// The night whose clean-up this node has finished. A node that has just started does not know of one; to look once more
/// costs little.
pub struct LastNight(AtomicI64);

impl Default for LastNight {
    fn default() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }
}

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
    let now = app.world.now();
    let night = (now - BEGIN).div_euclid(24 * HOUR);
    if app.last_night.0.load(Ordering::Relaxed) == night {
        return Ok(Rest::UntilWoken);
    }
    let by = Operator::of_this_machine();
    let mut more = app.store.write(ClearRemains { by, most: ROWS }).await?;
    for store in app.store.read(ListStores { by }).await? {
        let store_id = store.store_id;
        more |= app.store.write(ForgetAnswers { by, store_id, now, most: ROWS }).await? > 0;
        more |= app.store.write(ForgetMerges { by, store_id, before: now - UNDO_TIME, limit: MERGES }).await? > 0;
        for guest in app.store.read(FindExpiredGuests { by, store, now, most: GUESTS }).await? {
            app.store.write(guest).await?;
            more = true;
        }
    }
    if more {
        return Ok(Rest::Short);
    }
    app.last_night.0.store(night, Ordering::Relaxed);
    Ok(Rest::UntilWoken)
}
