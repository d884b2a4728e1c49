//! Measures the backlog of alerts, for the metrics.

use std::time::Duration;

use wishbone_core::alerts::backlog::{Backlog, MeasureBacklog};
use wishbone_core::error::Result;
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::FindStores;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

pub(super) struct MeasureAlerts;

impl Job for MeasureAlerts {
    const NAME: &'static str = "measure alerts";
    const PAUSE: Duration = Duration::from_secs(30);

    async fn step(app: &App) -> Result<Rest> {
        let Backlog { waiting, due, oldest } = measure(app).await?;
        metrics::gauge!("wishbone_alerts_waiting").set(waiting as f64);
        metrics::gauge!("wishbone_alerts_due").set(due as f64);
        metrics::gauge!("wishbone_alerts_oldest_due_seconds").set(oldest as f64 / 1_000.0);
        Ok(Rest::UntilWoken)
    }
}

/// Measures the backlog of all stores. If that fails, a part of a sharded database may be away: then it is that of the
/// stores that do not fail.
pub async fn measure(app: &App) -> Result<Backlog> {
    let (by, now) = (Operator::of_this_machine(), app.environment.now());
    let stores = app.database.read(FindStores { by }).await?;
    if let Ok(all) = app.database.read_long(MeasureBacklog { by, stores: stores.clone(), now }).await {
        return Ok(all);
    }
    let mut all = Backlog::default();
    for store_id in stores {
        match app.database.read_long(MeasureBacklog { by, stores: vec![store_id], now }).await {
            Ok(backlog) => all = all.and(backlog),
            Err(error) => tracing::debug!(store_id, cause = error.cause, "cannot measure the alerts of a store"),
        }
    }
    Ok(all)
}
