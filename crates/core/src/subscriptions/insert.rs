//! Writing a subscription. It is unique by address, variant and topic: one that waits stays as it is, one that is over
//! starts anew at the end of the line, and a request that is not confirmed yet changes only by the shopper who made it.

use uuid::Uuid;
use wishbone_storage::{Arg, Tx};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::medium::Medium;
use crate::moment::Millis;
use crate::subscriptions::product::RequestedProduct;
use crate::subscriptions::row::{self, SubscriptionRow};
use crate::subscriptions::status::UNCONFIRMED;
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
    /// The address is the shopper's own: one that somebody else made for it becomes the shopper's.
    pub(crate) takes_over: bool,
    pub(crate) now: Millis,
}

impl NewSubscription<'_> {
    /// Returns the row as it now is, and whether it is new or starts anew.
    pub(crate) async fn insert<T: Tx>(&self, tx: &mut T) -> Result<(SubscriptionRow, bool)> {
        let key =
            [self.store_id.into(), self.address.into(), self.product.variant_id.into(), self.topic.as_str().into()];
        let mut price = None;
        tx.query_all(&[PRICE.bind(&[key[0], key[2]])], &mut |_, row| {
            price = row.opt_double(0)?;
            Ok(())
        })
        .await?;
        let args = [
            key[0],
            (&self.shopper.0).into(),
            self.ordinal.into(),
            self.id.as_bytes().into(),
            key[3],
            self.medium.as_str().into(),
            key[1],
            key[2],
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
            price.or(self.product.price).into(),
            self.takes_over.into(),
        ];
        let mut is_new = tx.execute(INSERT.bind(&args)).await? > 0;
        if !is_new && self.status == UNCONFIRMED {
            is_new = self.request_again(tx, &key).await?;
        }
        let row: Option<SubscriptionRow> = tx.first(row::FIND.bind(&key)).await?;
        let row = row.ok_or_else(|| Error::internal("the subscription's row was not returned"))?;
        Ok((row, is_new))
    }

    /// Requests alerts for an address that has this subscription already. One that was sent starts anew when its owner
    /// confirms; while a request waits for that, its shopper can change it, and nobody else. Returns whether it starts anew.
    async fn request_again<T: Tx>(&self, tx: &mut T, key: &[Arg<'_>; 4]) -> Result<bool> {
        let restart = [self.now.into(), key[0], key[1], key[2], key[3]];
        if tx.execute(REQUEST_SENT.bind(&restart)).await? > 0 {
            return Ok(true);
        }
        let request = [
            (&self.product.url).into(),
            self.product.given.as_ref().into(),
            self.target_price.into(),
            self.quantity.into(),
            key[0],
            key[1],
            key[2],
            key[3],
            (&self.shopper.0).into(),
        ];
        tx.execute(REPLACE_REQUEST.bind(&request)).await?;
        Ok(false)
    }
}

// The price at the time of subscribing is the catalogue's or, for a product that it does not know, the caller's.
statements! {
    PRICE = "select price from products where store_id = $1 and variant_id = $2";
    INSERT = "insert into subscriptions (store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id,
                                         product_id, url, given, extras, mailing_list, status, made_by_shopper, created_at,
                                         updated_at, waiting_since, target_price, quantity, problem, base_price)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16, $16, $17, $18, $19,
                      $20)
              on conflict (store_id, address, variant_id, topic) do update set
                status = excluded.status, updated_at = excluded.updated_at, url = excluded.url,
                made_by_shopper = excluded.made_by_shopper, given = coalesce(excluded.given, subscriptions.given),
                extras = excluded.extras, mailing_list = excluded.mailing_list,
                target_price = excluded.target_price, quantity = excluded.quantity, problem = excluded.problem,
                base_price = excluded.base_price, alert_event_id = null, due_at = null, attempts = 0,
                waiting_since = case when subscriptions.status = 4 then subscriptions.waiting_since
                                     else excluded.waiting_since end,
                ordinal = case when $21 = 1 and subscriptions.shopper_id <> excluded.shopper_id then excluded.ordinal
                               else subscriptions.ordinal end,
                shopper_id = case when $21 = 1 then excluded.shopper_id else subscriptions.shopper_id end
              where (subscriptions.status in (1, 3, 5)
                     and (excluded.status <> 4 or subscriptions.shopper_id = excluded.shopper_id))
                 or (subscriptions.status = 4 and excluded.status <> 4)";
    REQUEST_SENT = "update subscriptions set status = 4, updated_at = $1, waiting_since = $1, alert_event_id = null,
                                             due_at = null, attempts = 0, problem = null
                    where store_id = $2 and address = $3 and variant_id = $4 and topic = $5 and status = 1";
    REPLACE_REQUEST = "update subscriptions set url = $1, given = coalesce($2, given), target_price = $3, quantity = $4
                       where store_id = $5 and address = $6 and variant_id = $7 and topic = $8 and status = 4
                         and shopper_id = $9";
}
