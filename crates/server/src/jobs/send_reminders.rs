//! Queues reminders of wishlists that nobody has touched for long; the mail queue sends them.

use std::time::Duration;

use wishbone_core::error::Result;
use wishbone_core::mail::reminders::{FindUntouched, QueueReminders};
use wishbone_core::operator::Operator;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

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
    for store in app.database.read(FindUntouched { by, now: app.environment.now() }).await? {
        let (store_id, domain, moment) = (store.store_id, mailer.domain().to_owned(), app.environment.moment());
        // A store whose reminders fail does not stop the others.
        match app.database.write(QueueReminders { by, store, domain, moment }).await {
            Ok(0) => {}
            Ok(count) => {
                tracing::info!(store_id, count, "reminders queued");
                app.new_mail.notify_one();
            }
            Err(error) => outcome = Err(error),
        }
    }
    outcome.map(|()| Rest::UntilWoken)
}
