//! Creating subscriptions on behalf of the store.

use serde_json::{Map, Value};
use wishbone_storage::{Tx, Write};

use crate::catalog::fields::{NullPolicy, ProductFields, Rejection, id, product_url};
use crate::error::{Code, Error, Result};
use crate::identity::shoppers;
use crate::items::input::FailedItem;
use crate::json::encode_properties;
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::row::{self, SubscriptionRow, Viewer};
use crate::subscriptions::topic::Medium;
use crate::tokens::ShopperId;

/// Maximum products of one call.
pub const MAX_PRODUCTS: usize = 100;

/// A valid product of a call.
#[derive(Clone, Debug)]
struct RequestedProduct {
    variant_id: i64,
    product_id: i64,
    url: String,
    given: Option<String>,
}

/// Subscribes an address to topics about products, on behalf of the store.
pub struct CreateSubscriptions {
    pub by: StoreAdmin,
    pub medium: Medium,
    pub address: String,
    pub topics: Vec<&'static str>,
    pub products: Vec<Value>,
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
        let mut out = CreatedSubscriptions::default();
        let mut requested = Vec::new();
        for product in &self.products {
            match read_product(product) {
                Ok(product) => requested.push(product),
                Err(rejection) => out.failed.push(rejected(product, rejection)),
            }
        }
        if requested.is_empty() {
            return Ok(out);
        }
        let shopper = self.owner(tx).await?;
        let store_id = self.by.store_id();
        let mut ordinal = shoppers::lock(tx, store_id, &shopper, self.moment.now).await?.next_subscription;
        if self.medium == Medium::Sms {
            // The owner of a phone number never visits, and must not expire as a guest.
            tx.execute(shoppers::DISABLE_EXPIRY.bind(&[store_id.into(), (&shopper.0).into()])).await?;
        }
        let first = ordinal;
        let extras = self.extras.as_ref().map(encode_properties);
        for product in &requested {
            for topic in &self.topics {
                let subscription_id = self.moment.id(2 + usize::try_from(ordinal - first).unwrap_or_default());
                // A pending subscription stays as it is; a sent one becomes pending again.
                tx.execute(INSERT.bind(&[
                    store_id.into(),
                    (&shopper.0).into(),
                    ordinal.into(),
                    subscription_id.as_bytes().into(),
                    (*topic).into(),
                    self.medium.as_str().into(),
                    (&self.address).into(),
                    product.variant_id.into(),
                    product.product_id.into(),
                    (&product.url).into(),
                    product.given.as_ref().into(),
                    extras.as_ref().into(),
                    self.mailing_list.into(),
                    self.moment.now.into(),
                ]))
                .await?;
                ordinal += 1;
                let key = [store_id.into(), (&self.address).into(), product.variant_id.into(), (*topic).into()];
                let row: Option<SubscriptionRow> = tx.first(row::FIND.bind(&key)).await?;
                let row = row.ok_or_else(|| Error::internal("the subscription's row was not returned"))?;
                out.subscriptions.push(row.encode(&self.by.store().pid, Viewer::Store));
            }
        }
        tx.execute(COUNT.bind(&[ordinal.into(), store_id.into(), (&shopper.0).into()])).await?;
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
}

fn read_product(product: &Value) -> std::result::Result<RequestedProduct, Rejection> {
    let object = product.as_object().ok_or("each product must be an object with epi, empi and du")?;
    let required =
        |key: &str| object.get(key).filter(|value| !value.is_null()).ok_or_else(|| format!("{key} is required"));
    let mut fields = ProductFields::default();
    let given = fields.apply(object, NullPolicy::Ignore)?;
    let encoded = fields.encode().map_err(|error| error.message)?;
    Ok(RequestedProduct {
        variant_id: id("epi", required("epi")?)?,
        product_id: id("empi", required("empi")?)?,
        url: product_url(object)?,
        given: given.then_some(encoded),
    })
}

fn rejected(product: &Value, rejection: Rejection) -> FailedItem {
    let empty = Map::new();
    *FailedItem::new(product.as_object().unwrap_or(&empty), Code::InvalidItem, rejection)
}

statements! {
    COUNT = "update shoppers set next_subscription = $1 where store_id = $2 and shopper_id = $3";
    INSERT = "insert into subscriptions (store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id,
                                         product_id, url, given, extras, mailing_list, status, made_by_shopper, created_at,
                                         updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, $14, $14)
              on conflict (store_id, address, variant_id, topic) do update set
                status = 0, updated_at = excluded.updated_at, url = excluded.url, made_by_shopper = 0,
                given = coalesce(excluded.given, subscriptions.given), extras = excluded.extras,
                mailing_list = excluded.mailing_list
              where subscriptions.status = 1";
}
