//! Queues reminders of wishlists that nobody has touched for long; the mail queue sends them.

use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::mail::reminders::{HasUntouched, QueueReminders};
use wishbone_core::operator::Operator;
use wishbone_core::stores::manage::ListStores;
use wishbone_core::stores::record::StoreRecord;

use crate::app::App;
use crate::jobs::job::{Job, Rest};
use crate::mail::mailer::Mailer;

pub(super) struct SendReminders;

impl Job for SendReminders {
    const NAME: &'static str = "send reminders";
    const PAUSE: Duration = Duration::from_secs(30);

    async fn step(app: &App) -> Result<Rest> {
        queue_due(app).await
    }
}

/// Queues a batch of reminders of every store that is due for one.
pub async fn queue_due(app: &App) -> Result<Rest> {
    let Some(mailer) = &app.mailer else { return Ok(Rest::UntilWoken) };
    let by = Operator::of_this_machine();
    let mut outcome = Ok(());
    for store in app.database.read(ListStores { by }).await? {
        // A store whose reminders fail does not stop the others.
        if let Err(error) = queue_of_store(app, mailer, store).await {
            outcome = Err(error);
        }
    }
    outcome.map(|()| Rest::UntilWoken)
}

async fn queue_of_store(app: &App, mailer: &Mailer, store: StoreRecord) -> Result<()> {
    let (by, moment) = (Operator::of_this_machine(), app.environment.moment());
    let Some(untouched) = HasUntouched::of(by, &store, moment.now) else { return Ok(()) };
    if !app.database.read(untouched).await? {
        return Ok(());
    }
    let (store_id, domain) = (store.store_id, mailer.domain().to_owned());
    let count = app.database.write(QueueReminders { by, store, domain, moment }).await?;
    if count > 0 {
        tracing::info!(store_id, count, "reminders queued");
        app.new_mail.notify_one();
    }
    Ok(())
}
