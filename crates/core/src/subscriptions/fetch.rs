//! Fetching the subscriptions of a shopper or of an address.

use wishbone_storage::{Arg, Bound, FromRow, Query, Read};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::mail::medium::Medium;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::row::{SubscriptionRow, Viewer, columns};
use crate::tokens::ShopperId;

/// Fetches the caller's subscriptions to a topic, newest first.
pub struct FetchSubscriptions {
    pub by: Shopper,
    pub topic: Topic,
    pub medium: Option<Medium>,
    pub limit: i64,
    pub offset: i64,
}

#[derive(Debug)]
pub struct Subscriptions {
    pub total: i64,
    /// Encoded records.
    pub records: Vec<Vec<u8>>,
}

impl Read for FetchSubscriptions {
    const NAME: &'static str = "fetch_subscriptions";
    type Out = Subscriptions;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Subscriptions> {
        let medium = self.medium.map_or("", Medium::as_str);
        let args = [
            self.by.store_id().into(),
            (&self.by.id().0).into(),
            self.topic.as_str().into(),
            medium.into(),
            self.limit.into(),
            self.offset.into(),
        ];
        let viewer = self.by.email().map_or(Viewer::Guest, Viewer::Shopper);
        let mut out = Subscriptions { total: 0, records: Vec::new() };
        query
            .query_all(&[TOTAL.bind(&args[..4]), OF_SHOPPER.bind(&args)], &mut |number, row| {
                match number {
                    0 => out.total = row.int(0)?,
                    _ => out.records.push(SubscriptionRow::from_row(row)?.encode(&self.by.store().pid, viewer)),
                }
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

/// Encodes every subscription of an address, as the store sees it.
pub(crate) async fn of_address<Q: Query>(query: &mut Q, by: &StoreAdmin, address: &str) -> Result<Vec<Vec<u8>>> {
    encoded(query, by, &[OF_ADDRESS.bind(&[by.store_id().into(), address.into()])]).await
}

/// The subscriptions of guests to other addresses than one.
pub(crate) async fn of_guests<Q: Query>(
    query: &mut Q,
    by: &StoreAdmin,
    guests: &[ShopperId],
    address: &str,
) -> Result<Vec<Vec<u8>>> {
    let args: Vec<[Arg<'_>; 3]> =
        guests.iter().map(|guest| [by.store_id().into(), (&guest.0).into(), address.into()]).collect();
    encoded(query, by, &args.iter().map(|args| OF_GUEST.bind(args)).collect::<Vec<_>>()).await
}

async fn encoded<Q: Query>(query: &mut Q, by: &StoreAdmin, batch: &[Bound<'_>]) -> Result<Vec<Vec<u8>>> {
    let mut records = Vec::new();
    query
        .query_all(batch, &mut |_, row| {
            records.push(SubscriptionRow::from_row(row)?.encode(&by.store().pid, Viewer::Store));
            Ok(())
        })
        .await?;
    Ok(records)
}

// `variant_id > 0` is always true: it makes SQLite take the index by address.
statements! {
    OF_ADDRESS = concat!(columns!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id > 0 order by s.variant_id, s.topic, s.subscription_id");
    TOTAL = "select count(*) from subscriptions
             where store_id = $1 and shopper_id = $2 and topic = $3 and ($4 = '' or medium = $4)";
    OF_SHOPPER = concat!(columns!(), "
        where s.store_id = $1 and s.shopper_id = $2 and s.topic = $3 and ($4 = '' or s.medium = $4)
        order by s.ordinal desc limit $5 offset $6");
    OF_GUEST = concat!(columns!(), "
        where s.store_id = $1 and s.shopper_id = $2 and s.address <> $3 order by s.ordinal");
}
