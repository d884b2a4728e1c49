//! Digests. A shopper who wants one gets at most one mail with alerts a day: what becomes due meanwhile waits, and goes out
//! together. The alerts of a digest are claimed, sent and recorded as one; a retry repeats it under the same message id.

use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx, Write};

use crate::alerts::claim::{ClaimAlert, ClaimedAlert};
use crate::alerts::queue::DueAlert;
use crate::alerts::record::RecordAlert;
use crate::decode::Id;
use crate::error::{Error, Result};
use crate::mail::medium::Medium;
use crate::mail::record::{Delivery, DeliveryState};
use crate::moment::{DAY, Millis, Moment};
use crate::operator::Operator;

/// Time between two mails with alerts to a shopper who wants digests.
const PERIOD: Millis = DAY;

/// Alerts in one digest; the others wait for the next.
const MAX_ALERTS: i64 = 20;

/// Claims a due alert, and with it the others that go out in the same mail.
pub struct ClaimAlerts {
    pub by: Operator,
    pub alert: DueAlert,
    pub moment: Moment,
}

impl Write for ClaimAlerts {
    const NAME: &'static str = "claim_alerts";
    /// The alerts of one message; empty if there is nothing to send now, or another node has claimed it.
    type Out = Vec<ClaimedAlert>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let key = [self.alert.store_id.into(), self.alert.subscription_id.as_bytes().into(), self.moment.now.into()];
        match tx.first::<AlertByMail>(FIND.bind(&key)).await? {
            Some(AlertByMail { address, digest_id: Some(digest_id), attempts: 1.., .. }) => {
                self.claim_again(tx, &address, digest_id).await
            }
            Some(AlertByMail { address, attempts: 0, wants_digest: true, .. }) => self.claim_new(tx, &address).await,
            _ => self.claim(tx, &[self.alert]).await,
        }
    }
}

impl ClaimAlerts {
    /// Claims those of these alerts that are still true.
    async fn claim<T: Tx>(&self, tx: &mut T, alerts: &[DueAlert]) -> Result<Vec<ClaimedAlert>> {
        let mut claimed = Vec::new();
        for (n, alert) in alerts.iter().enumerate() {
            let moment = self.moment.part(n);
            claimed.extend(ClaimAlert { by: self.by, alert: *alert, moment }.run(tx).await?);
        }
        Ok(claimed)
    }

    /// Claims all due alerts of an address, or postpones this one until a day after the last mail.
    async fn claim_new<T: Tx>(&self, tx: &mut T, address: &str) -> Result<Vec<ClaimedAlert>> {
        let store_id = self.alert.store_id;
        let shopper = [store_id.into(), address.into()];
        // The lock makes nodes that find different alerts of the shopper take turns.
        let Some(AlertedAt(alerted_at)) = tx.first(LOCK.bind(&shopper)).await? else {
            return self.claim(tx, &[self.alert]).await;
        };
        let due_at = alerted_at.map_or(self.moment.now, |last| last + PERIOD);
        if due_at > self.moment.now {
            let id = self.alert.subscription_id;
            tx.execute(POSTPONE.bind(&[due_at.into(), store_id.into(), id.as_bytes().into(), self.moment.now.into()]))
                .await?;
            return Ok(Vec::new());
        }
        let args = [shopper[0], shopper[1], self.moment.now.into(), MAX_ALERTS.into()];
        let due = self.due(tx.rows(DUE.bind(&args)).await?);
        let mut claimed = self.claim(tx, &due).await?;
        let Some(first) = claimed.first() else { return Ok(claimed) };
        let digest_id = first.message_id;
        tx.execute(ALERTED.bind(&[self.moment.now.into(), shopper[0], shopper[1]])).await?;
        if claimed.len() > 1 {
            for alert in &mut claimed {
                let id = alert.due.subscription_id;
                tx.execute(JOIN.bind(&[digest_id.as_bytes().into(), store_id.into(), id.as_bytes().into()])).await?;
                alert.message_id = digest_id;
            }
        }
        Ok(claimed)
    }

    /// Claims what is left of a digest whose last attempt failed, or was cut off.
    async fn claim_again<T: Tx>(&self, tx: &mut T, address: &str, digest_id: Uuid) -> Result<Vec<ClaimedAlert>> {
        let args = [
            self.alert.store_id.into(),
            address.into(),
            digest_id.as_bytes().into(),
            self.moment.now.into(),
            MAX_ALERTS.into(),
        ];
        let due = self.due(tx.rows(SAME_DIGEST.bind(&args)).await?);
        let mut claimed = self.claim(tx, &due).await?;
        claimed.iter_mut().for_each(|alert| alert.message_id = digest_id);
        Ok(claimed)
    }

    fn due(&self, ids: Vec<Id>) -> Vec<DueAlert> {
        let store_id = self.alert.store_id;
        ids.into_iter().map(|Id(subscription_id)| DueAlert { store_id, subscription_id }).collect()
    }
}

/// Records the result of an attempt to send alerts in one message, for all of them.
#[derive(Clone)]
pub struct RecordAlerts {
    pub by: Operator,
    pub alerts: Vec<ClaimedAlert>,
    pub delivery: Delivery,
    pub moment: Moment,
}

impl Write for RecordAlerts {
    const NAME: &'static str = "record_alerts";
    type Out = DeliveryState;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<DeliveryState> {
        let mut state = DeliveryState::Waiting;
        if let (Delivery::Sent, Some(ClaimedAlert { due, medium: Medium::Email, address, .. })) =
            (&self.delivery, self.alerts.first())
        {
            tx.execute(ALERTED.bind(&[self.moment.now.into(), due.store_id.into(), address.into()])).await?;
        }
        for (n, alert) in self.alerts.iter().enumerate() {
            let (alert, delivery, moment) = (alert.clone(), self.delivery.clone(), self.moment.part(n));
            state = RecordAlert { by: self.by, alert, delivery, moment }.run(tx).await?;
        }
        Ok(state)
    }
}

/// A due alert by e-mail.
struct AlertByMail {
    address: String,
    attempts: i64,
    digest_id: Option<Uuid>,
    wants_digest: bool,
}

impl FromRow for AlertByMail {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            address: row.text(0)?.to_owned(),
            attempts: row.int(1)?,
            digest_id: row.opt_blob(2)?.and_then(|id| Uuid::from_slice(id).ok()),
            wants_digest: row.opt_int(3)?.is_some(),
        })
    }
}

struct AlertedAt(Option<Millis>);

impl FromRow for AlertedAt {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.opt_int(0)?))
    }
}

// An address has few alerts and a store may have many that are due: `variant_id > 0` and `+due_at` make the engines use the
// index by address.
statements! {
    FIND = "select a.address, a.attempts, a.digest_id, s.alert_digest
            from subscriptions a left join shoppers s
                 on s.store_id = $1 and s.email = a.address and s.alert_digest = 1
            where a.store_id = $1 and a.subscription_id = $2 and a.medium = 'email' and a.status in (0, 2)
              and a.due_at <= $3";
    LOCK = "update shoppers set alert_digest = alert_digest where store_id = $1 and email = $2 and alert_digest = 1
            returning alerted_at";
    POSTPONE = "update subscriptions set due_at = $1
                where store_id = $2 and subscription_id = $3 and status = 0 and due_at <= $4";
    DUE = "select subscription_id from subscriptions
           where store_id = $1 and address = $2 and variant_id > 0 and medium = 'email' and status = 0 and attempts = 0
             and +due_at <= $3
           order by due_at, waiting_since, subscription_id limit $4";
    JOIN = "update subscriptions set digest_id = $1 where store_id = $2 and subscription_id = $3";
    SAME_DIGEST = "select subscription_id from subscriptions
                   where store_id = $1 and address = $2 and variant_id > 0 and digest_id = $3 and status in (0, 2)
                     and attempts > 0 and +due_at <= $4
                   order by due_at, waiting_since, subscription_id limit $5";
    ALERTED = "update shoppers set alerted_at = $1 where store_id = $2 and email = $3 and alert_digest = 1";
}
