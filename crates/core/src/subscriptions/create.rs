//! Creating subscriptions on behalf of the store.

use serde_json::{Map, Value};
use wishbone_storage::{Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::identity::shoppers;
use crate::items::input::FailedItem;
use crate::json::encode_properties;
use crate::mail::medium::Medium;
use crate::mail::recipients::{self, Recipient};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::events;
use crate::subscriptions::insert::NewSubscription;
use crate::subscriptions::limits;
use crate::subscriptions::product::RequestedProducts;
use crate::subscriptions::row::Viewer;
use crate::subscriptions::status::{SUPPRESSED, WAITING};
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;

/// Maximum products of one call.
pub const MAX_PRODUCTS: usize = 100;

/// Subscribes an address to topics about products, on behalf of the store.
pub struct CreateSubscriptions {
    pub by: StoreAdmin,
    pub medium: Medium,
    pub address: String,
    pub topics: Vec<Topic>,
    pub products: RequestedProducts,
    pub extras: Option<Map<String, Value>>,
    pub mailing_list: bool,
    pub moment: Moment,
}

#[derive(Debug, Default)]
pub struct CreatedSubscriptions {
    /// Encoded records.
    pub subscriptions: Vec<Vec<u8>>,
    pub failed: Vec<FailedItem>,
}

impl Write for CreateSubscriptions {
    const NAME: &'static str = "create_subscriptions";
    type Out = CreatedSubscriptions;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CreatedSubscriptions> {
        self.medium.require_country(&self.by.store().settings.alerts, &self.address)?;
        let mut out = CreatedSubscriptions::default();
        let mut requested = Vec::new();
        for product in &self.products.0 {
            match product {
                Ok(product) => requested.push(product),
                Err(failed) => out.failed.push((**failed).clone()),
            }
        }
        if requested.is_empty() {
            return Ok(out);
        }
        let shopper = self.owner(tx).await?;
        let store_id = self.by.store_id();
        let first = shoppers::lock(tx, store_id, &shopper, self.moment.now).await?.next_subscription;
        if self.medium == Medium::Sms {
            // The owner of a phone number never visits, and must not expire as a guest.
            tx.execute(shoppers::DISABLE_EXPIRY.bind(&[store_id.into(), (&shopper.0).into()])).await?;
        }
        let topics = self.topics_with_refusals(tx).await?;
        let extras = self.extras.as_ref().map(encode_properties);
        let mut wanted = Vec::with_capacity(requested.len() * topics.len());
        for product in requested {
            wanted.extend(topics.iter().map(|(topic, refusal)| (product, *topic, *refusal)));
        }
        let (mut ordinal, mut created) = (first, Vec::new());
        for (product, topic, refusal) in wanted {
            let new = NewSubscription {
                store_id,
                shopper: &shopper,
                ordinal,
                id: self.moment.id(2 + usize::try_from(ordinal - first).unwrap_or_default()),
                topic,
                medium: self.medium,
                address: &self.address,
                product,
                target_price: None,
                quantity: None,
                extras: extras.as_deref(),
                mailing_list: self.mailing_list,
                status: if refusal.is_some() { SUPPRESSED } else { WAITING },
                problem: refusal,
                made_by_shopper: false,
                takes_over: true,
                now: self.moment.now,
            };
            let (row, is_new) = new.insert(tx).await?;
            ordinal += 1;
            out.subscriptions.push(row.encode(&self.by.store().pid, Viewer::Store));
            if is_new {
                created.push(row);
            }
        }
        events::record(tx, self.by.store(), EventType::SubscriptionCreated, &created, &self.moment).await?;
        tx.execute(COUNT.bind(&[ordinal.into(), store_id.into(), (&shopper.0).into()])).await?;
        if !created.is_empty() {
            limits::check_shopper(tx, store_id, &shopper).await?;
        }
        Ok(out)
    }
}

impl CreateSubscriptions {
    async fn owner<T: Tx>(&self, tx: &mut T) -> Result<ShopperId> {
        match self.medium {
            Medium::Email => Ok(shoppers::add(tx, self.by.store_id(), &self.address, &self.moment).await?.0),
            Medium::Sms => Ok(ShopperId::of_phone(self.by.store_id(), &self.address)),
        }
    }

    /// The topics, each with the reason if the recipient gets no alerts about it. The store cannot decide otherwise.
    async fn topics_with_refusals<T: Tx>(&self, tx: &mut T) -> Result<Vec<(Topic, Option<&'static str>)>> {
        let recipient = Recipient::of_address(self.by.store_id(), &self.address);
        let state = recipients::lock(tx, &recipient).await?;
        let mut topics = Vec::new();
        for topic in &self.topics {
            topics.push((*topic, recipients::refusal(tx, &recipient, state, *topic).await?));
        }
        Ok(topics)
    }
}

statements! {
    pub(crate) COUNT = "update shoppers set next_subscription = $1 where store_id = $2 and shopper_id = $3";
}
