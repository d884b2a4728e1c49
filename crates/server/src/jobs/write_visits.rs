//! Writes buffered guest visits.

use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::privacy::guest_expiry::RecordVisits;

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
    let visits = app.visits.take();
    if visits.is_empty() {
        return Ok(Rest::UntilWoken);
    }
    app.database.write(RecordVisits { visits }).await?;
    Ok(Rest::Short)
}
