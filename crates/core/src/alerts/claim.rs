//! Claims due alerts, and checks once more whether they are still true.

use ring::digest::{SHA256, digest};
use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx, Write};

use crate::alerts::condition::Condition;
use crate::alerts::outcome::{Outcome, pass_on, report};
use crate::alerts::queue::DueAlert;
use crate::catalog::alert_events::VariantState;
use crate::catalog::topic::Topic;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::mail::claim::LEASE;
use crate::mail::medium::Medium;
use crate::mail::message::{AlertMessage, MessageItem, Source};
use crate::mail::outcome::MAX_ATTEMPTS;
use crate::mail::recipients::{self, Recipient};
use crate::mail::shop_url::MailedUrl;
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::subscriptions::status::{FAILED, SUPPRESSED};
use crate::subscriptions::unsubscribe::AlertLink;
use crate::webhooks::event_type::EventType;

/// An alert that only this node may send, until the lease expires.
#[derive(Clone, Debug)]
pub struct ClaimedAlert {
    pub due: DueAlert,
    /// As it was when the alert was claimed.
    pub store: StoreRecord,
    pub link: AlertLink,
    pub medium: Medium,
    pub address: String,
    pub message: AlertMessage,
    /// The same for every attempt, and for all alerts of a digest.
    pub message_id: Uuid,
    /// When the event happened.
    pub happened_at: Millis,
    pub(super) attempt: i64,
}

struct ClaimedRow {
    topic: Topic,
    medium: Medium,
    address: String,
    variant_id: i64,
    url: String,
    condition: Condition,
    event_id: Option<Uuid>,
    attempts: i64,
}

impl FromRow for ClaimedRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let topic = Topic::parse(row.text(0)?).map_err(wishbone_storage::Error::bug)?;
        Ok(Self {
            topic,
            medium: Medium::parse(row.text(1)?).map_err(wishbone_storage::Error::bug)?,
            address: row.text(2)?.to_owned(),
            variant_id: row.int(3)?,
            url: row.text(4)?.to_owned(),
            condition: Condition {
                topic,
                target_price: row.opt_text(5)?.and_then(|digits| digits.parse().ok()),
                base_price: row.opt_double(6)?,
                quantity: row.opt_int(7)?,
            },
            event_id: row.opt_blob(8)?.and_then(|id| Uuid::from_slice(id).ok()),
            attempts: row.int(9)?,
        })
    }
}

/// The variant as it is now.
struct CurrentProduct {
    state: VariantState,
    fields: String,
    url: String,
}

impl FromRow for CurrentProduct {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let state = VariantState::from_row(row)?;
        Ok(Self { state, fields: row.text(4)?.to_owned(), url: row.text(5)?.to_owned() })
    }
}

/// The event that made an alert due, if it is still the last one.
struct Event {
    event_id: Uuid,
    happened_at: Millis,
    previous_price: Option<String>,
}

impl FromRow for Event {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            event_id: uuid(row, 0)?,
            happened_at: row.int(1)?,
            previous_price: row.opt_text(2)?.map(str::to_owned),
        })
    }
}

/// Claims a due alert. One that is no longer true keeps its place in line and is not sent; in quiet hours it is postponed.
pub struct ClaimAlert {
    pub by: Operator,
    pub alert: DueAlert,
    pub moment: Moment,
}

impl Write for ClaimAlert {
    const NAME: &'static str = "claim_alert";
    /// `None` if there is nothing to send, or another node has claimed it.
    type Out = Option<ClaimedAlert>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let DueAlert { store_id, subscription_id } = self.alert;
        let now = self.moment.now;
        let key = [store_id.into(), subscription_id.as_bytes().into()];
        let claim = [(now + LEASE).into(), now.into(), key[0], key[1]];
        let Some(row) = tx.first::<ClaimedRow>(CLAIM.bind(&claim)).await? else { return Ok(None) };
        let variant = [store_id.into(), row.variant_id.into(), row.topic.as_str().into()];
        let product: Option<CurrentProduct> = tx.first(PRODUCT.bind(&variant[..2])).await?;
        let event: Option<Event> = tx.first(EVENT.bind(&variant)).await?;
        let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&key[..1])).await?;
        let store = store.ok_or_else(|| Error::internal("the store of a subscription does not exist"))?;
        if let Some(until) = store.settings.alerts.quiet_until(now) {
            tx.execute(POSTPONE.bind(&[until.into(), key[0], key[1]])).await?;
            return Ok(None);
        }

        let event = event.filter(|event| Some(event.event_id) == row.event_id);
        let previous_price = event.as_ref().and_then(|event| event.previous_price.clone());
        let previous = previous_price.as_ref().and_then(|digits| digits.parse().ok());
        let is_true = |product: &&CurrentProduct| row.condition.holds(&product.state, previous, &store.settings.alerts);
        let Some(product) = product.as_ref().filter(is_true) else {
            tx.execute(RELEASE.bind(&key)).await?;
            return Ok(None);
        };
        let recipient = Recipient::of_address(store_id, &row.address);
        let recipient_state = recipients::lock(tx, &recipient).await?;
        if let Some(refusal) = recipients::refusal(tx, &recipient, recipient_state, row.topic).await? {
            self.give_up(tx, &store, &row, SUPPRESSED, refusal).await?;
            return Ok(None);
        }
        if row.attempts > MAX_ATTEMPTS {
            // The last attempt has no recorded result: the alert may crash the node.
            self.give_up(tx, &store, &row, FAILED, "no attempt was completed").await?;
            return Ok(None);
        }
        let link = MailedUrl::new(Some(&product.url), Some(&row.url));
        let quantity = row.condition.quantity.unwrap_or(1);
        let item = MessageItem::new(Some(&product.fields), Source::Catalog, link, quantity)?;
        let topic = row.topic.as_str().to_owned();
        let message = AlertMessage { topic, item, stock: product.state.stock, previous_price };
        Ok(Some(ClaimedAlert {
            due: self.alert,
            store,
            link: AlertLink::new(recipient, row.topic, subscription_id),
            medium: row.medium,
            address: row.address,
            message,
            message_id: message_id(subscription_id, row.event_id),
            happened_at: event.map_or(now, |event| event.happened_at),
            attempt: row.attempts,
        }))
    }
}

impl ClaimAlert {
    async fn give_up<T: Tx>(
        &self,
        tx: &mut T,
        store: &StoreRecord,
        row: &ClaimedRow,
        status: i64,
        problem: &str,
    ) -> Result<()> {
        let DueAlert { store_id, subscription_id } = self.alert;
        let outcome = Outcome { status, due_at: None, problem: Some(problem), now: self.moment.now };
        outcome.save(tx, &self.alert, row.attempts).await?;
        if status == FAILED {
            report(tx, store, EventType::AlertFailed, &self.alert, &self.moment).await?;
        }
        let event = row.event_id.unwrap_or(subscription_id);
        pass_on(tx, store_id, row.variant_id, row.topic, &event, self.moment.now).await
    }
}

/// A message id for a subscription and an event.
fn message_id(subscription_id: Uuid, event_id: Option<Uuid>) -> Uuid {
    let event = event_id.unwrap_or_default();
    let digest = digest(&SHA256, &[subscription_id.into_bytes(), event.into_bytes()].concat());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_ref()[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

// A claimed alert (2) whose lease has expired is due like a waiting one (0).
statements! {
    CLAIM = "update subscriptions set status = 2, attempts = attempts + 1, due_at = $1, updated_at = $2
             where store_id = $3 and subscription_id = $4 and status in (0, 2) and due_at <= $2
             returning topic, medium, address, variant_id, url, target_price, base_price, quantity, alert_event_id,
                       attempts";
    PRODUCT = "select deleted, stock, price, was_in_stock, fields, url from products where store_id = $1 and variant_id = $2";
    EVENT = "select event_id, happened_at, previous_price from alert_events
             where store_id = $1 and variant_id = $2 and topic = $3";
    RELEASE = "update subscriptions set status = 0, due_at = null, attempts = 0, alert_event_id = null, problem = null
               where store_id = $1 and subscription_id = $2 and status = 2";
    POSTPONE = "update subscriptions set status = 0, due_at = $1, attempts = attempts - 1
                where store_id = $2 and subscription_id = $3 and status = 2";
}
