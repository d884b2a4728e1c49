//! Confirming an address (double opt-in). The link in the confirmation mail proves that its reader owns the address.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::mail::message::MessageItem;
use crate::mail::recipients::{self, Recipient};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::record::{self, StoreRecord};
use crate::subscriptions::events;
use crate::subscriptions::row::{self, SubscriptionRow, columns};
use crate::subscriptions::status::{UNCONFIRMED, WAITING};
use crate::tokens::Keys;
use crate::webhooks::event_type::EventType;

const PURPOSE: &[u8] = b"confirm";
/// Maximum subscriptions that the page lists.
const MAX_SHOWN: i64 = 20;

/// The owner of an address, as the caller of the link that was mailed to it.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmationLink {
    store_id: i64,
    subscription_id: Uuid,
    expires_at: Millis,
}

impl ConfirmationLink {
    pub fn new(store_id: i64, subscription_id: Uuid, expires_at: Millis) -> Self {
        Self { store_id, subscription_id, expires_at }
    }

    pub fn token(&self, keys: &Keys) -> String {
        let parts = [&self.store_id.to_be_bytes()[..], self.subscription_id.as_bytes(), &self.expires_at.to_be_bytes()];
        keys.seal(PURPOSE, &[], &parts.concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.unseal(PURPOSE, &[], token)?;
        let (store_id, rest) = body.split_at_checked(8)?;
        let (id, expires_at) = rest.split_at_checked(16)?;
        Some(Self {
            store_id: i64::from_be_bytes(store_id.try_into().ok()?),
            subscription_id: Uuid::from_slice(id).ok()?,
            expires_at: i64::from_be_bytes(expires_at.try_into().ok()?),
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
    /// True if nothing is left to confirm.
    pub is_confirmed: bool,
    /// What is waiting for the confirmation, or what has been confirmed.
    pub subscriptions: Vec<ConfirmedProduct>,
}

#[derive(Clone, Debug)]
pub struct ConfirmedProduct {
    pub topic: String,
    pub item: MessageItem,
}

impl FromRow for ConfirmedProduct {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let item = MessageItem::new(row.opt_text(1)?, &[row.opt_text(2)?, Some(row.text(3)?)], 1);
        Ok(Self { topic: row.text(0)?.to_owned(), item: item.map_err(wishbone_storage::Error::bug)? })
    }
}

/// Finds what a link confirms. `None` if its subscription no longer exists.
pub struct FindConfirmation {
    pub by: ConfirmationLink,
}

impl Read for FindConfirmation {
    const NAME: &'static str = "find_confirmation";
    type Out = Option<Confirmation>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, id) = (self.by.store_id, self.by.subscription_id);
        let row: Option<SubscriptionRow> =
            query.first(row::BY_ID.bind(&[store_id.into(), id.as_bytes().into()])).await?;
        let Some(row) = row else { return Ok(None) };
        let args = [store_id.into(), (&row.address).into(), row.status.into(), MAX_SHOWN.into()];
        let subscriptions = query.rows(OF_STATUS.bind(&args)).await?;
        Ok(Some(Confirmation {
            recipient: Recipient::of_address(store_id, &row.address),
            is_confirmed: row.status != UNCONFIRMED,
            address: row.address,
            subscriptions,
        }))
    }
}

/// Confirms an address: everything that waits for its confirmation joins the line, at the place of its request.
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
        let now = self.moment.now;
        let (store_id, id) = (self.by.store_id, self.by.subscription_id);
        let row: Option<SubscriptionRow> = tx.first(row::BY_ID.bind(&[store_id.into(), id.as_bytes().into()])).await?;
        let Some(row) = row.filter(|row| row.status == UNCONFIRMED && !self.by.has_expired(now)) else {
            return Ok(0);
        };
        let args = [now.into(), store_id.into(), (&row.address).into()];
        let mut confirmed: Vec<SubscriptionRow> = tx.rows(UNCONFIRMED_OF_ADDRESS.bind(&args[1..])).await?;
        tx.execute(CONFIRM.bind(&args)).await?;
        confirmed.iter_mut().for_each(|row| (row.status, row.updated_at) = (WAITING, now));
        if let Some(store) = tx.first::<StoreRecord>(record::BY_ID.bind(&[store_id.into()])).await? {
            events::record(tx, &store, EventType::SubscriptionConfirmed, &confirmed, &self.moment).await?;
        }
        let recipient = Recipient::of_address(store_id, &row.address);
        recipients::accept(tx, &recipient, Topic::parse(&row.topic)?).await?;
        Ok(confirmed.len())
    }
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
        let keys: Vec<[Arg<'_>; 4]> = expired.iter().map(|row| row.key(self.store_id)).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| PURGE.bind(key)).collect();
        Ok(tx.execute_all(&batch).await?.iter().sum())
    }
}

// `variant_id > 0` is always true: it makes SQLite take the index by address.
statements! {
    EXPIRED = concat!(columns!(), "where s.store_id = $1 and s.status = 4 and s.updated_at < $2
                                   order by s.subscription_id limit $3");
    PURGE = "delete from subscriptions
             where store_id = $1 and address = $2 and variant_id = $3 and topic = $4 and status = 4";
    OF_STATUS = "select s.topic, coalesce(p.fields, s.given), p.url, s.url
                 from subscriptions s left join products p on p.store_id = s.store_id and p.variant_id = s.variant_id
                 where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.status = $3
                 order by s.waiting_since desc, s.subscription_id limit $4";
    UNCONFIRMED_OF_ADDRESS =
        concat!(columns!(), "where s.store_id = $1 and s.address = $2 and s.variant_id > 0 and s.status = 4");
    CONFIRM = "update subscriptions set status = 0, updated_at = $1
               where store_id = $2 and address = $3 and variant_id > 0 and status = 4";
}
