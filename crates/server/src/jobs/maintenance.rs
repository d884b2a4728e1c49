//! Maintenance mode of the whole server: a row in the database that every node polls, so that requests need not.

use std::sync::Arc;
use std::time::Duration;

use wishbone_core::stores::maintenance::InMaintenance;

use crate::app::App;
use crate::supervisor;

/// Polling interval. The documentation promises that nodes follow within a second.
const POLL: Duration = Duration::from_millis(500);

/// Reads the state now, before the first request is served, and polls it from then on.
pub async fn watch(app: &Arc<App>) {
    poll(app).await;
    let app = Arc::downgrade(app);
    supervisor::start("maintenance", async move {
        loop {
            tokio::time::sleep(POLL).await;
            let Some(app) = app.upgrade() else { return };
            poll(&app).await;
        }
    });
}

/// Reads the state. If the database is unavailable, the last known state stays in effect.
pub async fn poll(app: &App) {
    match app.database.read(InMaintenance).await {
        Ok(on) => {
            if on != app.is_in_maintenance() {
                tracing::info!(on, "maintenance changed");
            }
            app.set_maintenance(on);
        }
        Err(error) => tracing::debug!(cause = error.cause, "cannot read the maintenance state"),
    }
}
