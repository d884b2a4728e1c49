//! The delivery log of an endpoint, with its dead letters, and the deletion of old events.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::moment::{DAY, Millis};
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::tokens::Keys;
use crate::webhooks::endpoints;
use crate::webhooks::event_type::EventType;
use crate::webhooks::queue::{DELIVERED, FAILED, WAITING};

/// How long events and their deliveries are stored, and can be replayed.
pub const RETENTION: Millis = 30 * DAY;

const PURPOSE: &[u8] = b"webhook deliveries";

/// The names of the states, each with its code.
const STATES: [(&str, i64); 3] = [("waiting", WAITING), ("delivered", DELIVERED), ("failed", FAILED)];
pub const STATE_NAMES: [&str; 3] = [STATES[0].0, STATES[1].0, STATES[2].0];

/// The key of an event. Its order is that of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventKey {
    pub(crate) at: Millis,
    pub(crate) n: i64,
    pub(crate) event_id: Uuid,
}

impl EventKey {
    pub(crate) fn columns(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { at: row.int(0)?, n: row.int(1)?, event_id: uuid(row, 2)? })
    }

    pub(crate) fn args(&self, store_id: i64) -> [Arg<'_>; 4] {
        [store_id.into(), self.at.into(), self.n.into(), self.event_id.as_bytes().into()]
    }
}

impl FromRow for EventKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Self::columns(row)
    }
}

/// A page of the log, newest event first.
pub struct ListDeliveries {
    by: StoreAdmin,
    id: Uuid,
    state: Option<i64>,
    limit: i64,
    before: EventKey,
}

impl ListDeliveries {
    /// `next` is the token of the previous page.
    pub fn new(
        by: StoreAdmin,
        keys: &Keys,
        id: Uuid,
        state: Option<&str>,
        limit: i64,
        next: Option<&str>,
    ) -> Result<Self> {
        let rule = || Error::invalid("state", format!("must be one of {}", STATE_NAMES.join(", ")));
        let code = |name| STATES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code).ok_or_else(rule);
        let state = state.map(code).transpose()?;
        let before = match next {
            None => EventKey { at: Millis::MAX, n: 0, event_id: Uuid::nil() },
            Some(token) => position(keys, by.store_id(), &id, token).ok_or_else(|| {
                Error::new(Code::InvalidNextToken, "next was not issued for this webhook: start without it")
            })?,
        };
        Ok(Self { by, id, state, limit, before })
    }
}

fn position(keys: &Keys, store_id: i64, webhook: &Uuid, token: &str) -> Option<EventKey> {
    let body = keys.unseal(PURPOSE, &[&store_id.to_be_bytes(), webhook.as_bytes()], token)?;
    Some(EventKey {
        at: i64::from_be_bytes(body.get(..8)?.try_into().ok()?),
        n: i64::from_be_bytes(body.get(8..16)?.try_into().ok()?),
        event_id: Uuid::from_slice(body.get(16..)?).ok()?,
    })
}

pub struct LoggedDelivery {
    key: EventKey,
    event_type: i64,
    state: i64,
    pub attempts: i64,
    /// The HTTP status of the last attempt.
    pub status: Option<i64>,
    pub problem: Option<String>,
}

impl LoggedDelivery {
    pub fn id(&self) -> Uuid {
        self.key.event_id
    }

    /// The time of the event.
    pub fn at(&self) -> Millis {
        self.key.at
    }

    pub fn event_type(&self) -> &'static str {
        EventType::from_code(self.event_type).map_or("unknown", EventType::as_str)
    }

    pub fn state(&self) -> &'static str {
        STATES.iter().find(|(_, code)| *code == self.state).map_or("unknown", |(name, _)| name)
    }
}

impl FromRow for LoggedDelivery {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            key: EventKey::columns(row)?,
            event_type: row.int(3)?,
            state: row.int(4)?,
            attempts: row.int(5)?,
            status: row.opt_int(6)?,
            problem: row.opt_text(7)?.map(str::to_owned),
        })
    }
}

/// A page, and the position of the next one if there may be one.
pub struct DeliveryPage {
    pub deliveries: Vec<LoggedDelivery>,
    next: Option<(i64, Uuid, EventKey)>,
}

impl DeliveryPage {
    pub fn next(&self, keys: &Keys) -> Option<String> {
        self.next.as_ref().map(|(store_id, webhook, key)| {
            let body = [&key.at.to_be_bytes()[..], &key.n.to_be_bytes(), key.event_id.as_bytes()].concat();
            keys.seal(PURPOSE, &[&store_id.to_be_bytes(), webhook.as_bytes()], &body)
        })
    }
}

impl Read for ListDeliveries {
    const NAME: &'static str = "list_deliveries";
    type Out = DeliveryPage;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<DeliveryPage> {
        let (store_id, limit) = (self.by.store_id(), usize::try_from(self.limit).map_err(Error::internal)?);
        endpoints::find(query, store_id, &self.id).await?;
        let [_, at, n, event_id] = self.before.args(store_id);
        let states = STATES.iter().map(|(_, code)| *code).filter(|code| self.state.is_none_or(|state| state == *code));
        let args: Vec<[Arg<'_>; 7]> = states
            .map(|state| [store_id.into(), self.id.as_bytes().into(), state.into(), at, n, event_id, self.limit.into()])
            .collect();
        // One walk along the index for each state.
        let batch: Vec<Bound<'_>> = args.iter().map(|args| PAGE.bind(args)).collect();
        let mut deliveries = Vec::new();
        query
            .query_all(&batch, &mut |_, row| {
                deliveries.push(LoggedDelivery::from_row(row)?);
                Ok(())
            })
            .await?;
        deliveries.sort_unstable_by_key(|delivery| std::cmp::Reverse(delivery.key));
        deliveries.truncate(limit);
        let last = deliveries.last().filter(|_| deliveries.len() == limit);
        let next = last.map(|last| (store_id, self.id, last.key));
        Ok(DeliveryPage { deliveries, next })
    }
}

/// Deletes old events of a store with their deliveries, at most `limit` events. Returns how many.
pub struct PurgeEvents {
    pub by: Operator,
    pub store_id: i64,
    pub before: Millis,
    pub limit: i64,
}

impl Write for PurgeEvents {
    const NAME: &'static str = "purge_events";
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        let args = [self.store_id.into(), self.before.into(), self.limit.into()];
        let events: Vec<EventKey> = tx.rows(EXPIRED.bind(&args)).await?;
        delete(tx, self.store_id, &events).await?;
        Ok(events.len())
    }
}

/// Deletes events with their deliveries.
pub(crate) async fn delete<T: Tx>(tx: &mut T, store_id: i64, events: &[EventKey]) -> Result<()> {
    let keys: Vec<[Arg<'_>; 4]> = events.iter().map(|event| event.args(store_id)).collect();
    let batch: Vec<Bound<'_>> =
        keys.iter().flat_map(|key| [DELETE_DELIVERIES, DELETE_EVENT].map(|sql| sql.bind(key))).collect();
    tx.execute_all(&batch).await?;
    Ok(())
}

statements! {
    PAGE = "select d.at, d.n, d.event_id, e.type, d.state, d.attempts, d.http_status, d.problem
            from webhook_deliveries d join webhook_events e
                 on e.store_id = $1 and e.at = d.at and e.n = d.n and e.event_id = d.event_id
            where d.store_id = $1 and d.webhook_id = $2 and d.state = $3 and (d.at, d.n, d.event_id) < ($4, $5, $6)
            order by d.at desc, d.n desc, d.event_id desc limit $7";
    EXPIRED = "select at, n, event_id from webhook_events where store_id = $1 and at < $2
               order by at, n, event_id limit $3";
    DELETE_DELIVERIES = "delete from webhook_deliveries where store_id = $1 and at = $2 and n = $3 and event_id = $4";
    DELETE_EVENT = "delete from webhook_events where store_id = $1 and at = $2 and n = $3 and event_id = $4";
}
