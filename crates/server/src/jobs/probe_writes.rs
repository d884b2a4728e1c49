//! Finds out whether the database accepts writes, for `/readyz`: reads go on when its disk is full or read-only.

use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::error::Result;
use wishbone_core::operator::Operator;
use wishbone_core::stores::maintenance::ProbeWrite;
use wishbone_storage::Error;

use crate::app::App;
use crate::jobs::job::{Job, Rest};
use crate::outage::DatabaseProblem;

pub(super) struct ProbeWrites;

impl Job for ProbeWrites {
    const NAME: &'static str = "probe writes";
    const PAUSE: Duration = Duration::from_secs(5);

    async fn step(app: &App) -> Result<Rest> {
        probe(app).await;
        Ok(Rest::UntilWoken)
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.probe_writes)
    }
}

/// Makes one write. A busy database accepts writes, and so does the rest of a sharded one.
pub async fn probe(app: &App) {
    let write = ProbeWrite { by: Operator::of_this_machine(), now: app.environment.now() };
    let problem = match app.database.write(write).await {
        Ok(()) | Err(Error::Busy | Error::Conflict | Error::ShardUnavailable(_)) => None,
        // Reads go on, as when a synchronous standby is away.
        Err(Error::Timeout | Error::OutcomeUnknown(_)) => {
            Some(DatabaseProblem { text: "the database does not complete writes in time".to_owned(), is_outage: false })
        }
        Err(error) => {
            Some(DatabaseProblem { text: format!("the database accepts no writes: {error}"), is_outage: true })
        }
    };
    match (&problem, app.write_problem()) {
        (Some(problem), None) => tracing::error!("{}", problem.text),
        (None, Some(_)) => tracing::info!("the database accepts writes again"),
        _ => {}
    }
    app.set_write_problem(problem);
}
