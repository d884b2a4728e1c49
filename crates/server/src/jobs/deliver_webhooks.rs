//! Delivers events to webhooks. Every endpoint is served on its own, so that one that hangs delays no other.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tracing::Instrument;
use wishbone_core::error::{Error, Result};
use wishbone_core::moment::{DAY, Millis};
use wishbone_core::operator::Operator;
use wishbone_core::stores::manage::ListStores;
use wishbone_core::stores::record::StoreRecord;
use wishbone_core::stores::work::Work;
use wishbone_core::webhooks::claim::{ClaimQueue, ClaimedDelivery};
use wishbone_core::webhooks::endpoints::DisableWebhook;
use wishbone_core::webhooks::queue::{CountWaiting, DueWebhook, FindDueQueues, FindDueWebhooks, FindEnabledWebhooks};
use wishbone_core::webhooks::record::{DISABLE_TIME, DeliveryState, RecordAttempt};

use crate::app::App;
use crate::jobs::record;
use crate::shutdown::ShutdownPhase;
use crate::spans;
use crate::supervisor;
use crate::webhooks::attempt;

const NAME: &str = "deliver webhooks";
/// Polling interval: an event is sent within about this time.
const PAUSE: Duration = Duration::from_secs(1);
/// Requests to one endpoint at the same time, each about another subject.
const AT_ONCE: usize = 4;
/// Due queues that are looked up at a time.
const QUEUES: i64 = 100;
/// Deliveries of one queue in a row.
const SLICE: usize = 100;
/// Endpoints that are served at the same time, in all and of one store.
const MAX_ENDPOINTS: usize = 256;
const MAX_ENDPOINTS_OF_STORE: usize = 8;
/// Polls between updates of the gauges.
const POLLS_PER_COUNT: u64 = 15;
/// Waiting deliveries of one endpoint that are counted; more are not told apart.
const MAX_COUNT: i64 = 10_000;

pub(super) fn start(app: &Arc<App>, stop: &watch::Receiver<ShutdownPhase>, alive: &mpsc::Sender<()>) {
    let (app, mut stop, alive) = (Arc::clone(app), stop.clone(), alive.clone());
    supervisor::start(NAME, async move {
        let mut running = FuturesUnordered::new();
        let mut busy: HashSet<DueWebhook> = HashSet::new();
        for poll in 0.. {
            if *stop.borrow() != ShutdownPhase::Running {
                break;
            }
            match find_due(&app, &busy).await {
                Ok(due) => {
                    for webhook in due {
                        busy.insert(webhook);
                        running.push(guarded(&app, webhook).map(move |()| webhook));
                    }
                }
                Err(error) => log_failure(&error),
            }
            if poll % POLLS_PER_COUNT == 0
                && let Err(error) = count_waiting(&app).await
            {
                tracing::debug!(job = NAME, cause = error.cause, "cannot count waiting deliveries");
            }
            let mut pause = std::pin::pin!(sleep(PAUSE));
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    Some(webhook) = running.next() => { busy.remove(&webhook); }
                    _ = stop.wait_for(|phase| *phase >= ShutdownPhase::Draining) => break,
                }
            }
        }
        // Each ends with its current request.
        while running.next().await.is_some() {}
        drop(alive);
    });
}

/// Delivers everything that is due now.
pub async fn deliver_due(app: &App) -> Result<()> {
    let due = find_due(app, &HashSet::new()).await?;
    let all: Vec<Result<()>> =
        due.into_iter().map(|webhook| deliver(app, webhook)).collect::<FuturesUnordered<_>>().collect().await;
    all.into_iter().collect()
}

/// Due endpoints that are not served yet, the longest due first, within the limits.
async fn find_due(app: &App, busy: &HashSet<DueWebhook>) -> Result<Vec<DueWebhook>> {
    let (by, now) = (Operator::of_this_machine(), app.environment.now());
    let mut due = Vec::new();
    for store_id in app.stores_with(Work::Webhooks).await? {
        match app.database.read(FindDueWebhooks { by, store_id, now }).await {
            Ok(webhooks) => due.extend(webhooks),
            Err(error) => log_failure(&error),
        }
    }
    due.sort_unstable_by_key(|(since, _)| *since);
    let oldest = due.first().map_or(0, |(since, _)| now - since);
    metrics::gauge!("wishbone_webhook_oldest_due_seconds").set(oldest as f64 / 1_000.0);
    let mut chosen: Vec<DueWebhook> = Vec::new();
    for (_, webhook) in due {
        let is_served = |other: &&DueWebhook| other.store_id == webhook.store_id;
        let of_store = busy.iter().filter(is_served).count() + chosen.iter().filter(is_served).count();
        let has_room = busy.len() + chosen.len() < MAX_ENDPOINTS && of_store < MAX_ENDPOINTS_OF_STORE;
        if has_room && !busy.contains(&webhook) {
            chosen.push(webhook);
        }
    }
    Ok(chosen)
}

fn log_failure(error: &Error) {
    tracing::warn!(job = NAME, cause = error.cause, %error, "job step failed: retrying");
}

async fn count_waiting(app: &App) -> Result<()> {
    let by = Operator::of_this_machine();
    let mut waiting = 0;
    let stores = app.database.read(ListStores { by }).await?;
    for StoreRecord { store_id, .. } in stores.into_iter().filter(|store| store.webhook_events != 0) {
        for webhook in app.database.read(FindEnabledWebhooks { by, store_id }).await? {
            waiting += app.database.read(CountWaiting { by, webhook, limit: MAX_COUNT }).await?;
        }
    }
    metrics::gauge!("wishbone_webhook_deliveries_waiting").set(waiting as f64);
    Ok(())
}

/// Serves an endpoint. A failure or a panic ends it until the next poll.
async fn guarded(app: &App, webhook: DueWebhook) {
    let outcome = AssertUnwindSafe(deliver(app, webhook)).catch_unwind().await;
    if let Err(error) = outcome.unwrap_or_else(|_| Err(Error::internal("the delivery panicked"))) {
        let id = webhook.webhook_id;
        tracing::warn!(job = NAME, webhook = %id, cause = error.cause, %error, "job step failed: retrying");
    }
}

/// Serves an endpoint until none of its queues is due. An event whose request hangs holds up only its own queue.
async fn deliver(app: &App, webhook: DueWebhook) -> Result<()> {
    let by = Operator::of_this_machine();
    let mut queues = Vec::new().into_iter();
    let mut sending = FuturesUnordered::new();
    let mut outcome = Ok(());
    loop {
        while outcome.is_ok() && !app.is_draining() && sending.len() < AT_ONCE {
            if queues.len() == 0 {
                let find = FindDueQueues { by, webhook, now: app.environment.now(), limit: QUEUES };
                match app.of_job(app.database.read(find)).await {
                    Ok(found) => queues = found.into_iter(),
                    Err(error) => outcome = Err(error),
                }
            }
            let Some(queue) = queues.next() else { break };
            let claim = ClaimQueue { by, queue, now: app.environment.now() };
            match app.of_job(app.database.write(claim)).await {
                Ok(Some(first)) => sending.push(deliver_queue(app, first)),
                Ok(None) => {}
                Err(error) => outcome = Err(error),
            }
        }
        // All of them to their end, also when the database fails one: an event that is cut off is delivered twice.
        match timeout(PAUSE, sending.next()).await {
            Ok(Some(delivered)) => outcome = outcome.and(delivered),
            Ok(None) => return outcome,
            Err(_) => {}
        }
    }
}

/// Delivers the events of a claimed queue, from its first.
async fn deliver_queue(app: &App, first: ClaimedDelivery) -> Result<()> {
    let mut claimed = Some(first);
    let mut sent = 0;
    while let Some(delivery) = claimed {
        sent += 1;
        claimed = deliver_event(app, delivery, sent < SLICE).instrument(spans::delivery("deliver webhook")).await?;
    }
    Ok(())
}

/// Makes one attempt to deliver an event, and records the result. Returns the next event of the queue if there is one and
/// `continues`.
async fn deliver_event(app: &App, delivery: ClaimedDelivery, continues: bool) -> Result<Option<ClaimedDelivery>> {
    let by = Operator::of_this_machine();
    let result = attempt::send(&app.outbound, &app.keys, &delivery, app.environment.now()).await;
    let continues = continues && !app.is_draining();
    let problem = result.problem.clone();
    let moment = app.environment.moment();
    let attempt = RecordAttempt { by, delivery: delivery.clone(), result, continues, moment };
    let recorded = record::record(app, attempt, record::WEBHOOK_PAUSES).await?;
    report(&delivery, recorded.state, problem.as_deref());
    if let Some(since) = recorded.failing_since.filter(|since| moment.now - since >= DISABLE_TIME) {
        disable(app, delivery.webhook(), since).await?;
    }
    Ok(recorded.next)
}

fn report(delivery: &ClaimedDelivery, state: DeliveryState, problem: Option<&str>) {
    let (event, webhook) = (delivery.id(), delivery.webhook().webhook_id);
    let outcome = match state {
        DeliveryState::Delivered => "delivered",
        DeliveryState::Waiting => "retry",
        DeliveryState::Failed => "failed",
    };
    metrics::counter!("wishbone_webhook_deliveries_total", "outcome" => outcome).increment(1);
    spans::record_outcome(event, outcome);
    match state {
        DeliveryState::Delivered => tracing::debug!(%webhook, %event, "event delivered"),
        DeliveryState::Waiting => tracing::debug!(%webhook, %event, problem, "event not delivered: retrying later"),
        DeliveryState::Failed => tracing::warn!(%webhook, %event, problem, "event failed: not retried"),
    }
}

async fn disable(app: &App, webhook: DueWebhook, failing_since: Millis) -> Result<()> {
    let (by, now, DueWebhook { store_id, webhook_id: id }) =
        (Operator::of_this_machine(), app.environment.now(), webhook);
    if app.database.write(DisableWebhook { by, store_id, id, failing_since, now }).await? {
        let days = DISABLE_TIME / DAY;
        tracing::error!(
            store = store_id,
            webhook = %id,
            "webhook disabled: every attempt of the last {days} days failed; the store can enable it with webhooks/replay"
        );
    }
    Ok(())
}
