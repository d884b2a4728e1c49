//! Dispatches events of the catalogue, and sends the alerts that are due.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use tokio::sync::Notify;
use tokio::time::sleep;
use wishbone_core::alerts::delivery::{ClaimedAlert, DueAlert, FindDueAlerts};
use wishbone_core::alerts::digest::{ClaimAlerts, RecordAlerts};
use wishbone_core::alerts::dispatch::{DispatchEvent, FindDueEvents};
use wishbone_core::error::{Code, Result};
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::mail::queue::{Delivery, DeliveryState};
use wishbone_core::operator::Operator;
use wishbone_core::subscriptions::medium::Medium;

use crate::app::App;
use crate::jobs::job::{Job, Rest};
use crate::jobs::send_mail::PAUSES;
use crate::jobs::sms::send_sms;
use crate::mail::attempt::Attempt;
use crate::mail::letterhead::Letterhead;
use crate::mail::mailer::Mailer;
use crate::mail::transport::Transport;

/// Events of one store in one step.
const EVENTS: i64 = 20;
/// Alerts of one store in one step.
const BATCH: i64 = 100;
/// Stores whose alerts are sent at the same time.
const STORES_AT_ONCE: usize = 16;
/// Alerts of one store that are on their way at the same time.
const AT_ONCE: usize = 4;
/// So many or fewer are sent one after the other: whoever has waited longest is told first, to the second.
const IN_SEQUENCE: usize = 10;
/// Time for the alerts of one store in one step, so that a slow gateway does not delay other stores.
const STORE_TIME: Duration = Duration::from_secs(10);

pub(super) struct SendAlerts;

impl Job for SendAlerts {
    const NAME: &'static str = "send alerts";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn step(app: &App) -> Result<Rest> {
        send_due(app).await
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.new_alert)
    }
}

/// Dispatches and sends what is due now, up to a batch of every store.
pub async fn send_due(app: &App) -> Result<Rest> {
    let Some(mailer) = &app.mailer else { return Ok(Rest::UntilWoken) };
    let by = Operator::of_this_machine();
    let now = app.environment.now();
    let events = app.database.read(FindDueEvents { by, now, limit: EVENTS }).await?;
    let mut outcome = Ok(());
    let has_events = !events.is_empty();
    for event in events {
        // An event that cannot be dispatched does not stop the others.
        if let Err(error) = app.database.write(DispatchEvent { by, event, now }).await {
            outcome = Err(error);
        }
    }
    let due = app.database.read(FindDueAlerts { by, now, limit: BATCH }).await?;
    let has_alerts = !due.is_empty();
    let stores = stream::iter(due).map(|due| send_of_store(app, mailer, due)).buffer_unordered(STORES_AT_ONCE);
    for sent in stores.collect::<Vec<Result<()>>>().await {
        outcome = outcome.and(sent);
    }
    outcome?;
    let is_idle = app.is_draining() || !(has_events || has_alerts);
    Ok(if is_idle { Rest::UntilWoken } else { Rest::None })
}

async fn send_of_store(app: &App, mailer: &Mailer, due: Vec<DueAlert>) -> Result<()> {
    let started = Instant::now();
    let at_once = if due.len() <= IN_SEQUENCE { 1 } else { AT_ONCE };
    let sends = stream::iter(due).map(|alert| async move {
        if started.elapsed() < STORE_TIME { send(app, mailer, alert).await } else { Ok(()) }
    });
    // All of them to their end, also when the database fails one: an alert that is cut off on its way may be sent twice.
    sends.buffered(at_once).collect::<Vec<Result<()>>>().await.into_iter().collect()
}

async fn send(app: &App, mailer: &Mailer, alert: DueAlert) -> Result<()> {
    // Another node, or the next start, will: one that is cut off on its way may be sent twice.
    if app.is_draining() {
        return Ok(());
    }
    let by = Operator::of_this_machine();
    let alerts = app.database.write(ClaimAlerts { by, alert, moment: app.environment.moment() }).await?;
    let Some(first) = alerts.first() else { return Ok(()) };
    let (id, medium, count) = (first.due.id(), first.medium, alerts.len());
    let Attempt { delivery, summary: problem } = attempt(app, mailer, first, &alerts).await?;
    let state = record(app, RecordAlerts { by, alerts, delivery, moment: app.environment.moment() }).await?;
    let outcome = match state {
        DeliveryState::Sent => "sent",
        DeliveryState::Waiting => "retry",
        DeliveryState::Failed => "failed",
    };
    metrics::counter!("wishbone_alerts_total", "outcome" => outcome).increment(count as u64);
    let is_written = medium == Medium::Email && matches!(mailer.transport, Transport::Outbox(_));
    match state {
        DeliveryState::Sent if is_written => tracing::info!(subscription = %id, count, "alert written to outbox"),
        DeliveryState::Sent => tracing::info!(subscription = %id, count, "alert sent"),
        DeliveryState::Waiting => tracing::warn!(subscription = %id, count, problem, "alert not sent: retrying later"),
        DeliveryState::Failed => tracing::error!(subscription = %id, count, problem, "alert failed: no more attempts"),
    }
    Ok(())
}

/// Makes one attempt to send alerts to one address; `alert` is the first of them.
async fn attempt(app: &App, mailer: &Mailer, alert: &ClaimedAlert, alerts: &[ClaimedAlert]) -> Result<Attempt> {
    let by = alert.link.recipient;
    let context = app.database.read(FindMailContext { by, address: Some(alert.address.clone()) }).await?;
    let Some(context) = context else {
        let summary = "the store does not exist".to_owned();
        return Ok(Attempt { delivery: Delivery::Never(summary.clone()), summary });
    };
    let letterhead = Letterhead::of_context(context);
    Ok(match alert.medium {
        Medium::Email => mailer.send_alerts(&app.keys, &letterhead, alerts).await,
        Medium::Sms => {
            let text = mailer.sms_alert(&app.keys, &letterhead, alert);
            send_sms(app, &alert.store, &alert.address, &text).await?
        }
    })
}

/// Writes down how it went, with patience: an alert that was sent and is not recorded would be sent again.
async fn record(app: &App, result: RecordAlerts) -> Result<DeliveryState> {
    for pause in PAUSES {
        match app.database.write(result.clone()).await {
            // Recording it twice does no harm.
            Err(error) if matches!(error.code, Code::Overloaded | Code::OutcomeUnknown) => sleep(pause).await,
            recorded => return recorded,
        }
    }
    app.database.write(result).await
}
