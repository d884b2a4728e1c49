//! Delivering due alerts. A node claims one with a lease, sends it and records the result; an expired lease makes it due
//! again, under the same message id.

use sha2::{Digest, Sha256};
use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::alerts::condition::Condition;
use crate::catalog::alert_events::VariantState;
use crate::catalog::topic::Topic;
use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::mail::message::{AlertMessage, MessageItem};
use crate::mail::queue::{Delivery, DeliveryState, LEASE, MAX_ATTEMPTS, backoff, shorten};
use crate::mail::recipients::{self, Recipient};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::subscriptions::create::UNSUBSCRIBED;
use crate::subscriptions::events;
use crate::subscriptions::medium::Medium;
use crate::subscriptions::row::{self, SubscriptionRow};
use crate::subscriptions::status::{FAILED, SENT, SUPPRESSED, WAITING};
use crate::subscriptions::unsubscribe::AlertLink;
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::wants;

/// An alert that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueAlert {
    pub(crate) store_id: i64,
    pub(crate) subscription_id: Uuid,
}

impl DueAlert {
    /// The id of the subscription, for logs.
    pub fn id(&self) -> Uuid {
        self.subscription_id
    }
}

/// A store with due alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DueStore(i64);

/// Finds the stores with due alerts, in the order of their ids.
pub struct FindDueStores {
    pub by: Operator,
    pub now: Millis,
}

impl Read for FindDueStores {
    const NAME: &'static str = "find_due_stores";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueStore>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let ids = query.rows::<i64>(DUE_STORES.bind(&[self.now.into()])).await?;
        Ok(ids.into_iter().map(DueStore).collect())
    }
}

/// Finds due alerts of a store, oldest first.
pub struct FindDueAlerts {
    pub by: Operator,
    pub store: DueStore,
    pub now: Millis,
    pub limit: i64,
}

impl Read for FindDueAlerts {
    const NAME: &'static str = "find_due_alerts";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<DueAlert>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let DueStore(store_id) = self.store;
        let mut due = Vec::new();
        query
            .query_all(&[DUE.bind(&[store_id.into(), self.now.into(), self.limit.into()])], &mut |_, row| {
                due.push(DueAlert { store_id, subscription_id: uuid(row, 0)? });
                Ok(())
            })
            .await?;
        Ok(due)
    }
}

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
    attempt: i64,
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
        let accepts_mail = recipients::lock(tx, &recipient).await?.accepts_mail();
        if !accepts_mail || recipients::refuses_topic(tx, &recipient, row.topic).await? {
            self.give_up(tx, &store, &row, SUPPRESSED, UNSUBSCRIBED).await?;
            return Ok(None);
        }
        if row.attempts > MAX_ATTEMPTS {
            // The last attempt has no recorded result: the alert may crash the node.
            self.give_up(tx, &store, &row, FAILED, "no attempt was completed").await?;
            return Ok(None);
        }
        let item = MessageItem::new(
            Some(&product.fields),
            &[Some(&product.url), Some(&row.url)],
            row.condition.quantity.unwrap_or(1),
        )?;
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

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
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
    let digest = Sha256::new().chain_update(subscription_id).chain_update(event).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Records an event of an alert, if the store wants it.
async fn report<T: Tx>(
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
async fn pass_on<T: Tx>(
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

/// The result of an attempt, in the row.
struct Outcome<'a> {
    status: i64,
    due_at: Option<Millis>,
    problem: Option<&'a str>,
    now: Millis,
}

impl Outcome<'_> {
    /// Returns what was alerted of, unless another node has taken the alert over or the shopper has removed it.
    async fn save<T: Tx>(&self, tx: &mut T, alert: &DueAlert, attempt: i64) -> Result<Option<Recorded>> {
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

struct Recorded {
    variant_id: i64,
    event_id: Option<Uuid>,
}

impl FromRow for Recorded {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, event_id: row.opt_blob(1)?.and_then(|id| Uuid::from_slice(id).ok()) })
    }
}

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
                let due_at = Some(now + backoff(*attempt, &self.alert.message_id));
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

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

// A claimed alert (2) whose lease has expired is due like a waiting one (0).
statements! {
    DUE_STORES = "select s.store_id from stores s
                  where (select a.due_at from subscriptions a where a.store_id = s.store_id and a.due_at <= $1
                         order by a.due_at limit 1) is not null
                  order by s.store_id";
    DUE = "select subscription_id, waiting_since from subscriptions where store_id = $1 and due_at <= $2
           order by due_at, waiting_since, subscription_id limit $3";
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
    RECORD = "update subscriptions set status = $1, due_at = $2, problem = $3, updated_at = $4
              where store_id = $5 and subscription_id = $6 and status = 2 and attempts = $7
              returning variant_id, alert_event_id";
    SUPPRESS_ADDRESS = "update subscriptions set status = 5, problem = $1, due_at = null, updated_at = $2
                        where store_id = $3 and address = $4 and variant_id > 0 and status = 0";
    PASS_ON = "update alert_events set remaining = remaining + 1, due_at = coalesce(due_at, $1)
               where store_id = $2 and variant_id = $3 and topic = $4 and event_id = $5 and remaining is not null";
}
