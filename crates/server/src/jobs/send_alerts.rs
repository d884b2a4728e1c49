//! Sends the alerts that are due. Every store is served on its own, and every alert keeps only its own slot while the mail
//! server hangs, so that neither delays others.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tracing::Instrument;
use wishbone_core::alerts::claim::ClaimedAlert;
use wishbone_core::alerts::digest::{ClaimAlerts, RecordAlerts};
use wishbone_core::alerts::queue::{DueAlert, FindDueAlerts};
use wishbone_core::error::{Error, Result};
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::mail::medium::Medium;
use wishbone_core::mail::record::{Delivery, DeliveryState};
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::Work;

use crate::app::App;
use crate::jobs::dispatch_events::dispatch_due;
use crate::jobs::job::Rest;
use crate::jobs::record;
use crate::jobs::sms::send_sms;
use crate::mail::attempt::Attempt;
use crate::mail::mailer::Mailer;
use crate::mail::transport::Transport;
use crate::shutdown::ShutdownPhase;
use crate::spans;
use crate::supervisor;

const NAME: &str = "send alerts";
/// Polling interval, for alerts that another node made due, and for those that are repeated.
const PAUSE: Duration = Duration::from_millis(500);
/// Before a store is served again after a failure of the database.
const FAILURE_PAUSE: Duration = Duration::from_secs(2);
/// Alerts of one store that are looked up at a time.
const BATCH: i64 = 100;
/// Stores whose alerts are sent at the same time.
const STORES_AT_ONCE: usize = 16;
/// Alerts of one store that are on their way at the same time.
const AT_ONCE: usize = 4;
/// The same while the mail server does not reply to some of them.
const MAX_AT_ONCE: usize = 32;
/// So many or fewer are sent one after the other: whoever has waited longest is told first, to the second.
const IN_SEQUENCE: usize = 10;
/// Alerts in sequence wait no longer for the one before.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time for the alerts of one store while other stores wait for their turn.
const STORE_TIME: Duration = Duration::from_secs(10);

pub(super) fn start(app: &Arc<App>, stop: &watch::Receiver<ShutdownPhase>, alive: &mpsc::Sender<()>) {
    let (app, mut stop, alive) = (Arc::clone(app), stop.clone(), alive.clone());
    supervisor::start(NAME, async move {
        let others_wait = AtomicBool::new(false);
        let mut sending = FuturesUnordered::new();
        let mut busy: HashSet<i64> = HashSet::new();
        let mut last = None;
        while *stop.borrow() == ShutdownPhase::Running {
            let mut due = find_due_stores(&app).await.unwrap_or_else(|error| {
                log_failure(&error);
                Vec::new()
            });
            // Stores take turns.
            let next = due.partition_point(|store| Some(*store) <= last);
            due.rotate_left(next);
            due.retain(|store| !busy.contains(store));
            let free = STORES_AT_ONCE.saturating_sub(busy.len());
            others_wait.store(due.len() > free, Ordering::Relaxed);
            for store in due.into_iter().take(free) {
                last = Some(store);
                busy.insert(store);
                sending.push(serve(&app, store, &others_wait).map(move |()| store));
            }
            let mut pause = std::pin::pin!(sleep(PAUSE));
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    () = app.due_alert.notified() => break,
                    Some(store) = sending.next() => {
                        busy.remove(&store);
                        if others_wait.load(Ordering::Relaxed) { break }
                    }
                    _ = stop.wait_for(|phase| *phase >= ShutdownPhase::Draining) => break,
                }
            }
        }
        // No other alert is sent, but those on their way are recorded.
        while sending.next().await.is_some() {}
        drop(alive);
    });
}

async fn find_due_stores(app: &App) -> Result<Vec<i64>> {
    if app.mailer.is_none() {
        return Ok(Vec::new());
    }
    app.stores_with(Work::Alerts).await
}

/// Sends the alerts of a store. A panic counts as a failure.
async fn serve(app: &App, store_id: i64, others_wait: &AtomicBool) {
    let sent = AssertUnwindSafe(send_of_store(app, store_id, others_wait)).catch_unwind().await;
    if let Err(error) = sent.unwrap_or_else(|_| Err(Error::internal("the step panicked"))) {
        log_failure(&error);
        sleep(FAILURE_PAUSE).await;
    }
}

fn log_failure(error: &Error) {
    tracing::warn!(job = NAME, cause = error.cause, %error, "job step failed: retrying");
}

/// Dispatches and sends what is due now, without the job.
pub async fn send_due(app: &App) -> Result<Rest> {
    let rest = dispatch_due(app).await?;
    let stores = find_due_stores(app).await?;
    let is_idle = rest == Rest::UntilWoken && stores.is_empty();
    let others_wait = AtomicBool::new(false);
    let sends = stores.into_iter().map(|store| send_of_store(app, store, &others_wait));
    join_all(sends).await.into_iter().collect::<Result<()>>()?;
    Ok(if is_idle || app.is_draining() { Rest::UntilWoken } else { Rest::None })
}

/// Sends the due alerts of a store, oldest first, until none is left or it is the turn of other stores.
async fn send_of_store(app: &App, store_id: i64, others_wait: &AtomicBool) -> Result<()> {
    let Some(mailer) = &app.mailer else { return Ok(()) };
    let started = Instant::now();
    let mut queue = find_due(app, store_id).await?.into_iter();
    let mut slots = if queue.len() <= IN_SEQUENCE { 1 } else { AT_ONCE };
    let mut sending = FuturesUnordered::new();
    let mut outcome = Ok(());
    let mut may_claim = true;
    loop {
        let is_over = app.is_draining() || others_wait.load(Ordering::Relaxed) && started.elapsed() > STORE_TIME;
        // What is sent meanwhile makes room for the next round, which waits for its pace.
        let (room, mut claimed) = (slots.saturating_sub(sending.len()), 0);
        if may_claim && !is_over {
            meanwhile(&mut sending, &mut outcome, app.pacing.wait(room)).await;
        }
        while may_claim && !is_over && claimed < room {
            // An alert that failed is still due: the others of its batch are sent, and the store is served again later.
            if queue.len() == 0 && outcome.is_ok() {
                let found = meanwhile(&mut sending, &mut outcome, find_due(app, store_id)).await;
                queue = found.inspect_err(log_failure).unwrap_or_default().into_iter();
                slots = if queue.len() > IN_SEQUENCE { AT_ONCE } else { slots };
            }
            if queue.len() == 0 {
                break;
            }
            // Those that are being sent must not wait for a slot, since they hold some.
            let slot = if sending.is_empty() { Some(mailer.slots.take().await) } else { mailer.slots.try_take() };
            let (Some(slot), Some(alert)) = (slot, queue.next()) else { break };
            // One after the other, so that claims wait neither for each other nor for connections to the database.
            claimed += 1;
            match meanwhile(&mut sending, &mut outcome, claim(app, alert)).await {
                Ok(alerts) if alerts.is_empty() => {}
                Ok(alerts) => {
                    sending.push(slot.hold(send(app, mailer, alerts).instrument(spans::delivery("send alert"))))
                }
                Err(error) => outcome = Err(error),
            }
        }
        // All of them to their end, also when the database fails one: an alert that is cut off may be sent twice.
        match timeout(PATIENCE, sending.next()).await {
            Ok(Some(sent)) => {
                outcome = outcome.and(sent);
                // Beside requests, alerts are sent in bursts: every commit costs those who read.
                may_claim = sending.is_empty() || !app.pacing.is_busy();
            }
            Ok(None) if claimed == 0 => return outcome,
            Ok(None) => may_claim = true,
            // Those that hang do not hold up the others.
            Err(_) => (slots, may_claim) = ((sending.len() + 1).clamp(AT_ONCE, MAX_AT_ONCE), true),
        }
    }
}

/// Awaits other work while alerts are sent: what was sent and is not recorded is sent again after a crash, so that recording
/// it waits for nothing.
async fn meanwhile<T>(
    sending: &mut FuturesUnordered<impl Future<Output = Result<()>>>,
    outcome: &mut Result<()>,
    work: impl Future<Output = T>,
) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            Some(sent) = sending.next() => {
                if let (Ok(()), Err(error)) = (&outcome, sent) {
                    *outcome = Err(error);
                }
            }
            out = &mut work => return out,
        }
    }
}

async fn find_due(app: &App, store_id: i64) -> Result<Vec<DueAlert>> {
    let (by, now) = (Operator::of_this_machine(), app.environment.now());
    app.database.read(FindDueAlerts { by, store_id, now, limit: BATCH }).await
}

/// Claims an alert, and the others of its digest.
async fn claim(app: &App, alert: DueAlert) -> Result<Vec<ClaimedAlert>> {
    app.database.write(ClaimAlerts { by: Operator::of_this_machine(), alert, moment: app.environment.moment() }).await
}

/// Sends claimed alerts to one address, and records the result.
async fn send(app: &App, mailer: &Mailer, alerts: Vec<ClaimedAlert>) -> Result<()> {
    let Some(first) = alerts.first() else { return Ok(()) };
    let (by, id, medium, count) = (Operator::of_this_machine(), first.due.id(), first.medium, alerts.len());
    let Attempt { delivery, summary: problem } = attempt(app, mailer, first, &alerts).await?;
    let state = record::record(
        app,
        RecordAlerts { by, alerts, delivery, moment: app.environment.moment() },
        record::MAIL_PAUSES,
    )
    .await?;
    let outcome = match state {
        DeliveryState::Sent => "sent",
        DeliveryState::Waiting => "retry",
        DeliveryState::Failed => "failed",
    };
    metrics::counter!("wishbone_alerts_total", "outcome" => outcome).increment(count as u64);
    spans::record_outcome(id, outcome);
    let is_written = medium == Medium::Email && matches!(mailer.transport, Transport::Outbox(_));
    match state {
        DeliveryState::Sent if is_written => tracing::info!(subscription = %id, count, "alert written to outbox"),
        DeliveryState::Sent => tracing::info!(subscription = %id, count, "alert sent"),
        DeliveryState::Waiting => tracing::warn!(subscription = %id, count, problem, "alert not sent: retrying later"),
        DeliveryState::Failed => tracing::error!(subscription = %id, count, problem, "alert failed: not retried"),
    }
    Ok(())
}

/// Makes one attempt to send alerts to one address; `alert` is the first of them.
async fn attempt(app: &App, mailer: &Mailer, alert: &ClaimedAlert, alerts: &[ClaimedAlert]) -> Result<Attempt> {
    let by = alert.link.recipient;
    let context = app
        .database
        .read(FindMailContext { by, address: Some(alert.address.clone()), for_confirmation: false })
        .await?;
    let Some(context) = context else {
        let summary = "the store does not exist".to_owned();
        return Ok(Attempt { delivery: Delivery::Never(summary.clone()), summary });
    };
    Ok(match alert.medium {
        Medium::Email => mailer.send_alerts(&app.renders, &app.keys, context, alerts).await,
        Medium::Sms => match mailer.sms_alert(&app.renders, &app.keys, context, alert).await {
            Ok(text) => send_sms(app, &alert.store, &alert.address, &text).await?,
            Err(error) => Attempt::later(error.message),
        },
    })
}
