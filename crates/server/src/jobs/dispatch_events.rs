//! Dispatches events of the catalogue: makes the alerts due that they reach.

use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::alerts::dispatch::{DispatchEvent, FindDueEvents};
use wishbone_core::error::Result;
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::Work;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

/// Events of one store in one step.
const EVENTS: i64 = 20;

pub(super) struct DispatchEvents;

impl Job for DispatchEvents {
    const NAME: &'static str = "dispatch events";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn step(app: &App) -> Result<Rest> {
        dispatch_due(app).await
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.new_alert)
    }
}

/// Dispatches a part of every event that is due now.
pub async fn dispatch_due(app: &App) -> Result<Rest> {
    let mut outcome = Ok(Rest::UntilWoken);
    for store_id in app.stores_with(Work::AlertEvents).await? {
        // A store that fails does not stop the others.
        match dispatch_of_store(app, store_id).await {
            Ok(0) => {}
            // The alerts that are due already take longer to send.
            Ok(_) => outcome = outcome.map(|_| Rest::Short),
            Err(error) => outcome = Err(error),
        }
    }
    outcome
}

/// Dispatches a part of every due event of a store. Returns how many events there were.
async fn dispatch_of_store(app: &App, store_id: i64) -> Result<usize> {
    let (by, now) = (Operator::of_this_machine(), app.environment.now());
    let events = app.database.read(FindDueEvents { by, store_id, now, limit: EVENTS }).await?;
    let count = events.len();
    let mut outcome = Ok(count);
    for event in events {
        // An event that cannot be dispatched does not stop the others.
        if let Err(error) = app.database.write(DispatchEvent { by, event, now }).await {
            outcome = Err(error);
        }
    }
    if count > 0 {
        app.due_alert.notify_one();
    }
    outcome
}
