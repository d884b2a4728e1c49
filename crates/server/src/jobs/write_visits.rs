//! Writes buffered guest visits.

use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::privacy::guest_expiry::{RecordVisits, Visit};

use crate::app::App;
use crate::jobs::job::{Job, Rest};

pub(super) struct WriteVisits;

impl Job for WriteVisits {
    const NAME: &'static str = "write visits";
    const PAUSE: Duration = Duration::from_secs(10);

    async fn step(app: &App) -> Result<Rest> {
        write_visits(app).await
    }
}

/// Writes a batch of buffered visits.
pub async fn write_visits(app: &App) -> Result<Rest> {
    let mut visits = app.visits.take();
    if visits.is_empty() {
        return Ok(Rest::UntilWoken);
    }
    visits.sort_unstable_by_key(Visit::guest);
    let mut outcome = Ok(Rest::Short);
    // A transaction per store, so that each is on one shard, and one that fails does not stop the others.
    for visits in visits.chunk_by(|a, b| a.guest().0 == b.guest().0) {
        if let Err(error) = app.database.write(RecordVisits { visits: visits.to_vec() }).await {
            outcome = Err(error);
        }
    }
    outcome
}
