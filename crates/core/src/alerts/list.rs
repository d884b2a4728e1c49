//! The subscriptions of a store, for its administrators.

use uuid::Uuid;
use wishbone_storage::{Arg, Query, Read, Sql};

use crate::catalog::topic::Topic;
use crate::error::{Code, Error, Result};
use crate::mail::medium::Medium;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::row::{SubscriptionRow, columns};
use crate::tokens::Keys;

const PURPOSE: &[u8] = b"subscriptions page";

/// Which subscriptions; `None` means any.
#[derive(Clone, Debug, Default)]
pub struct SubscriptionFilter {
    pub topic: Option<Topic>,
    pub medium: Option<Medium>,
    pub variant_id: Option<i64>,
    pub product_id: Option<i64>,
    pub status: Option<i64>,
}

/// Where the next page begins: after this subscription. Their ids do not change while alerts are sent.
#[derive(Clone, Copy, Debug)]
pub struct PageStart(Uuid);

impl PageStart {
    pub fn token(self, keys: &Keys, by: &StoreAdmin, filter: &SubscriptionFilter) -> String {
        keys.seal(PURPOSE, &[&context(by, filter)], self.0.as_bytes())
    }

    pub fn of_token(keys: &Keys, by: &StoreAdmin, filter: &SubscriptionFilter, token: &str) -> Result<Self> {
        let id = keys.unseal(PURPOSE, &[&context(by, filter)], token).and_then(|id| Uuid::from_slice(&id).ok());
        id.map(Self).ok_or_else(|| {
            Error::new(
                Code::InvalidNextToken,
                "next must be the value that the previous page returned, with the same filter",
            )
        })
    }
}

/// What a token is valid for.
fn context(by: &StoreAdmin, filter: &SubscriptionFilter) -> Vec<u8> {
    format!("{} {filter:?}", by.store_id()).into_bytes()
}

/// Lists subscriptions with the state of their delivery.
pub struct ListSubscriptions {
    pub by: StoreAdmin,
    pub filter: SubscriptionFilter,
    pub limit: i64,
    pub start: Option<PageStart>,
}

#[derive(Debug)]
pub struct SubscriptionPage {
    /// Encoded records.
    pub records: Vec<Vec<u8>>,
    pub next: Option<PageStart>,
}

impl Read for ListSubscriptions {
    const NAME: &'static str = "list_subscriptions";
    const SINGLE_STATEMENT: bool = true;
    type Out = SubscriptionPage;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<SubscriptionPage> {
        let SubscriptionFilter { topic, medium, variant_id, product_id, status } = &self.filter;
        let start = self.start.map_or(Uuid::nil(), |PageStart(id)| id);
        let topic = topic.map_or("", Topic::as_str);
        let medium = medium.map_or("", Medium::as_str);
        let (store_id, start): (Arg<'_>, Arg<'_>) = (self.by.store_id().into(), start.as_bytes().into());
        let (sql, mut args): (Sql, Vec<Arg<'_>>) = match (variant_id, status) {
            (Some(variant_id), _) => {
                (OF_VARIANT, vec![store_id, (*variant_id).into(), start, status.unwrap_or(-1).into()])
            }
            (None, Some(status)) => (OF_STATUS, vec![store_id, (*status).into(), start]),
            (None, None) => (ALL, vec![store_id, start]),
        };
        // One more than asked for tells whether there is a next page.
        let rest: [Arg<'_>; 4] = [topic.into(), medium.into(), product_id.unwrap_or(0).into(), (self.limit + 1).into()];
        args.extend(rest);
        let mut rows: Vec<SubscriptionRow> = query.rows(sql.bind(&args)).await?;
        let has_more = rows.len() as i64 > self.limit;
        rows.truncate(usize::try_from(self.limit).unwrap_or(0));
        let next = rows.last().filter(|_| has_more).map(|row| PageStart(row.subscription_id));
        let records = rows.iter().map(|row| row.encode_for_store(&self.by.store().pid)).collect();
        Ok(SubscriptionPage { records, next })
    }
}

// PostgreSQL takes the type of a parameter from where it is first: next to a literal it would have 32 bits.
statements! {
    OF_VARIANT = concat!(columns!(), "
        where s.store_id = $1 and s.variant_id = $2 and s.subscription_id > $3
          and ($4 < 0 or s.status = $4) and ($5 = '' or s.topic = $5) and ($6 = '' or s.medium = $6)
          and (s.product_id = $7 or $7 = 0)
        order by s.subscription_id limit $8");
    OF_STATUS = concat!(columns!(), "
        where s.store_id = $1 and s.status = $2 and s.subscription_id > $3 and ($4 = '' or s.topic = $4)
          and ($5 = '' or s.medium = $5) and (s.product_id = $6 or $6 = 0)
        order by s.subscription_id limit $7");
    ALL = concat!(columns!(), "
        where s.store_id = $1 and s.subscription_id > $2 and ($3 = '' or s.topic = $3)
          and ($4 = '' or s.medium = $4) and (s.product_id = $5 or $5 = 0)
        order by s.subscription_id limit $6");
}
