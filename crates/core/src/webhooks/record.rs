//! Records the results of attempts.

use wishbone_storage::{Tx, Write};

use crate::attempts::{Backoff, shorten};
use crate::error::{Error, Result};
use crate::moment::{DAY, HOUR, Millis, Moment};
use crate::operator::Operator;
use crate::webhooks::claim::{ClaimedDelivery, LEASE, next};
use crate::webhooks::queue::{DELIVERED, FAILED, WAITING};

const BACKOFF: Backoff = Backoff { first: 10_000, max: 6 * HOUR };

/// An attempt that fails this long after the delivery was queued is the last.
const RETRY_TIME: Millis = 3 * DAY;

/// An endpoint is disabled when all attempts of this time have failed. Longer than [`RETRY_TIME`], so that a delivery is
/// never given up because of an endpoint that is disabled before its last attempt.
pub const DISABLE_TIME: Millis = 5 * DAY;

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
            DeliveryState::Waiting => now + BACKOFF.pause(attempts, self.moment.seed[0]),
            _ if self.continues => now + LEASE,
            _ => now,
        };
        let is_claimed = tx.execute(SET_DUE.bind(&[due_at.into(), key[0], key[1], key[2], (*claim).into()])).await? > 0;
        if !is_claimed {
            // Another node has taken over, since this one took too long, and will record its own attempt.
            return Ok(RecordedAttempt { state, failing_since: None, next: None });
        }
        let problem = self.result.problem.as_deref().map(shorten);
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
}

statements! {
    SET_DUE = "update webhook_queues set due_at = $1 where store_id = $2 and webhook_id = $3 and subject = $4 and claims = $5";
    SAVE = "update webhook_deliveries set state = $1, attempts = $2, http_status = $3, problem = $4
            where store_id = $5 and at = $6 and n = $7 and event_id = $8 and webhook_id = $9 and state = 0";
    SUCCEED = "update webhooks set failing_since = null
               where store_id = $1 and webhook_id = $2 and failing_since is not null";
    FAIL = "update webhooks set failing_since = coalesce(failing_since, $1) where store_id = $2 and webhook_id = $3
            returning failing_since";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_spread_over_three_days() {
        for jitter in 0..=u8::MAX {
            assert!((5_000..=30_000).contains(&BACKOFF.pause(1, jitter)), "{}", BACKOFF.pause(1, jitter));
            let (mut time, mut attempts) = (0, 1);
            while time < RETRY_TIME {
                time += BACKOFF.pause(attempts, jitter);
                attempts += 1;
            }
            assert!((12..40).contains(&attempts) && time < RETRY_TIME + 9 * HOUR, "{attempts} attempts in {time} ms");
        }
    }
}
