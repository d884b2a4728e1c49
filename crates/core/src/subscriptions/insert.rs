//! Writing a subscription. It is unique by address, variant and topic: one that waits stays as it is, unless its owner takes
//! over what somebody else made, and one that is over starts anew at the end of the line. A request, which waits for its
//! confirmation, is its shopper's alone: there may be one of every shopper, beside the subscription, and it neither shows
//! nor changes anything of others.

use uuid::Uuid;
use wishbone_storage::Tx;

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::medium::Medium;
use crate::moment::Millis;
use crate::subscriptions::product::RequestedProduct;
use crate::subscriptions::row::{self, SubscriptionRow, columns};
use crate::subscriptions::status::{FAILED, SENT, SUPPRESSED, UNCONFIRMED, WAITING};
use crate::tokens::ShopperId;

pub(crate) struct NewSubscription<'a> {
    pub(crate) store_id: i64,
    pub(crate) shopper: &'a ShopperId,
    pub(crate) ordinal: i64,
    pub(crate) id: Uuid,
    pub(crate) topic: Topic,
    pub(crate) medium: Medium,
    pub(crate) address: &'a str,
    pub(crate) product: &'a RequestedProduct,
    pub(crate) target_price: Option<&'a str>,
    pub(crate) quantity: Option<i64>,
    pub(crate) extras: Option<&'a str>,
    pub(crate) mailing_list: bool,
    pub(crate) status: i64,
    pub(crate) problem: Option<&'a str>,
    /// The shopper who asks, not the store.
    pub(crate) made_by_shopper: bool,
    /// The address is the shopper's own: one that starts anew becomes the shopper's, with a new ordinal, and so does one that
    /// somebody else made, unless it is the store that asks.
    pub(crate) takes_over: bool,
    pub(crate) now: Millis,
}

impl NewSubscription<'_> {
    /// Returns the row as it now is, and whether it is new or starts anew. The recipient is locked.
    pub(crate) async fn insert<T: Tx>(&self, tx: &mut T) -> Result<(SubscriptionRow, bool)> {
        let (store_id, shopper) = (self.store_id.into(), (&self.shopper.0).into());
        let key = [store_id, self.address.into(), self.product.variant_id.into(), self.topic.as_str().into(), shopper];
        let is_request = self.status == UNCONFIRMED;
        let found: Option<SubscriptionRow> = match is_request {
            true => tx.first(OWN.bind(&key)).await?,
            false => tx.first(row::FIND.bind(&key[..4])).await?,
        };
        if let Some(found) = found {
            let id = found.subscription_id;
            let is_others = found.shopper_id != self.shopper.0;
            let changed = match found.status {
                SENT | FAILED | SUPPRESSED => self.renew(tx, id).await?,
                WAITING if self.takes_over && self.made_by_shopper && is_others => self.renew(tx, id).await?,
                UNCONFIRMED => self.replace_request(tx, id).await?,
                _ => return Ok((found, false)),
            };
            // It may have been removed meanwhile.
            if changed > 0 {
                return Ok((self.written(tx, id).await?, found.status != UNCONFIRMED));
            }
        }
        self.add(tx).await?;
        Ok((self.written(tx, self.id).await?, true))
    }

    /// The price at the time of subscribing: the catalogue's or, for a product that it does not know, the caller's.
    async fn base_price<T: Tx>(&self, tx: &mut T) -> Result<Option<f64>> {
        let mut price = None;
        let key = [self.store_id.into(), self.product.variant_id.into()];
        tx.query_all(&[PRICE.bind(&key)], &mut |_, row| {
            price = row.opt_double(0)?;
            Ok(())
        })
        .await?;
        Ok(price.or(self.product.price))
    }

    async fn add<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let price = self.base_price(tx).await?;
        let args = [
            self.store_id.into(),
            (&self.shopper.0).into(),
            self.ordinal.into(),
            self.id.as_bytes().into(),
            self.topic.as_str().into(),
            self.medium.as_str().into(),
            self.address.into(),
            self.product.variant_id.into(),
            self.product.product_id.into(),
            (&self.product.url).into(),
            self.product.given.as_ref().into(),
            self.extras.into(),
            self.mailing_list.into(),
            self.status.into(),
            self.made_by_shopper.into(),
            self.now.into(),
            self.target_price.into(),
            self.quantity.into(),
            self.problem.into(),
            price.into(),
        ];
        tx.execute(INSERT.bind(&args)).await?;
        Ok(())
    }

    /// Puts one that is over at the end of the line. One that waits keeps its place, with what is wanted of it now.
    async fn renew<T: Tx>(&self, tx: &mut T, id: Uuid) -> Result<u64> {
        let price = self.base_price(tx).await?;
        let args = [
            self.status.into(),
            self.now.into(),
            (&self.product.url).into(),
            self.made_by_shopper.into(),
            self.product.given.as_ref().into(),
            self.extras.into(),
            self.mailing_list.into(),
            self.target_price.into(),
            self.quantity.into(),
            self.problem.into(),
            price.into(),
            self.takes_over.into(),
            (&self.shopper.0).into(),
            self.ordinal.into(),
            self.store_id.into(),
            id.as_bytes().into(),
        ];
        Ok(tx.execute(RENEW.bind(&args)).await?)
    }

    async fn replace_request<T: Tx>(&self, tx: &mut T, id: Uuid) -> Result<u64> {
        let request = [
            (&self.product.url).into(),
            self.product.given.as_ref().into(),
            self.target_price.into(),
            self.quantity.into(),
            self.now.into(),
            self.store_id.into(),
            id.as_bytes().into(),
        ];
        Ok(tx.execute(REPLACE_REQUEST.bind(&request)).await?)
    }

    async fn written<T: Tx>(&self, tx: &mut T, id: Uuid) -> Result<SubscriptionRow> {
        let row: Option<SubscriptionRow> =
            tx.first(row::BY_ID.bind(&[self.store_id.into(), id.as_bytes().into()])).await?;
        row.ok_or_else(|| Error::internal("the subscription's row was not returned"))
    }
}

statements! {
    PRICE = "select price from products where store_id = $1 and variant_id = $2";
    INSERT = "insert into subscriptions (store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id,
                                         product_id, url, given, extras, mailing_list, status, made_by_shopper, created_at,
                                         updated_at, waiting_since, target_price, quantity, problem, base_price)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $16, $17, $18, $19,
                      $20)";
    RENEW = "update subscriptions
             set waiting_since = case when status = 0 or status = 5 and $1 = 4 then waiting_since else $2 end, status = $1,
                 updated_at = $2, url = $3, made_by_shopper = $4, given = coalesce($5, given), extras = $6,
                 mailing_list = $7, target_price = $8, quantity = $9, problem = $10, base_price = $11,
                 alert_event_id = null, due_at = null, attempts = 0,
                 shopper_id = case when $12 = 1 then $13 else shopper_id end,
                 ordinal = case when $12 = 1 then $14 else ordinal end
             where store_id = $15 and subscription_id = $16";
    // The time of a request is that of its last repetition: it is deleted when the last link has expired.
    REPLACE_REQUEST = "update subscriptions set url = $1, given = coalesce($2, given), target_price = $3, quantity = $4,
                                                updated_at = $5
                       where store_id = $6 and subscription_id = $7";
    // Of a request and a subscription, the request.
    OWN = concat!(columns!(), "where s.store_id = $1 and s.address = $2 and s.variant_id = $3 and s.topic = $4
                                 and s.shopper_id = $5
                               order by case s.status when 4 then 0 else 1 end limit 1");
}
