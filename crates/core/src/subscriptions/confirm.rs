//! Confirming an address (double opt-in). The link in the confirmation mail proves that its reader owns the address.

use std::collections::BTreeSet;

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::identity::shoppers;
use crate::mail::message::{MessageItem, Source};
use crate::mail::recipients::{self, Recipient};
use crate::mail::shop_url::MailedUrl;
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::subscriptions::events;
use crate::subscriptions::row::{self, SubscriptionRow, columns};
use crate::subscriptions::status::{UNCONFIRMED, WAITING};
use crate::tokens::{Keys, ShopperId};
use crate::webhooks::event_type::EventType;

const PURPOSE: &[u8] = b"confirm";
/// Maximum subscriptions that the page lists.
const MAX_SHOWN: i64 = 20;

/// The owner of an address, as the caller of the link that was mailed to it, for what one shopper has requested.
#[derive(Clone, Debug)]
pub struct ConfirmationLink {
    store_id: i64,
    shopper: ShopperId,
    address: String,
    expires_at: Millis,
}

impl ConfirmationLink {
    pub fn new(store_id: i64, shopper: ShopperId, address: &str, expires_at: Millis) -> Self {
        Self { store_id, shopper, address: address.to_owned(), expires_at }
    }

    pub fn token(&self, keys: &Keys) -> Option<String> {
        let numbers = [self.store_id.to_be_bytes(), self.expires_at.to_be_bytes()].concat();
        keys.encrypt_token(PURPOSE, &[&numbers, &self.shopper.0[..], self.address.as_bytes()].concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.decrypt_token(PURPOSE, token)?;
        let (store_id, rest) = body.split_first_chunk()?;
        let (expires_at, rest) = rest.split_first_chunk()?;
        let (shopper, address) = rest.split_first_chunk()?;
        Some(Self {
            store_id: i64::from_be_bytes(*store_id),
            shopper: ShopperId(*shopper),
            address: String::from_utf8(address.to_vec()).ok()?,
            expires_at: i64::from_be_bytes(*expires_at),
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
        let ConfirmationLink { store_id, shopper, address, .. } = &self.by;
        let shopper = shoppers::person(query, *store_id, shopper).await?.unwrap_or(*shopper);
        let key =
            |status: i64| [(*store_id).into(), address.into(), (&shopper.0).into(), status.into(), MAX_SHOWN.into()];
        let is_gone = query.first::<i64>(ANY.bind(&key(UNCONFIRMED)[..2])).await?.is_none();
        let is_confirmed = query.first::<i64>(COUNT.bind(&key(UNCONFIRMED)[..4])).await? == Some(0);
        let key = key(if is_confirmed { WAITING } else { UNCONFIRMED });
        let count: Option<i64> = query.first(COUNT.bind(&key[..4])).await?;
        let subscriptions: Vec<ConfirmedProduct> = query.rows(SOME.bind(&key)).await?;
        let more = count.unwrap_or(0) - subscriptions.len() as i64;
        let recipient = Recipient::of_address(*store_id, address);
        Ok(Confirmation { recipient, address: address.clone(), is_gone, is_confirmed, subscriptions, more })
    }
}

/// Confirms what a shopper has requested for an address: it joins the line, at the place of its request.
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
        let ConfirmationLink { store_id, shopper, address, .. } = &self.by;
        let store: Option<StoreRecord> = tx.first(record::BY_ID.bind(&[(*store_id).into()])).await?;
        match store {
            Some(store) if !self.by.has_expired(self.moment.now) => {
                let shopper = shoppers::person(tx, *store_id, shopper).await?.unwrap_or(*shopper);
                confirm(tx, &store, address, &shopper, &self.moment).await
            }
            _ => Ok(0),
        }
    }
}

/// Confirms what a shopper has requested for an address. It replaces what others have made of the same, and what is over,
/// but not what the address's owner waits for already, nor what is waited for on fewer conditions: nobody can silence that.
pub(crate) async fn confirm<T: Tx>(
    tx: &mut T,
    store: &StoreRecord,
    address: &str,
    shopper: &ShopperId,
    moment: &Moment,
) -> Result<usize> {
    let store_id = store.store_id;
    let recipient = Recipient::of_address(store_id, address);
    recipients::lock(tx, &recipient).await?;
    let key = [store_id.into(), address.into(), (&shopper.0).into()];
    let requests: Vec<SubscriptionRow> = tx.rows(REQUESTS.bind(&key)).await?;
    let keys: Vec<[Arg<'_>; 4]> = requests.iter().map(|request| request.key(store_id)).collect();
    let mut present: Vec<Option<SubscriptionRow>> = requests.iter().map(|_| None).collect();
    tx.query_all(&keys.iter().map(|key| row::FIND.bind(key)).collect::<Vec<_>>(), &mut |number, row| {
        present[number] = Some(SubscriptionRow::from_row(row)?);
        Ok(())
    })
    .await?;
    let topics: BTreeSet<String> = requests.iter().map(|request| request.topic.clone()).collect();
    let (mut removed, mut confirmed) = (Vec::new(), Vec::new());
    for (mut request, present) in requests.into_iter().zip(present) {
        match present {
            Some(present)
                if present.is_awaited_by(address) || present.is_pending() && !request.is_as_loose_as(&present) =>
            {
                removed.push(request);
            }
            present => {
                removed.extend(present);
                (request.status, request.updated_at) = (WAITING, moment.now);
                confirmed.push(request);
            }
        }
    }
    let ids: Vec<[Arg<'_>; 2]> = removed.iter().map(|row| row.id(store_id)).collect();
    tx.execute_all(&ids.iter().map(|id| row::DELETE.bind(id)).collect::<Vec<_>>()).await?;
    let ids: Vec<[Arg<'_>; 3]> =
        confirmed.iter().map(|row| row.id(store_id)).map(|[store, id]| [moment.now.into(), store, id]).collect();
    let changed = tx.execute_all(&ids.iter().map(|id| CONFIRM.bind(id)).collect::<Vec<_>>()).await?;
    // A request may have been removed meanwhile.
    let mut changed = changed.iter();
    confirmed.retain(|_| changed.next().is_some_and(|rows| *rows > 0));
    for topic in &topics {
        recipients::accept(tx, &recipient, Topic::parse(topic)?).await?;
    }
    events::record(tx, store, EventType::SubscriptionRemoved, &removed, moment).await?;
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
        let ids: Vec<[Arg<'_>; 3]> = expired
            .iter()
            .map(|row| row.id(self.store_id))
            .map(|[store, id]| [store, id, self.before.into()])
            .collect();
        let batch: Vec<Bound<'_>> = ids.iter().map(|id| DROP.bind(id)).collect();
        Ok(tx.execute_all(&batch).await?.iter().sum())
    }
}

// `variant_id > 0` is always true: it makes SQLite take the index by address. `+status` keeps PostgreSQL from the index of
// requests, where the primary key is at hand.
statements! {
    EXPIRED = concat!(columns!(), "where s.store_id = $1 and s.status = 4 and s.updated_at < $2
                                   order by s.subscription_id limit $3");
    DROP = "delete from subscriptions where store_id = $1 and subscription_id = $2 and +status = 4 and updated_at < $3";
    ANY = "select status from subscriptions where store_id = $1 and address = $2 and variant_id > 0 limit 1";
    SOME = concat!(product_of_subscription!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.shopper_id = $3 and s.status = $4
        order by s.waiting_since desc, s.subscription_id limit $5");
    COUNT = "select count(*) from subscriptions
             where store_id = $1 and address = $2 and variant_id > 0 and shopper_id = $3 and status = $4";
    REQUESTS = concat!(columns!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.shopper_id = $3 and s.status = 4
        order by s.waiting_since, s.subscription_id");
    CONFIRM = "update subscriptions set status = 0, updated_at = $1
               where store_id = $2 and subscription_id = $3 and +status = 4";
}
