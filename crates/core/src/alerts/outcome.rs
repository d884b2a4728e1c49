//! The result of an attempt, in the row of the subscription.

use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx};

use crate::alerts::queue::DueAlert;
use crate::attempts::shorten;
use crate::catalog::topic::Topic;
use crate::error::Result;
use crate::moment::{Millis, Moment};
use crate::stores::record::StoreRecord;
use crate::subscriptions::events;
use crate::subscriptions::row::{self, SubscriptionRow};
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::wants;

pub(super) struct Outcome<'a> {
    pub(super) status: i64,
    pub(super) due_at: Option<Millis>,
    pub(super) problem: Option<&'a str>,
    pub(super) now: Millis,
}

impl Outcome<'_> {
    /// Returns what was alerted of, unless another node has taken the alert over or the shopper has removed it.
    pub(super) async fn save<T: Tx>(&self, tx: &mut T, alert: &DueAlert, attempt: i64) -> Result<Option<Recorded>> {
        let problem = self.problem.map(shorten);
        let args = [
            self.status.into(),
            self.due_at.into(),
            problem.as_ref().into(),
            self.now.into(),
            alert.store_id.into(),
            alert.subscription_id.as_bytes().into(),
            attempt.into(),
        ];
        Ok(tx.first(RECORD.bind(&args)).await?)
    }
}

pub(super) struct Recorded {
    pub(super) variant_id: i64,
    pub(super) event_id: Option<Uuid>,
}

impl FromRow for Recorded {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, event_id: row.opt_blob(1)?.and_then(|id| Uuid::from_slice(id).ok()) })
    }
}

/// Records an event of an alert, if the store wants it.
pub(super) async fn report<T: Tx>(
    tx: &mut T,
    store: &StoreRecord,
    event_type: EventType,
    alert: &DueAlert,
    moment: &Moment,
) -> Result<()> {
    if !wants(store, event_type) {
        return Ok(());
    }
    let key = [alert.store_id.into(), alert.subscription_id.as_bytes().into()];
    let rows: Vec<SubscriptionRow> = tx.rows(row::BY_ID.bind(&key)).await?;
    events::record(tx, store, event_type, &rows, moment).await
}

/// Passes the place of an alert that cannot be delivered on to the next in line.
pub(super) async fn pass_on<T: Tx>(
    tx: &mut T,
    store_id: i64,
    variant_id: i64,
    topic: Topic,
    event_id: &Uuid,
    now: Millis,
) -> Result<()> {
    let args = [now.into(), store_id.into(), variant_id.into(), topic.as_str().into(), event_id.as_bytes().into()];
    tx.execute(PASS_ON.bind(&args)).await?;
    Ok(())
}

statements! {
    RECORD = "update subscriptions set status = $1, due_at = $2, problem = $3, updated_at = $4
              where store_id = $5 and subscription_id = $6 and status = 2 and attempts = $7
              returning variant_id, alert_event_id";
    PASS_ON = "update alert_events set remaining = remaining + 1, due_at = coalesce(due_at, $1)
               where store_id = $2 and variant_id = $3 and topic = $4 and event_id = $5 and remaining is not null";
}
