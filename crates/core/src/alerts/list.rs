//! The subscriptions of a store, for its administrators.

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Query, Read, Row, Sql};

use crate::catalog::topic::Topic;
use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::medium::Medium;
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

/// Where the next page begins.
#[derive(Clone, Debug)]
pub struct PageStart {
    topic: String,
    status: i64,
    waiting_since: Millis,
    subscription_id: Uuid,
}

impl PageStart {
    fn first() -> Self {
        Self { topic: String::new(), status: -1, waiting_since: 0, subscription_id: Uuid::nil() }
    }

    fn token(&self, keys: &Keys, by: &StoreAdmin) -> String {
        let Self { topic, status, waiting_since, subscription_id } = self;
        let body = format!("{topic} {status} {waiting_since} {subscription_id}");
        keys.seal(PURPOSE, &[&by.store_id().to_be_bytes()], body.as_bytes())
    }

    pub fn of_token(keys: &Keys, by: &StoreAdmin, token: &str) -> Result<Self> {
        let body = keys.unseal(PURPOSE, &[&by.store_id().to_be_bytes()], token);
        let parsed = body.and_then(|body| {
            let text = String::from_utf8(body).ok()?;
            let mut parts = text.split(' ');
            Some(Self {
                topic: parts.next()?.to_owned(),
                status: parts.next()?.parse().ok()?,
                waiting_since: parts.next()?.parse().ok()?,
                subscription_id: parts.next()?.parse().ok()?,
            })
        });
        parsed
            .ok_or_else(|| Error::new(Code::InvalidNextToken, "next must be the value that the previous page returned"))
    }
}

/// Lists subscriptions with the state of their delivery.
pub struct ListSubscriptions {
    pub by: StoreAdmin,
    pub filter: SubscriptionFilter,
    pub limit: i64,
    pub start: Option<PageStart>,
    pub keys: Keys,
}

#[derive(Debug)]
pub struct SubscriptionPage {
    /// Encoded records.
    pub records: Vec<Vec<u8>>,
    pub next: Option<String>,
}

/// A row and its place.
struct PlacedRow {
    row: SubscriptionRow,
    place: PageStart,
}

impl FromRow for PlacedRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let decoded = SubscriptionRow::from_row(row)?;
        let place = PageStart {
            topic: decoded.topic.clone(),
            status: decoded.status,
            waiting_since: row.int(SubscriptionRow::COLUMNS)?,
            subscription_id: uuid(row, 0)?,
        };
        Ok(Self { row: decoded, place })
    }
}

impl Read for ListSubscriptions {
    const NAME: &'static str = "list_subscriptions";
    const SINGLE_STATEMENT: bool = true;
    type Out = SubscriptionPage;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<SubscriptionPage> {
        let SubscriptionFilter { topic, medium, variant_id, product_id, status } = &self.filter;
        let start = self.start.clone().unwrap_or_else(PageStart::first);
        let topic = topic.map_or("", Topic::as_str);
        let medium = medium.map_or("", Medium::as_str);
        let id: Arg<'_> = start.subscription_id.as_bytes().into();
        let (sql, mut args): (Sql, Vec<Arg<'_>>) = match (variant_id, status) {
            (Some(variant_id), _) => {
                let place = [(&start.topic).into(), start.status.into(), start.waiting_since.into(), id];
                let key = [self.by.store_id().into(), (*variant_id).into()];
                (OF_VARIANT, [&key[..], &place, &[status.unwrap_or(-1).into()]].concat())
            }
            (None, Some(status)) => (OF_STATUS, vec![self.by.store_id().into(), (*status).into(), id]),
            (None, None) => (ALL, vec![self.by.store_id().into(), id]),
        };
        // One more than asked for tells whether there is a next page.
        let rest: [Arg<'_>; 4] = [topic.into(), medium.into(), product_id.unwrap_or(0).into(), (self.limit + 1).into()];
        args.extend(rest);
        let mut rows: Vec<PlacedRow> = query.rows(sql.bind(&args)).await?;
        let has_more = rows.len() as i64 > self.limit;
        rows.truncate(usize::try_from(self.limit).unwrap_or(0));
        let next = rows.last().filter(|_| has_more).map(|row| row.place.token(&self.keys, &self.by));
        let records = rows.iter().map(|row| row.row.encode_for_store(&self.by.store().pid)).collect();
        Ok(SubscriptionPage { records, next })
    }
}

// PostgreSQL takes the type of a parameter from where it is first: next to a literal it would have 32 bits.
statements! {
    OF_VARIANT = concat!(columns!(), "
        where s.store_id = $1 and s.variant_id = $2
          and (s.topic, s.status, s.waiting_since, s.subscription_id) > ($3, $4, $5, $6)
          and ($7 < 0 or s.status = $7) and ($8 = '' or s.topic = $8) and ($9 = '' or s.medium = $9)
          and (s.product_id = $10 or $10 = 0)
        order by s.topic, s.status, s.waiting_since, s.subscription_id limit $11");
    OF_STATUS = concat!(columns!(), "
        where s.store_id = $1 and s.status = $2 and s.subscription_id > $3 and ($4 = '' or s.topic = $4)
          and ($5 = '' or s.medium = $5) and (s.product_id = $6 or $6 = 0)
        order by s.subscription_id limit $7");
    ALL = concat!(columns!(), "
        where s.store_id = $1 and s.subscription_id > $2 and ($3 = '' or s.topic = $3)
          and ($4 = '' or s.medium = $4) and (s.product_id = $5 or $5 = 0)
        order by s.subscription_id limit $6");
}
