//! Records the results of attempts to send alerts.

use wishbone_storage::{Tx, Write};

use crate::alerts::claim::ClaimedAlert;
use crate::alerts::outcome::{Outcome, Recorded, pass_on, report};
use crate::attempts::shorten;
use crate::error::{Error, Result};
use crate::mail::outcome::{BACKOFF, MAX_ATTEMPTS};
use crate::mail::recipients;
use crate::mail::record::{Delivery, DeliveryState};
use crate::moment::Moment;
use crate::operator::Operator;
use crate::subscriptions::status::{FAILED, SENT, WAITING};
use crate::webhooks::event_type::EventType;

/// Records the result of an attempt to send an alert.
#[derive(Clone)]
pub struct RecordAlert {
    pub by: Operator,
    pub alert: ClaimedAlert,
    pub delivery: Delivery,
    pub moment: Moment,
}

impl Write for RecordAlert {
    const NAME: &'static str = "record_alert";
    type Out = DeliveryState;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<DeliveryState> {
        let ClaimedAlert { due, attempt, address, .. } = &self.alert;
        let now = self.moment.now;
        let (outcome, state) = match &self.delivery {
            Delivery::Sent => (Outcome { status: SENT, due_at: None, problem: None, now }, DeliveryState::Sent),
            Delivery::Later(problem) if *attempt < MAX_ATTEMPTS => {
                let due_at = Some(now + BACKOFF.pause(*attempt, self.alert.message_id.as_bytes()[15]));
                (Outcome { status: WAITING, due_at, problem: Some(problem), now }, DeliveryState::Waiting)
            }
            Delivery::Later(problem) | Delivery::Never(problem) | Delivery::NoMailbox(problem) => {
                (Outcome { status: FAILED, due_at: None, problem: Some(problem), now }, DeliveryState::Failed)
            }
        };
        let recorded = outcome.save(tx, due, *attempt).await?;
        let event = match state {
            DeliveryState::Sent => Some(EventType::AlertSent),
            DeliveryState::Failed => Some(EventType::AlertFailed),
            DeliveryState::Waiting => None,
        };
        if let (Some(event), Some(_)) = (event, &recorded) {
            report(tx, &self.alert.store, event, due, &self.moment).await?;
        }
        if let Delivery::NoMailbox(problem) = &self.delivery {
            let because = shorten(&problem.replace(address.as_str(), "the address"));
            recipients::suppress(tx, &self.alert.link.recipient, &because, now).await?;
            let args = [(&because).into(), now.into(), due.store_id.into(), address.into()];
            tx.execute(SUPPRESS_ADDRESS.bind(&args)).await?;
        }
        if let (DeliveryState::Failed, Some(Recorded { variant_id, event_id: Some(event) })) = (state, recorded) {
            pass_on(tx, due.store_id, variant_id, self.alert.link.topic, &event, now).await?;
        }
        Ok(state)
    }
}

statements! {
    SUPPRESS_ADDRESS = "update subscriptions set status = 5, problem = $1, due_at = null, updated_at = $2
                        where store_id = $3 and address = $4 and variant_id > 0 and status = 0";
}
