//! Finds out whether the database accepts writes, for `/readyz`: reads go on when its disk is full or read-only.

use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::operator::Operator;
use wishbone_core::stores::maintenance::ProbeWrite;
use wishbone_storage::Error;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

pub(super) struct ProbeWrites;

impl Job for ProbeWrites {
    const NAME: &'static str = "probe writes";
    const PAUSE: Duration = Duration::from_secs(5);

    async fn step(app: &App) -> Result<Rest> {
        probe(app).await;
        Ok(Rest::UntilWoken)
    }
}

/// Makes one write. A busy database accepts writes.
pub async fn probe(app: &App) {
    let write = ProbeWrite { by: Operator::of_this_machine(), now: app.environment.now() };
    let problem = match app.database.write(write).await {
        Ok(()) | Err(Error::Busy | Error::Conflict | Error::Timeout | Error::OutcomeUnknown(_)) => None,
        Err(error) => Some(error.to_string()),
    };
    match (&problem, app.write_problem()) {
        (Some(problem), None) => tracing::error!(problem, "the database accepts no writes"),
        (None, Some(_)) => tracing::info!("the database accepts writes again"),
        _ => {}
    }
    app.set_write_problem(problem);
}
