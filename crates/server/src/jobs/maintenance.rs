//! Maintenance of the whole server: a row in the database that every node looks at, so that requests need not.

use std::sync::Arc;
use std::time::Duration;

use wishbone_core::stores::maintenance::InMaintenance;

use crate::app::App;
use crate::supervisor;

/// Operators are promised a second.
const LOOK: Duration = Duration::from_millis(500);

/// Looks once now, so that not one request slips in, and then again and again.
pub async fn watch(app: &Arc<App>) {
    look(app).await;
    let app = Arc::downgrade(app);
    supervisor::start("maintenance", async move {
        loop {
            tokio::time::sleep(LOOK).await;
            let Some(app) = app.upgrade() else { return };
            look(&app).await;
        }
    });
}

/// When the database cannot be asked, things stay as they are.
pub async fn look(app: &App) {
    match app.database.read(InMaintenance).await {
        Ok(on) => {
            if on != app.is_in_maintenance() {
                tracing::info!(on, "maintenance");
            }
            app.set_maintenance(on);
        }
        Err(error) => tracing::debug!(cause = error.cause, "cannot look whether there is maintenance"),
    }
}
