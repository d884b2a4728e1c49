//! Delivers what is queued. A queue holds the deliveries of one subject to one endpoint. A node claims it with a lease,
//! sends its first delivery, and records the result, so that a failed delivery holds back later ones of its subject and no
//! others. An expired lease makes the queue due again.

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::json::Object;
use crate::moment::{Millis, Moment, iso8601};
use crate::operator::Operator;
use crate::tokens::Keys;
use crate::webhooks::event_type::EventType;
use crate::webhooks::signature::Secret;

const SECOND: Millis = 1_000;
const HOUR: Millis = 3_600 * SECOND;
const DAY: Millis = 24 * HOUR;

/// How long a node may take for one attempt. The client times out well before.
pub(crate) const LEASE: Millis = 60 * SECOND;

const FIRST_BACKOFF: Millis = 10 * SECOND;
const MAX_BACKOFF: Millis = 6 * HOUR;

/// An attempt that fails this long after the delivery was queued is the last.
const RETRY_TIME: Millis = 3 * DAY;

/// An endpoint is disabled when all attempts of this time have failed. Longer than [`RETRY_TIME`], so that a delivery is
/// never given up because of an endpoint that is disabled before its last attempt.
pub const DISABLE_TIME: Millis = 5 * DAY;

const MAX_PROBLEM_LENGTH: usize = 500;

/// The states of a delivery, numbered as those of mails.
pub(crate) const WAITING: i64 = 0;
pub(crate) const DELIVERED: i64 = 1;
pub(crate) const FAILED: i64 = 3;

/// An enabled endpoint with a due queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DueWebhook {
    pub store_id: i64,
    pub webhook_id: Uuid,
}

/// Finds endpoints with due queues, the longest due first.
pub struct FindDueWebhooks {
    pub by: Operator,
    pub now: Millis,
}

struct DueRow(Millis, DueWebhook);

impl FromRow for DueRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.int(2)?, DueWebhook { store_id: row.int(0)?, webhook_id: uuid(row, 1)? }))
    }
}

impl Read for FindDueWebhooks {
    const NAME: &'static str = "find_due_webhooks";
    const SINGLE_STATEMENT: bool = true;
    /// Each with the time since when it is due.
    type Out = Vec<(Millis, DueWebhook)>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let rows: Vec<DueRow> = query.rows(DUE_WEBHOOKS.bind(&[self.now.into()])).await?;
        let mut due: Vec<(Millis, DueWebhook)> =
            rows.into_iter().map(|DueRow(since, webhook)| (since, webhook)).collect();
        due.sort_unstable_by_key(|(since, _)| *since);
        Ok(due)
    }
}

/// A queue that may be due.
#[derive(Clone, Debug)]
pub struct DueQueue {
    webhook: DueWebhook,
    subject: Vec<u8>,
}

impl DueQueue {
    fn key(&self) -> [Arg<'_>; 3] {
        [self.webhook.store_id.into(), self.webhook.webhook_id.as_bytes().into(), (&self.subject).into()]
    }
}

/// Finds due queues of an endpoint, the longest due first.
pub struct FindDueQueues {
    pub by: Operator,
    pub webhook: DueWebhook,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueQueues {
    const NAME: &'static str = "find_due_queues";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueQueue>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let DueWebhook { store_id, webhook_id } = &self.webhook;
        let args = [(*store_id).into(), webhook_id.as_bytes().into(), self.now.into(), self.limit.into()];
        let mut out = Vec::new();
        query
            .query_all(&[DUE_QUEUES.bind(&args)], &mut |_, row| {
                out.push(DueQueue { webhook: self.webhook, subject: row.blob(0)?.to_owned() });
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

/// The first delivery of a queue that only this node may send, until the lease expires.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    queue: DueQueue,
    claim: i64,
    endpoint: Endpoint,
    event: QueuedEvent,
}

#[derive(Clone, Debug)]
struct Endpoint {
    url: String,
    secret: Vec<u8>,
    previous: Option<(Vec<u8>, Millis)>,
}

impl FromRow for Endpoint {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let previous = row.opt_blob(2)?.map(<[u8]>::to_owned).zip(row.opt_int(3)?);
        Ok(Self { url: row.text(0)?.to_owned(), secret: row.blob(1)?.to_owned(), previous })
    }
}

#[derive(Clone, Debug)]
struct QueuedEvent {
    at: Millis,
    n: i64,
    event_id: Uuid,
    event_type: i64,
    data: String,
    attempts: i64,
    queued_at: Millis,
}

impl FromRow for QueuedEvent {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            at: row.int(0)?,
            n: row.int(1)?,
            event_id: uuid(row, 2)?,
            event_type: row.int(3)?,
            data: row.text(4)?.to_owned(),
            attempts: row.int(5)?,
            queued_at: row.int(6)?,
        })
    }
}

impl ClaimedDelivery {
    pub fn webhook(&self) -> DueWebhook {
        self.queue.webhook
    }

    /// The id of the event, the same in every attempt and for every endpoint.
    pub fn id(&self) -> Uuid {
        self.event.event_id
    }

    pub fn url(&self) -> &str {
        &self.endpoint.url
    }

    pub fn body(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.event.data.len() + 100);
        let mut body = Object::open(&mut out);
        body.text("type", EventType::from_code(self.event.event_type).map_or("unknown", EventType::as_str));
        body.text("timestamp", &iso8601(self.event.at));
        body.raw("data", &self.event.data);
        body.close();
        out
    }

    /// The signatures by the secret and, after a rotation, by the previous one. `timestamp` is in seconds.
    pub fn signatures(&self, keys: &Keys, timestamp: i64, body: &[u8]) -> Result<String> {
        let (id, webhook) = (self.id().to_string(), &self.queue.webhook.webhook_id);
        let previous = self.endpoint.previous.iter().filter(|(_, until)| timestamp * SECOND < *until);
        let sealed = std::iter::once(&self.endpoint.secret).chain(previous.map(|(secret, _)| secret));
        let signatures = sealed.map(|sealed| Ok(Secret::open(keys, webhook, sealed)?.sign(&id, timestamp, body)));
        Ok(signatures.collect::<Result<Vec<_>>>()?.join(" "))
    }
}

/// Claims a due queue, or deletes an empty one.
pub struct ClaimQueue {
    pub by: Operator,
    pub queue: DueQueue,
    pub now: Millis,
}

impl Write for ClaimQueue {
    const NAME: &'static str = "claim_queue";
    /// `None` if there is nothing to send, or another node has claimed it.
    type Out = Option<ClaimedDelivery>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let [store_id, webhook_id, subject] = self.queue.key();
        let lease = self.now + LEASE;
        let args = [lease.into(), store_id, webhook_id, subject, self.now.into()];
        match tx.first::<i64>(CLAIM.bind(&args)).await? {
            Some(claim) => next(tx, &self.queue, claim).await,
            None => Ok(None),
        }
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

/// The first delivery of a claimed queue. An empty queue is deleted.
async fn next<T: Tx>(tx: &mut T, queue: &DueQueue, claim: i64) -> Result<Option<ClaimedDelivery>> {
    let key = queue.key();
    let (mut endpoint, mut event) = (None, None);
    tx.query_all(&[ENDPOINT.bind(&key[..2]), NEXT.bind(&key)], &mut |number, row| {
        match number {
            0 => endpoint = Some(Endpoint::from_row(row)?),
            _ => event = Some(QueuedEvent::from_row(row)?),
        }
        Ok(())
    })
    .await?;
    match (endpoint, event) {
        (Some(endpoint), Some(event)) => Ok(Some(ClaimedDelivery { queue: queue.clone(), claim, endpoint, event })),
        // Disabled or deleted meanwhile: the queue waits.
        (None, Some(_)) => Ok(None),
        (_, None) => {
            tx.execute(DELETE_QUEUE.bind(&[key[0], key[1], key[2], claim.into()])).await?;
            Ok(None)
        }
    }
}

/// The result of an attempt.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// Why it failed; `None` if it succeeded.
    pub problem: Option<String>,
}

/// The state of a delivery after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    Delivered,
    Waiting,
    Failed,
}

/// Records the result of an attempt. The queue's next delivery is claimed along if `continues`.
#[derive(Clone)]
pub struct RecordAttempt {
    pub by: Operator,
    pub delivery: ClaimedDelivery,
    pub result: AttemptResult,
    pub continues: bool,
    pub moment: Moment,
}

pub struct RecordedAttempt {
    pub state: DeliveryState,
    /// The time since when all attempts of the endpoint have failed.
    pub failing_since: Option<Millis>,
    pub next: Option<ClaimedDelivery>,
}

impl Write for RecordAttempt {
    const NAME: &'static str = "record_attempt";
    type Out = RecordedAttempt;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<RecordedAttempt> {
        let ClaimedDelivery { queue, claim, event, .. } = &self.delivery;
        let (now, key) = (self.moment.now, queue.key());
        let attempts = event.attempts + 1;
        let state = match &self.result.problem {
            None => DeliveryState::Delivered,
            Some(_) if now - event.queued_at >= RETRY_TIME => DeliveryState::Failed,
            Some(_) => DeliveryState::Waiting,
        };
        let due_at = match state {
            DeliveryState::Waiting => now + backoff(attempts, &self.moment),
            _ if self.continues => now + LEASE,
            _ => now,
        };
        let is_claimed = tx.execute(SET_DUE.bind(&[due_at.into(), key[0], key[1], key[2], (*claim).into()])).await? > 0;
        if !is_claimed {
            // Another node has taken over, since this one took too long, and will record its own attempt.
            return Ok(RecordedAttempt { state, failing_since: None, next: None });
        }
        let problem = self.result.problem.as_ref();
        let problem: Option<String> =
            problem.map(|text| text.chars().filter(|c| *c != '\0').take(MAX_PROBLEM_LENGTH).collect());
        let code = match state {
            DeliveryState::Delivered => DELIVERED,
            DeliveryState::Waiting => WAITING,
            DeliveryState::Failed => FAILED,
        };
        tx.execute(SAVE.bind(&[
            code.into(),
            attempts.into(),
            self.result.status.map(i64::from).into(),
            problem.as_ref().into(),
            key[0],
            event.at.into(),
            event.n.into(),
            event.event_id.as_bytes().into(),
            key[1],
        ]))
        .await?;
        let failing_since = match state {
            DeliveryState::Delivered => {
                tx.execute(SUCCEED.bind(&key[..2])).await?;
                None
            }
            _ => tx.first(FAIL.bind(&[now.into(), key[0], key[1]])).await?,
        };
        let continues = self.continues && state != DeliveryState::Waiting;
        let next = if continues { next(tx, queue, *claim).await? } else { None };
        Ok(RecordedAttempt { state, failing_since, next })
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

/// Exponential backoff with factor 3, and jitter of half of it either way.
fn backoff(attempts: i64, moment: &Moment) -> Millis {
    let factor = 3_i64.saturating_pow(u32::try_from(attempts - 1).unwrap_or(0));
    let pause = FIRST_BACKOFF.saturating_mul(factor).min(MAX_BACKOFF);
    pause / 2 + moment.stamp() % pause
}

/// Counts waiting deliveries of an endpoint, up to a limit.
pub struct CountWaiting {
    pub by: Operator,
    pub webhook: DueWebhook,
    pub limit: i64,
}

impl Read for CountWaiting {
    const NAME: &'static str = "count_waiting";
    const SINGLE_STATEMENT: bool = true;
    type Out = i64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<i64> {
        let DueWebhook { store_id, webhook_id } = &self.webhook;
        let args = [(*store_id).into(), webhook_id.as_bytes().into(), self.limit.into()];
        let mut count = 0;
        query
            .query_all(&[WAITING_ONES.bind(&args)], &mut |_, _| {
                count += 1;
                Ok(())
            })
            .await?;
        Ok(count)
    }
}

/// Finds all enabled endpoints.
pub struct FindEnabledWebhooks {
    pub by: Operator,
}

impl Read for FindEnabledWebhooks {
    const NAME: &'static str = "find_enabled_webhooks";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueWebhook>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let mut out = Vec::new();
        query
            .query_all(&[ENABLED.bind(&[])], &mut |_, row| {
                out.push(DueWebhook { store_id: row.int(0)?, webhook_id: uuid(row, 1)? });
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

statements! {
    DUE_WEBHOOKS = "select x.store_id, x.webhook_id, x.due_at from
                    (select w.store_id, w.webhook_id,
                            (select q.due_at from webhook_queues q
                             where q.store_id = w.store_id and q.webhook_id = w.webhook_id
                             order by q.due_at limit 1) as due_at
                     from webhooks w where w.state = 0) x
                    where x.due_at <= $1";
    ENABLED = "select store_id, webhook_id from webhooks where state = 0";
    DUE_QUEUES = "select subject from webhook_queues where store_id = $1 and webhook_id = $2 and due_at <= $3
                  order by due_at, subject limit $4";
    CLAIM = "update webhook_queues set due_at = $1, claims = claims + 1
             where store_id = $2 and webhook_id = $3 and subject = $4 and due_at <= $5 returning claims";
    ENDPOINT = "select url, secret, previous_secret, previous_until from webhooks
                where store_id = $1 and webhook_id = $2 and state = 0";
    NEXT = "select d.at, d.n, d.event_id, e.type, e.data, d.attempts, d.queued_at
            from webhook_deliveries d join webhook_events e
                 on e.store_id = d.store_id and e.at = d.at and e.n = d.n and e.event_id = d.event_id
            where d.store_id = $1 and d.webhook_id = $2 and (d.at, d.n, d.event_id) =
                  (select f.at, f.n, f.event_id from webhook_deliveries f
                   where f.store_id = $1 and f.webhook_id = $2 and f.subject = $3 and f.state = 0
                   order by f.at, f.n, f.event_id limit 1)";
    DELETE_QUEUE = "delete from webhook_queues where store_id = $1 and webhook_id = $2 and subject = $3 and claims = $4";
    SET_DUE = "update webhook_queues set due_at = $1 where store_id = $2 and webhook_id = $3 and subject = $4 and claims = $5";
    SAVE = "update webhook_deliveries set state = $1, attempts = $2, http_status = $3, problem = $4
            where store_id = $5 and at = $6 and n = $7 and event_id = $8 and webhook_id = $9 and state = 0";
    SUCCEED = "update webhooks set failing_since = null
               where store_id = $1 and webhook_id = $2 and failing_since is not null";
    FAIL = "update webhooks set failing_since = coalesce(failing_since, $1) where store_id = $2 and webhook_id = $3
            returning failing_since";
    WAITING_ONES = "select n from webhook_deliveries where store_id = $1 and webhook_id = $2 and state = 0 limit $3";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_spread_over_three_days() {
        for seed in 0..50 {
            let moment = Moment { now: 0, seed: [seed; 32] };
            assert!((5 * SECOND..=30 * SECOND).contains(&backoff(1, &moment)), "{}", backoff(1, &moment));
            let (mut time, mut attempts) = (0, 1);
            while time < RETRY_TIME {
                time += backoff(attempts, &moment);
                attempts += 1;
            }
            assert!((12..40).contains(&attempts) && time < RETRY_TIME + 9 * HOUR, "{attempts} attempts in {time} ms");
        }
    }
}
