//! How many alerts wait and how many are due, for the operator's metrics.

use wishbone_storage::{FromRow, Query, Read, Row};

use crate::error::{Error, Result};
use crate::moment::{HOUR, Millis};
use crate::operator::Operator;

/// More subscriptions of a store are not counted.
const MAX_COUNTED: i64 = 100_000;

/// More than the longest pause between two attempts.
const LONGEST_PAUSE: Millis = 10 * HOUR;

/// Measures the backlog of some stores.
pub struct MeasureBacklog {
    pub by: Operator,
    pub stores: Vec<i64>,
    pub now: Millis,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    pub waiting: i64,
    pub due: i64,
    /// How long the oldest due alert has been due, failed attempts included.
    pub oldest: Millis,
}

impl Backlog {
    /// The backlog of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let oldest = self.oldest.max(other.oldest);
        Self { waiting: self.waiting + other.waiting, due: self.due + other.due, oldest }
    }
}

struct Due {
    count: i64,
    since: Option<Millis>,
}

impl FromRow for Due {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { count: row.int(0)?, since: row.opt_int(1)? })
    }
}

impl Read for MeasureBacklog {
    const NAME: &'static str = "measure_backlog";
    type Out = Backlog;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Backlog> {
        let mut backlog = Backlog::default();
        for store_id in &self.stores {
            let store_id = (*store_id).into();
            let args = [store_id, (self.now + LONGEST_PAUSE).into(), self.now.into(), MAX_COUNTED.into()];
            let due: Option<Due> = query.first(DUE.bind(&args)).await?;
            let waiting: Option<i64> = query.first(WAITING.bind(&[store_id, MAX_COUNTED.into()])).await?;
            let Due { count, since } = due.unwrap_or(Due { count: 0, since: None });
            let oldest = since.map_or(0, |since| self.now - since);
            backlog = backlog.and(Backlog { waiting: waiting.unwrap_or(0), due: count, oldest });
        }
        Ok(backlog)
    }
}

statements! {
    // An alert that waits for its next attempt has been due since its event.
    DUE = "select count(*), min(d.since) from
             (select case when s.attempts > 0 then coalesce(e.happened_at, s.due_at) else s.due_at end as since
              from subscriptions s left join alert_events e
                   on e.store_id = $1 and e.variant_id = s.variant_id and e.topic = s.topic
              where s.store_id = $1 and s.due_at <= $2 and (s.due_at <= $3 or s.attempts > 0)
              order by s.due_at limit $4) d";
    WAITING = "select count(*) from
                 (select status from subscriptions where store_id = $1 and status = 0
                  order by subscription_id limit $2) w";
}
