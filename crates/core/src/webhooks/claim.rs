//! Claims queues, one delivery at a time.

use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::json::Object;
use crate::moment::{Millis, iso8601};
use crate::operator::Operator;
use crate::tokens::Keys;
use crate::webhooks::event_type::EventType;
use crate::webhooks::queue::{DueQueue, DueWebhook};
use crate::webhooks::signature::Secret;

/// How long a node may take for one attempt. The client times out well before.
pub(crate) const LEASE: Millis = 60_000;

/// The first delivery of a queue that only this node may send, until the lease expires.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    pub(super) queue: DueQueue,
    pub(super) claim: i64,
    endpoint: Endpoint,
    pub(super) event: QueuedEvent,
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
pub(super) struct QueuedEvent {
    pub(super) at: Millis,
    pub(super) n: i64,
    pub(super) event_id: Uuid,
    event_type: i64,
    data: String,
    pub(super) attempts: i64,
    pub(super) queued_at: Millis,
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
        let previous = self.endpoint.previous.iter().filter(|(_, until)| timestamp * 1_000 < *until);
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
}

/// The first delivery of a claimed queue. An empty queue is deleted.
pub(super) async fn next<T: Tx>(tx: &mut T, queue: &DueQueue, claim: i64) -> Result<Option<ClaimedDelivery>> {
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

statements! {
    CLAIM = "update webhook_queues set due_at = $1, claims = claims + 1
             where store_id = $2 and webhook_id = $3 and subject = $4 and due_at <= $5 returning claims";
    ENDPOINT = "select url, secret, previous_secret, previous_until from webhooks
                where store_id = $1 and webhook_id = $2 and state = 0";
    NEXT = "select d.at, d.n, d.event_id, e.type, e.data, d.attempts, d.queued_at
            from webhook_deliveries d join webhook_events e
                 on e.store_id = $1 and e.at = d.at and e.n = d.n and e.event_id = d.event_id
            where d.store_id = $1 and d.webhook_id = $2 and (d.at, d.n, d.event_id) =
                  (select f.at, f.n, f.event_id from webhook_deliveries f
                   where f.store_id = $1 and f.webhook_id = $2 and f.subject = $3 and f.state = 0
                   order by f.at, f.n, f.event_id limit 1)";
    DELETE_QUEUE = "delete from webhook_queues where store_id = $1 and webhook_id = $2 and subject = $3 and claims = $4";
}
