//! Queues past events for an endpoint again.

use std::collections::BTreeSet;

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, Database, FromRow, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::webhooks::claim::LEASE;
use crate::webhooks::endpoints;
use crate::webhooks::event_type::EventType;
use crate::webhooks::log::EventKey;

/// Events per transaction.
const BATCH: i64 = 500;

/// Replays the events since a time.
#[derive(Clone)]
pub struct Replay {
    pub by: StoreAdmin,
    pub id: Uuid,
    pub since: Millis,
    pub now: Millis,
}

impl Replay {
    /// Queues the events in small transactions. The write that is returned queues what was added since, and its result is the
    /// total.
    pub async fn start(self, database: &Database) -> Result<QueueEvents> {
        let after = EventKey { at: self.since, n: -1, event_id: Uuid::nil() };
        let mut step = QueueEvents { replay: self, after, queued: 0 };
        loop {
            let Queued { total, last, more, .. } = database.write(step.clone()).await?;
            step = QueueEvents { after: last.unwrap_or(step.after), queued: total, ..step };
            if !more {
                return Ok(step);
            }
        }
    }
}

/// Queues up to [`BATCH`] events after a position.
#[derive(Clone)]
pub struct QueueEvents {
    replay: Replay,
    after: EventKey,
    queued: i64,
}

pub struct Queued {
    /// The number of events queued so far.
    pub total: i64,
    last: Option<EventKey>,
    more: bool,
}

impl Write for QueueEvents {
    const NAME: &'static str = "queue_events";
    type Out = Queued;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let Replay { by, id, now, .. } = &self.replay;
        let store_id = by.store_id();
        let webhook = endpoints::find(tx, store_id, id).await?.webhook;
        if !webhook.is_enabled {
            endpoints::enable(tx, store_id, id, *now).await?;
        }
        let [_, at, n, event_id] = self.after.args(store_id);
        let found: Vec<PastEvent> = tx.rows(AFTER.bind(&[store_id.into(), at, n, event_id, BATCH.into()])).await?;
        let wanted =
            |event: &&PastEvent| EventType::from_code(event.event_type).is_some_and(|it| webhook.events.contains(it));
        let events: Vec<&PastEvent> = found.iter().filter(wanted).collect();
        let webhook_id = id.as_bytes();
        let rows: Vec<[Arg<'_>; 7]> = events
            .iter()
            .map(|event| {
                let [store_id, at, n, event_id] = event.key.args(store_id);
                [store_id, at, n, event_id, webhook_id.into(), (&event.subject).into(), (*now).into()]
            })
            .collect();
        let subjects: BTreeSet<&[u8]> = events.iter().map(|event| &event.subject[..]).collect();
        let lease = now + LEASE;
        let queues: Vec<[Arg<'_>; 5]> = subjects
            .iter()
            .map(|subject| [store_id.into(), webhook_id.into(), (*subject).into(), (*now).into(), lease.into()])
            .collect();
        let mut batch: Vec<Bound<'_>> = rows.iter().map(|row| DELIVER.bind(row)).collect();
        batch.extend(queues.iter().map(|queue| QUEUE.bind(queue)));
        tx.execute_all(&batch).await?;
        let total = self.queued + i64::try_from(events.len()).map_err(Error::internal)?;
        let more = found.len() >= usize::try_from(BATCH).map_err(Error::internal)?;
        Ok(Queued { total, last: found.last().map(|last| last.key), more })
    }
}

struct PastEvent {
    key: EventKey,
    event_type: i64,
    subject: Vec<u8>,
}

impl FromRow for PastEvent {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { key: EventKey::columns(row)?, event_type: row.int(3)?, subject: row.blob(4)?.to_owned() })
    }
}

statements! {
    AFTER = "select at, n, event_id, type, subject from webhook_events
             where store_id = $1 and (at, n, event_id) > ($2, $3, $4) order by at, n, event_id limit $5";
    DELIVER = "insert into webhook_deliveries (store_id, at, n, event_id, webhook_id, subject, state, attempts, queued_at)
               values ($1, $2, $3, $4, $5, $6, 0, 0, $7)
               on conflict (store_id, at, n, event_id, webhook_id)
               do update set state = 0, attempts = 0, http_status = null, problem = null, queued_at = excluded.queued_at";
    // A queue that is being delivered keeps its lease; one that waits for a retry is due by then.
    QUEUE = "insert into webhook_queues (store_id, webhook_id, subject, due_at, claims) values ($1, $2, $3, $4, 0)
             on conflict (store_id, webhook_id, subject)
             do update set due_at = case when webhook_queues.due_at > $5 then $5 else webhook_queues.due_at end";
}
