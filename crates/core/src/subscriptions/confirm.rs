//! Confirming an address (double opt-in). The link in the confirmation mail proves that its reader owns the address.

use std::collections::BTreeSet;

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::message::{MessageItem, Source};
use crate::mail::recipients::{self, Recipient};
use crate::mail::shop_url::MailedUrl;
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::subscriptions::events;
use crate::subscriptions::row::{self, SubscriptionRow, columns};
use crate::tokens::{Keys, ShopperId};
use crate::webhooks::event_type::EventType;

const PURPOSE: &[u8] = b"confirm";
/// Maximum subscriptions that the page lists.
const MAX_SHOWN: i64 = 20;

/// The owner of an address, as the caller of the link that was mailed to it.
#[derive(Clone, Debug)]
pub struct ConfirmationLink {
    store_id: i64,
    address: String,
    expires_at: Millis,
}

impl ConfirmationLink {
    pub fn new(store_id: i64, address: &str, expires_at: Millis) -> Self {
        Self { store_id, address: address.to_owned(), expires_at }
    }

    pub fn token(&self, keys: &Keys) -> Option<String> {
        let parts = [&self.store_id.to_be_bytes()[..], &self.expires_at.to_be_bytes(), self.address.as_bytes()];
        keys.encrypt_token(PURPOSE, &parts.concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.decrypt_token(PURPOSE, token)?;
        let (store_id, rest) = body.split_at_checked(8)?;
        let (expires_at, address) = rest.split_at_checked(8)?;
        Some(Self {
            store_id: i64::from_be_bytes(store_id.try_into().ok()?),
            expires_at: i64::from_be_bytes(expires_at.try_into().ok()?),
            address: String::from_utf8(address.to_vec()).ok()?,
        })
    }

    pub fn has_expired(&self, now: Millis) -> bool {
        self.expires_at <= now
    }
}

/// What a confirmation link is about.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub recipient: Recipient,
    pub address: String,
    /// True if the address has no subscription any more: what is not confirmed in time is deleted.
    pub is_gone: bool,
    /// True if nothing is left to confirm.
    pub is_confirmed: bool,
    /// Some of what is waiting for the confirmation, or of what has been confirmed, and how many others there are.
    pub subscriptions: Vec<ConfirmedProduct>,
    pub more: i64,
}

#[derive(Clone, Debug)]
pub struct ConfirmedProduct {
    pub topic: String,
    pub item: MessageItem,
}

/// Its row starts with the topic, the product fields, the catalogue's URL and the shopper's.
impl FromRow for ConfirmedProduct {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let link = MailedUrl::new(row.opt_text(2)?, row.opt_text(3)?);
        let item = MessageItem::new(row.opt_text(1)?, Source::Shopper, link, 1);
        Ok(Self { topic: row.text(0)?.to_owned(), item: item.map_err(wishbone_storage::Error::bug)? })
    }
}

/// The columns of a [`ConfirmedProduct`], and its tables. Of what is not confirmed, the URL may be a stranger's.
macro_rules! product_of_subscription {
    ($($more:literal)?) => {
        concat!(
            "select s.topic, coalesce(p.fields, s.given), p.url, case when s.status <> 4 then s.url end",
            $($more,)?
            " from subscriptions s left join products p on p.store_id = $1 and p.variant_id = s.variant_id "
        )
    };
}
pub(crate) use product_of_subscription;

/// Finds what a link confirms.
pub struct FindConfirmation {
    pub by: ConfirmationLink,
}

impl Read for FindConfirmation {
    const NAME: &'static str = "find_confirmation";
    type Out = Confirmation;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let ConfirmationLink { store_id, address, .. } = &self.by;
        let key = [(*store_id).into(), address.into()];
        let is_gone = query.first::<i64>(ANY.bind(&key)).await?.is_none();
        let some = [key[0], key[1], MAX_SHOWN.into()];
        let mut subscriptions = query.rows(REQUESTED.bind(&some)).await?;
        let is_confirmed = subscriptions.is_empty();
        let count: Option<i64> = if is_confirmed {
            subscriptions = query.rows(WAITING_OF_ADDRESS.bind(&some)).await?;
            query.first(COUNT_WAITING.bind(&key)).await?
        } else {
            query.first(COUNT_REQUESTED.bind(&key)).await?
        };
        let more = count.unwrap_or(0) - subscriptions.len() as i64;
        let recipient = Recipient::of_address(*store_id, address);
        Ok(Confirmation { recipient, address: address.clone(), is_gone, is_confirmed, subscriptions, more })
    }
}

/// Confirms an address: everything that waits for its confirmation joins the line, at the place of its request. What is
/// over, and has been asked for again, starts anew.
pub struct ConfirmAddress {
    pub by: ConfirmationLink,
    pub moment: Moment,
}

impl Write for ConfirmAddress {
    const NAME: &'static str = "confirm_address";
    /// The number of confirmed subscriptions.
    type Out = usize;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<usize> {
        let ConfirmationLink { store_id, address, .. } = &self.by;
        let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&[(*store_id).into()])).await?;
        match store {
            Some(store) if !self.by.has_expired(self.moment.now) => {
                confirm(tx, &store, address, None, &self.moment).await
            }
            _ => Ok(0),
        }
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

/// Confirms what waits for the confirmation of an address, or only what one shopper has requested.
pub(crate) async fn confirm<T: Tx>(
    tx: &mut T,
    store: &StoreRecord,
    address: &str,
    requested_by: Option<&ShopperId>,
    moment: &Moment,
) -> Result<usize> {
    let (store_id, now) = (store.store_id, moment.now);
    let recipient = Recipient::of_address(store_id, address);
    recipients::lock(tx, &recipient).await?;
    let mut requests: Vec<SubscriptionRow> =
        tx.rows(REQUESTS_OF_ADDRESS.bind(&[store_id.into(), address.into()])).await?;
    // A shopper who logs in confirms their own requests only.
    requests.retain(|row| requested_by.is_none_or(|shopper| row.shopper_id == shopper.0));
    let keys: Vec<[Arg<'_>; 5]> = requests.iter().map(|request| request.request_key(store_id)).collect();
    let join: Vec<[Arg<'_>; 6]> = keys.iter().map(|key| [now.into(), key[0], key[1], key[2], key[3], key[4]]).collect();
    let batch =
        keys.iter().zip(&join).flat_map(|(key, join)| [RENEW.bind(&join[..5]), PROMOTE.bind(join), DROP.bind(key)]);
    let changed = tx.execute_all(&batch.collect::<Vec<_>>()).await?;
    let has_joined = |number: usize| changed[3 * number..][..2].iter().any(|rows| *rows > 0);
    let joined = keys.iter().enumerate().filter(|(number, _)| has_joined(*number));
    let joined: Vec<Bound<'_>> = joined.map(|(_, key)| row::FIND.bind(&key[..4])).collect();
    let mut confirmed: Vec<SubscriptionRow> = Vec::with_capacity(joined.len());
    tx.query_all(&joined, &mut |_, row| {
        confirmed.push(SubscriptionRow::from_row(row)?);
        Ok(())
    })
    .await?;
    let topics: BTreeSet<&str> = requests.iter().map(|request| request.topic.as_str()).collect();
    for topic in topics {
        recipients::accept(tx, &recipient, Topic::parse(topic)?).await?;
    }
    events::record(tx, store, EventType::SubscriptionConfirmed, &confirmed, moment).await?;
    Ok(confirmed.len())
}

/// Deletes some subscriptions that were not confirmed in time.
pub struct PurgeUnconfirmed {
    pub by: Operator,
    pub store_id: i64,
    /// Requested before this time.
    pub before: Millis,
    pub limit: i64,
}

impl Write for PurgeUnconfirmed {
    const NAME: &'static str = "purge_unconfirmed";
    type Out = u64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let args = [self.store_id.into(), self.before.into(), self.limit.into()];
        let expired: Vec<SubscriptionRow> = tx.rows(EXPIRED.bind(&args)).await?;
        let keys: Vec<[Arg<'_>; 5]> = expired.iter().map(|row| row.request_key(self.store_id)).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| DROP.bind(key)).collect();
        Ok(tx.execute_all(&batch).await?.iter().sum())
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

// `variant_id > 0` is always true: it makes SQLite take the index by address.
statements! {
    EXPIRED = concat!(columns!(), "where s.store_id = $1 and s.status = 4 and s.updated_at < $2
                                   order by s.subscription_id limit $3");
    DROP = "delete from subscriptions
            where store_id = $1 and address = $2 and variant_id = $3 and topic = $4 and shopper_id = $5 and status = 4";
    // Of several requests for the same, one is shown.
    REQUESTED = concat!(product_of_subscription!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.status = 4 and not exists
          (select 1 from subscriptions o
           where o.store_id = $1 and o.address = $2 and o.variant_id = s.variant_id and o.topic = s.topic and o.status = 4
             and o.subscription_id < s.subscription_id)
        order by s.waiting_since desc, s.subscription_id limit $3");
    COUNT_REQUESTED = "select count(*) from (select distinct variant_id, topic from subscriptions
                         where store_id = $1 and address = $2 and variant_id > 0 and status = 4) requested";
    ANY = "select status from subscriptions where store_id = $1 and address = $2 and variant_id > 0 limit 1";
    // Of several requests for the same, the one with the fewest conditions is first: nobody can silence another's.
    REQUESTS_OF_ADDRESS = concat!(columns!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.status = 4
        order by case when s.target_price is null then 0 else 1 end, s.quantity nulls first, s.waiting_since,
                 s.subscription_id");
    WAITING_OF_ADDRESS = concat!(product_of_subscription!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.status = 0
        order by s.waiting_since desc, s.subscription_id limit $3");
    COUNT_WAITING =
        "select count(*) from subscriptions where store_id = $1 and address = $2 and variant_id > 0 and status = 0";
    // `status <> 4` makes SQLite take the index by key.
    RENEW = "update subscriptions set status = 0, updated_at = $1, waiting_since = $1, alert_event_id = null,
                                      due_at = null, attempts = 0, problem = null,
                                      base_price = coalesce((select p.price from products p
                                        where p.store_id = $2 and p.variant_id = subscriptions.variant_id), base_price)
             where store_id = $2 and address = $3 and variant_id = $4 and topic = $5 and status <> 4
               and status in (1, 3, 5)";
    // The first request for what nobody has.
    PROMOTE = "update subscriptions set status = 0, updated_at = $1
               where store_id = $2 and address = $3 and variant_id = $4 and topic = $5 and shopper_id = $6 and status = 4
                 and not exists
                   (select 1 from subscriptions o
                    where o.store_id = $2 and o.address = $3 and o.variant_id = $4 and o.topic = $5 and o.status <> 4)";
}
