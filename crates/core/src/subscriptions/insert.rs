//! Writing a subscription. It is unique by address, variant and topic: one that waits stays as it is, one that is over
//! starts anew at the end of the line, and a request that has to be confirmed changes only what is the shopper's own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;
use wishbone_storage::{Arg, Tx};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::limits::RETENTION;
use crate::mail::medium::Medium;
use crate::mail::recipients::Recipient;
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
        let is_new = tx.execute(INSERT.bind(&args)).await? > 0;
        if !is_new && self.status == UNCONFIRMED {
            self.replace_request(tx, &key).await?;
        }
        let row: Option<SubscriptionRow> = tx.first(row::FIND.bind(&key)).await?;
        let row = row.ok_or_else(|| Error::internal("the subscription's row was not returned"))?;
        Ok((row, is_new))
    }

    /// Changes a request that waits for its confirmation, if it is the shopper's own.
    async fn replace_request<T: Tx>(&self, tx: &mut T, key: &[Arg<'_>; 4]) -> Result<()> {
        let request = [
            (&self.product.url).into(),
            self.product.given.as_ref().into(),
            self.target_price.into(),
            self.quantity.into(),
            self.now.into(),
            key[0],
            key[1],
            key[2],
            key[3],
            (&self.shopper.0).into(),
        ];
        tx.execute(REPLACE_REQUEST.bind(&request)).await?;
        Ok(())
    }

    /// Notes that somebody else asks for a subscription that was sent. Its row stays as it is: the subscription starts anew
    /// when its owner confirms it in time. Returns whether no such request waits yet.
    pub(crate) async fn request_again<T: Tx>(&self, tx: &mut T, expires_at: Millis) -> Result<bool> {
        let prefix = again_prefix(self.store_id, self.address);
        let counter = format!("{prefix}{}:{}", self.topic.as_str(), self.product.variant_id);
        // The clean-up deletes it when the link has expired.
        let since = expires_at - RETENTION;
        Ok(tx.execute(NOTE_REQUEST.bind(&[self.store_id.into(), (&counter).into(), since.into()])).await? > 0)
    }
}

/// The start of the names under which requests for sent subscriptions of an address are noted, among the counters of
/// messages. The topic and the variant follow.
pub(crate) fn again_prefix(store_id: i64, address: &str) -> String {
    format!("again:{}:", URL_SAFE_NO_PAD.encode(Recipient::of_address(store_id, address).id()))
}

/// What waits for the confirmation of an address ($2), and what was sent and is asked for again ($3 is its prefix).
/// `variant_id > 0` is always true: it makes SQLite take the index by address.
macro_rules! requested {
    () => {
        "s.store_id = $1 and s.address = $2 and s.variant_id > 0 and (s.status = 4 or (s.status = 1 and exists
           (select 1 from message_counters c
            where c.store_id = $1 and c.counter = $3 || s.topic || ':' || s.variant_id)))"
    };
}
pub(crate) use requested;

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
                waiting_since = case when subscriptions.status = 4 or (subscriptions.status = 5 and excluded.status = 4)
                                     then subscriptions.waiting_since else excluded.waiting_since end,
                ordinal = case when $21 = 1 and subscriptions.shopper_id <> excluded.shopper_id then excluded.ordinal
                               else subscriptions.ordinal end,
                shopper_id = case when $21 = 1 then excluded.shopper_id else subscriptions.shopper_id end
              where (subscriptions.status in (1, 3, 5)
                     and (excluded.status <> 4 or subscriptions.shopper_id = excluded.shopper_id))
                 or (subscriptions.status = 4 and excluded.status <> 4)";
    NOTE_REQUEST = "insert into message_counters (store_id, counter, since, messages) values ($1, $2, $3, 1)
                    on conflict (store_id, counter) do nothing";
    // The time of a request is that of its last repetition: it is deleted when the last link has expired.
    REPLACE_REQUEST = "update subscriptions set url = $1, given = coalesce($2, given), target_price = $3, quantity = $4,
                                                updated_at = $5
                       where store_id = $6 and address = $7 and variant_id = $8 and topic = $9 and status = 4
                         and shopper_id = $10";
}
