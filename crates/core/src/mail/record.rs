//! Records the results of attempts to send mails.

use wishbone_storage::{Tx, Write};

use crate::attempts::shorten;
use crate::error::{Error, Result};
use crate::mail::claim::ClaimedMail;
use crate::mail::outcome::{BACKOFF, MAX_ATTEMPTS, finish, record_problem};
use crate::mail::queue::{FAILED, QUEUED, RETENTION, SENT};
use crate::mail::recipients;
use crate::moment::Millis;
use crate::operator::Operator;

/// The result of a delivery attempt.
#[derive(Clone, Debug)]
pub enum Delivery {
    Sent,
    /// A temporary problem.
    Later(String),
    /// A permanent problem.
    Never(String),
    /// The address does not exist.
    NoMailbox(String),
}

/// The state of a mail after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    Sent,
    Waiting,
    Failed,
}

#[derive(Clone)]
pub struct RecordDelivery {
    pub by: Operator,
    pub mail: ClaimedMail,
    pub delivery: Delivery,
    pub now: Millis,
}

impl Write for RecordDelivery {
    const NAME: &'static str = "record_delivery";
    type Out = DeliveryState;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<DeliveryState> {
        let (mail, attempt) = (&self.mail.due, self.mail.attempt);
        match &self.delivery {
            Delivery::Sent => {
                finish(tx, mail, attempt, SENT, self.now).await?;
                Ok(DeliveryState::Sent)
            }
            Delivery::Later(problem) if attempt < MAX_ATTEMPTS => {
                let due_at = self.now + BACKOFF.pause(attempt, mail.mail_id.as_bytes()[15]);
                record_problem(tx, mail, attempt, QUEUED, problem, due_at, self.now).await?;
                Ok(DeliveryState::Waiting)
            }
            Delivery::Later(problem) | Delivery::Never(problem) | Delivery::NoMailbox(problem) => {
                if matches!(self.delivery, Delivery::NoMailbox(_)) {
                    let because = shorten(&problem.replace(&self.mail.address, "the address"));
                    recipients::suppress(tx, &self.mail.recipient, &because, self.now).await?;
                    let args = [(&because).into(), mail.store_id.into(), (&self.mail.address).into()];
                    tx.execute(EXPLAIN_UNCONFIRMED.bind(&args)).await?;
                }
                record_problem(tx, mail, attempt, FAILED, problem, self.now + RETENTION, self.now).await?;
                Ok(DeliveryState::Failed)
            }
        }
    }
}

// A confirmation that came back. `variant_id > 0` makes SQLite use the index by address.
statements! {
    EXPLAIN_UNCONFIRMED = "update subscriptions set problem = $1
                           where store_id = $2 and address = $3 and variant_id > 0 and status = 4";
}
