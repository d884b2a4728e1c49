//! Dispatching an event: making due, oldest first, the subscriptions that it reaches. A step reads a part of the line, so
//! that an event for 100,000 shoppers holds no transaction for long.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::alerts::condition::Condition;
use crate::catalog::alert_events::{self, VariantState};
use crate::catalog::topic::Topic;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};

/// Subscriptions that a step reads.
const STEP: usize = 500;

/// An event with a batch that is due.
#[derive(Clone, Debug)]
pub struct DueEvent {
    store_id: i64,
    variant_id: i64,
    topic: Topic,
}

/// Finds due events of a store.
pub struct FindDueEvents {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueEvents {
    const NAME: &'static str = "find_due_events";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueEvent>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, mut out) = (self.store_id, Vec::new());
        let args = [store_id.into(), self.now.into(), self.limit.into()];
        query
            .query_all(&[DUE.bind(&args)], &mut |_, row| {
                let topic = Topic::parse(row.text(1)?).map_err(wishbone_storage::Error::bug)?;
                out.push(DueEvent { store_id, variant_id: row.int(0)?, topic });
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

struct LockedEvent {
    event_id: Uuid,
    happened_at: Millis,
    previous_price: Option<f64>,
    remaining: Option<i64>,
    after: (Millis, Uuid),
}

impl FromRow for LockedEvent {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            event_id: uuid(row, 0)?,
            happened_at: row.int(1)?,
            previous_price: row.opt_text(2)?.and_then(|digits| digits.parse().ok()),
            remaining: row.opt_int(3)?,
            after: (row.int(4)?, uuid(row, 5)?),
        })
    }
}

/// A subscription in line.
struct Candidate {
    place: (Millis, Uuid),
    target_price: Option<f64>,
    base_price: Option<f64>,
    quantity: Option<i64>,
}

impl FromRow for Candidate {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            place: (row.int(0)?, uuid(row, 1)?),
            target_price: row.opt_text(2)?.and_then(|digits| digits.parse().ok()),
            base_price: row.opt_double(3)?,
            quantity: row.opt_int(4)?,
        })
    }
}

/// Makes due the next subscriptions that an event reaches.
pub struct DispatchEvent {
    pub by: Operator,
    pub event: DueEvent,
    pub now: Millis,
}

impl Write for DispatchEvent {
    const NAME: &'static str = "dispatch_event";
    /// The number of subscriptions that became due.
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        let DueEvent { store_id, variant_id, topic } = self.event;
        let key = [store_id.into(), variant_id.into(), topic.as_str().into()];
        let lock = [key[0], key[1], key[2], self.now.into()];
        // Another node may have been faster.
        let Some(mut event) = tx.first::<LockedEvent>(LOCK.bind(&lock)).await? else { return Ok(0) };
        let state: Option<VariantState> = tx.first(alert_events::STATE.bind(&key[..2])).await?;
        let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&key[..1])).await?;
        let (Some(state), Some(store)) = (state, store) else {
            return self.save(tx, &event, event.after, 0, true).await;
        };
        // A batch that had to wait may find less in stock than the event brought.
        let allowance = state.allowance(topic, &store.settings.alerts);
        event.remaining = event.remaining.map(|remaining| allowance.map_or(remaining, |most| remaining.min(most)));
        let line = [
            key[0],
            key[1],
            key[2],
            event.after.0.into(),
            event.after.1.as_bytes().into(),
            event.happened_at.into(),
            (STEP as i64).into(),
        ];
        let candidates: Vec<Candidate> = tx.rows(LINE.bind(&line)).await?;
        let room = event.remaining.map_or(STEP, |remaining| usize::try_from(remaining).unwrap_or(0));
        let (mut reached, mut after) = (Vec::new(), event.after);
        for Candidate { place, target_price, base_price, quantity } in &candidates {
            if reached.len() == room {
                break;
            }
            after = *place;
            let condition =
                Condition { topic, target_price: *target_price, base_price: *base_price, quantity: *quantity };
            if condition.holds(&state, event.previous_price, &store.settings.alerts) {
                reached.push(place.1);
            }
        }
        let rows: Vec<[Arg<'_>; 4]> = reached
            .iter()
            .map(|id| [self.now.into(), event.event_id.as_bytes().into(), store_id.into(), id.as_bytes().into()])
            .collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| MAKE_DUE.bind(row)).collect();
        tx.execute_all(&batch).await?;
        let is_done = candidates.len() < STEP || event.remaining.is_some() && reached.len() == room;
        self.save(tx, &event, after, reached.len(), is_done).await
    }
}

impl DispatchEvent {
    async fn save<T: Tx>(
        &self,
        tx: &mut T,
        event: &LockedEvent,
        after: (Millis, Uuid),
        reached: usize,
        is_done: bool,
    ) -> Result<usize> {
        let DueEvent { store_id, variant_id, topic } = self.event;
        let remaining = event.remaining.map(|remaining| remaining - reached as i64);
        tx.execute(SAVE.bind(&[
            remaining.into(),
            after.0.into(),
            after.1.as_bytes().into(),
            (!is_done).then_some(self.now).into(),
            (reached > 0).then_some(self.now).into(),
            store_id.into(),
            variant_id.into(),
            topic.as_str().into(),
        ]))
        .await?;
        Ok(reached)
    }
}

statements! {
    DUE = "select variant_id, topic from alert_events where store_id = $1 and due_at <= $2
           order by due_at, variant_id, topic limit $3";
    LOCK = "update alert_events set due_at = due_at
            where store_id = $1 and variant_id = $2 and topic = $3 and due_at <= $4
            returning event_id, happened_at, previous_price, remaining, after_time, after_id";
    LINE = "select waiting_since, subscription_id, target_price, base_price, quantity from subscriptions
            where store_id = $1 and variant_id = $2 and topic = $3 and status = 0
              and (waiting_since, subscription_id) > ($4, $5) and waiting_since <= $6 and due_at is null
            order by waiting_since, subscription_id limit $7";
    MAKE_DUE = "update subscriptions set due_at = $1, alert_event_id = $2, attempts = 0, problem = null, digest_id = null
                where store_id = $3 and subscription_id = $4 and status = 0 and due_at is null";
    SAVE = "update alert_events set remaining = $1, after_time = $2, after_id = $3, due_at = $4,
                                    last_batch_at = coalesce($5, last_batch_at)
            where store_id = $6 and variant_id = $7 and topic = $8";
}
