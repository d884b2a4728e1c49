//! Measures the backlog of alerts, for the metrics.

use std::time::Duration;

use wishbone_core::alerts::backlog::{Backlog, MeasureBacklog};
use wishbone_core::error::Result;
use wishbone_core::operator::Operator;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

pub(super) struct MeasureAlerts;

impl Job for MeasureAlerts {
    const NAME: &'static str = "measure alerts";
    const PAUSE: Duration = Duration::from_secs(30);

    async fn step(app: &App) -> Result<Rest> {
        let measure = MeasureBacklog { by: Operator::of_this_machine(), now: app.environment.now() };
        let Backlog { waiting, due, oldest } = app.database.read_long(measure).await?;
        metrics::gauge!("wishbone_alerts_waiting").set(waiting as f64);
        metrics::gauge!("wishbone_alerts_due").set(due as f64);
        metrics::gauge!("wishbone_alerts_oldest_due_seconds").set(oldest as f64 / 1_000.0);
        Ok(Rest::UntilWoken)
    }
}
