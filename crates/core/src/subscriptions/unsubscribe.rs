//! The link of a product alert, with which its recipient unsubscribes: from the topic, or from all mail of the store.

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::recipients::{self, Recipient, UNSUBSCRIBED};
use crate::moment::Millis;
use crate::stores::record;
use crate::subscriptions::confirm::{ConfirmedProduct, product_of_subscription};
use crate::subscriptions::row::{self, SubscriptionRow};
use crate::tokens::Keys;

const PURPOSE: &[u8] = b"alert";

/// The recipient of an alert, as the caller of its link.
#[derive(Clone, Copy, Debug)]
pub struct AlertLink {
    pub recipient: Recipient,
    pub topic: Topic,
    subscription_id: Uuid,
}

impl AlertLink {
    pub(crate) fn new(recipient: Recipient, topic: Topic, subscription_id: Uuid) -> Self {
        Self { recipient, topic, subscription_id }
    }

    pub fn token(&self, keys: &Keys) -> String {
        let (store_id, topic) = (self.recipient.store_id().to_be_bytes(), [self.topic as u8]);
        let parts = [&store_id[..], &topic, self.subscription_id.as_bytes(), self.recipient.id()];
        keys.seal(PURPOSE, &[], &parts.concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.unseal(PURPOSE, &[], token)?;
        let (store_id, rest) = body.split_at_checked(8)?;
        let (topic, rest) = rest.split_first()?;
        let (id, recipient) = rest.split_at_checked(16)?;
        let store_id = i64::from_be_bytes(store_id.try_into().ok()?);
        Some(Self {
            recipient: Recipient::from_row(store_id, recipient).ok()?,
            topic: *Topic::ALL.get(usize::from(*topic))?,
            subscription_id: Uuid::from_slice(id).ok()?,
        })
    }
}

/// What an alert was about, and the address that it was sent to.
#[derive(Clone, Debug)]
pub struct SentAlert {
    pub product: ConfirmedProduct,
    pub address: String,
}

impl FromRow for SentAlert {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { product: ConfirmedProduct::from_row(row)?, address: row.text(4)?.to_owned() })
    }
}

/// Finds an alert, unless its subscription was removed.
pub struct FindSentAlert {
    pub by: AlertLink,
}

impl Read for FindSentAlert {
    const NAME: &'static str = "find_sent_alert";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<SentAlert>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let key = [self.by.recipient.store_id().into(), self.by.subscription_id.as_bytes().into()];
        Ok(query.first(PRODUCT.bind(&key)).await?)
    }
}

/// What a recipient unsubscribes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Topic,
    Store,
}

/// Unsubscribes the recipient of an alert, or subscribes again. Waiting subscriptions follow at once.
pub struct SetAlertPreference {
    pub by: AlertLink,
    pub scope: Scope,
    pub unsubscribed: bool,
    pub now: Millis,
}

impl Write for SetAlertPreference {
    const NAME: &'static str = "set_alert_preference";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let AlertLink { recipient, topic, subscription_id } = &self.by;
        let (store_id, topic_name) = (recipient.store_id(), topic.as_str());
        if !record::exists(tx, store_id).await? {
            return Ok(());
        }
        recipients::lock(tx, recipient).await?;
        let key = [store_id.into(), recipient.id().into(), topic_name.into(), self.now.into()];
        match (self.scope, self.unsubscribed) {
            (Scope::Topic, true) => tx.execute(recipients::REFUSE_TOPIC.bind(&key)).await?,
            (Scope::Store, true) => {
                tx.execute(recipients::SET_PREFERENCE.bind(&[key[0], key[1], self.now.into()])).await?
            }
            (_, false) => {
                recipients::accept(tx, recipient, *topic).await?;
                0
            }
        };
        let found: Option<SubscriptionRow> =
            tx.first(row::BY_ID.bind(&[store_id.into(), subscription_id.as_bytes().into()])).await?;
        let Some(SubscriptionRow { address, .. }) = found else { return Ok(()) };
        if self.unsubscribed {
            let topic = Some(*topic).filter(|_| self.scope == Scope::Topic);
            suppress(tx, store_id, &address, topic, self.now).await
        } else {
            resume(tx, recipient, &address, self.now).await
        }
    }
}

/// Suppresses what an address waits for, about one topic or all.
pub(super) async fn suppress<T: Tx>(
    tx: &mut T,
    store_id: i64,
    address: &str,
    topic: Option<Topic>,
    now: Millis,
) -> Result<()> {
    let topic = topic.map_or("", Topic::as_str);
    let args = [UNSUBSCRIBED.into(), now.into(), store_id.into(), address.into(), topic.into()];
    tx.execute(SUPPRESS.bind(&args)).await?;
    Ok(())
}

/// Lets what was suppressed wait again, except about topics that the recipient refuses.
pub(super) async fn resume<T: Tx>(tx: &mut T, recipient: &Recipient, address: &str, now: Millis) -> Result<()> {
    let args = [now.into(), recipient.store_id().into(), address.into(), recipient.id().into()];
    tx.execute(RESUME.bind(&args)).await?;
    Ok(())
}

statements! {
    PRODUCT = concat!(product_of_subscription!(", s.address"), "where s.store_id = $1 and s.subscription_id = $2");
    SUPPRESS = "update subscriptions set status = 5, problem = $1, due_at = null, updated_at = $2
                where store_id = $3 and address = $4 and variant_id > 0 and ($5 = '' or topic = $5) and status = 0";
    RESUME = "update subscriptions set status = 0, problem = null, updated_at = $1
              where store_id = $2 and address = $3 and variant_id > 0 and status = 5 and not exists
                (select 1 from refused_topics r
                 where r.store_id = $2 and r.recipient_id = $4 and r.topic = subscriptions.topic)";
}
