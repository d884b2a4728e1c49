//! Writes events and queues their deliveries, in the transaction of the change that they report.

use wishbone_storage::{Arg, Bound, Tx};

use crate::error::{Error, Result};
use crate::moment::{Millis, Moment};
use crate::stores::record::StoreRecord;
use crate::tokens::{ShopperId, hash};
use crate::webhooks::event_type::{EventSet, EventType};

/// An event to be written.
#[derive(Debug)]
pub(crate) struct NewEvent {
    pub(crate) event_type: EventType,
    /// The id of the list, shopper or subscription. Events of one subject are delivered in order.
    pub(crate) subject: [u8; 16],
    /// Not before earlier events of the subject.
    pub(crate) at: Millis,
    /// Orders events of the same time; 0 for most. Events that are written together keep their order.
    pub(crate) order: i64,
    /// Whose data it has: erasing this shopper deletes the event.
    pub(crate) shopper: Option<ShopperId>,
    /// A JSON object: the record as its owner sees it, with `pid` and `uid`; no regid, sessionid or key.
    pub(crate) data: Vec<u8>,
}

/// [`NewEvent::order`] of events before and after the changes of their subject at the same time.
pub(crate) const BEFORE: i64 = -1_000_000;
pub(crate) const AFTER: i64 = 1_000_000;

/// True if an enabled webhook of the store wants this type. Callers ask before they encode a record, so that a store without
/// webhooks pays nothing.
pub(crate) fn wants(store: &StoreRecord, event_type: EventType) -> bool {
    EventSet(store.webhook_events).contains(event_type)
}

/// Writes the events that the store wants, in one round trip; none if it wants none.
pub(crate) async fn record<T: Tx>(tx: &mut T, store: &StoreRecord, moment: &Moment, new: &[NewEvent]) -> Result<()> {
    let numbered = (0..).zip(new).map(|(number, event): (i64, _)| (event.order + number, event));
    let wanted: Vec<(i64, &NewEvent)> = numbered.filter(|(_, event)| wants(store, event.event_type)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let store_id = store.store_id;
    let mut rows = Vec::with_capacity(wanted.len());
    for (n, event) in &wanted {
        let data = std::str::from_utf8(&event.data).map_err(Error::internal)?;
        rows.push((*n, *event, id(moment, *n, event), data));
    }
    let events: Vec<[Arg<'_>; 8]> = rows
        .iter()
        .map(|(n, event, id, data)| {
            [
                store_id.into(),
                event.at.into(),
                (*n).into(),
                id.into(),
                event.event_type.code().into(),
                (&event.subject).into(),
                event.shopper.as_ref().map(|shopper| &shopper.0).into(),
                (*data).into(),
            ]
        })
        .collect();
    let deliveries: Vec<[Arg<'_>; 7]> = rows
        .iter()
        .map(|(n, event, id, _)| {
            [
                event.at.into(),
                (*n).into(),
                id.into(),
                (&event.subject).into(),
                moment.now.into(),
                store_id.into(),
                event.event_type.bit().into(),
            ]
        })
        .collect();
    // Sorted, so that two writes about the same subjects do not deadlock.
    let mut subjects: Vec<([u8; 16], i64)> = Vec::new();
    for (_, event) in &wanted {
        match subjects.iter_mut().find(|(subject, _)| *subject == event.subject) {
            Some((_, bits)) => *bits |= event.event_type.bit(),
            None => subjects.push((event.subject, event.event_type.bit())),
        }
    }
    subjects.sort_unstable();
    let queues: Vec<[Arg<'_>; 4]> = subjects
        .iter()
        .map(|(subject, bits)| [subject.into(), moment.now.into(), store_id.into(), (*bits).into()])
        .collect();
    let mut batch: Vec<Bound<'_>> = Vec::with_capacity(2 * rows.len() + queues.len());
    batch.extend(events.iter().map(|event| INSERT.bind(event)));
    batch.extend(deliveries.iter().map(|delivery| DELIVER.bind(delivery)));
    batch.extend(queues.iter().map(|queue| QUEUE.bind(queue)));
    tx.execute_all(&batch).await?;
    Ok(())
}

/// Unguessable, and the same when the write is retried.
fn id(moment: &Moment, n: i64, event: &NewEvent) -> [u8; 16] {
    let parts: [&[u8]; 5] = [
        &moment.seed,
        &event.at.to_be_bytes(),
        &n.to_be_bytes(),
        &event.event_type.code().to_be_bytes(),
        &event.subject,
    ];
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash(b"webhook event", &parts)[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().into_bytes()
}

statements! {
    INSERT = "insert into webhook_events (store_id, at, n, event_id, type, subject, shopper_id, data)
              values ($1, $2, $3, $4, $5, $6, $7, $8)";
    DELIVER = "insert into webhook_deliveries (store_id, at, n, event_id, webhook_id, subject, state, attempts, queued_at)
               select w.store_id, $1, $2, $3, w.webhook_id, $4, 0, 0, $5 from webhooks w
               where w.store_id = $6 and w.state = 0 and (w.events & $7) <> 0";
    // The update locks a queue that exists, so that it is not deleted as empty before this write is committed.
    QUEUE = "insert into webhook_queues (store_id, webhook_id, subject, due_at, claims)
             select w.store_id, w.webhook_id, $1, $2, 0 from webhooks w
             where w.store_id = $3 and w.state = 0 and (w.events & $4) <> 0 order by w.webhook_id
             on conflict (store_id, webhook_id, subject) do update set claims = webhook_queues.claims";
}
