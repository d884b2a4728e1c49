//! The link of a product alert, with which its recipient unsubscribes: from the topic, or from all mail of the store.

use uuid::Uuid;
use wishbone_storage::{Query, Read, Tx, Write, WriteSet};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::recipients::{self, Recipient, UNSUBSCRIBED};
use crate::moment::Millis;
use crate::stores::record;
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

/// Finds the address of an alert, unless its subscription was removed.
pub struct FindAlertAddress {
    pub by: AlertLink,
}

impl Read for FindAlertAddress {
    const NAME: &'static str = "find_alert_address";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<String>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let key = [self.by.recipient.store_id().into(), self.by.subscription_id.as_bytes().into()];
        let found: Option<SubscriptionRow> = query.first(row::BY_ID.bind(&key)).await?;
        Ok(found.map(|row| row.address))
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
        let topic = if self.scope == Scope::Topic { topic_name } else { "" };
        let key = [store_id.into(), (&address).into()];
        if self.unsubscribed {
            let args = [UNSUBSCRIBED.into(), self.now.into(), key[0], key[1], topic.into()];
            tx.execute(SUPPRESS.bind(&args)).await?;
        } else {
            tx.execute(RESUME.bind(&[self.now.into(), key[0], key[1], recipient.id().into()])).await?;
        }
        Ok(())
    }

    fn write_set(&self, (): &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

statements! {
    SUPPRESS = "update subscriptions set status = 5, problem = $1, due_at = null, updated_at = $2
                where store_id = $3 and address = $4 and variant_id > 0 and ($5 = '' or topic = $5) and status = 0";
    RESUME = "update subscriptions set status = 0, problem = null, updated_at = $1
              where store_id = $2 and address = $3 and variant_id > 0 and status = 5 and not exists
                (select 1 from refused_topics r
                 where r.store_id = $2 and r.recipient_id = $4 and r.topic = subscriptions.topic)";
}
