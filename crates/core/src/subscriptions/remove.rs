//! Deleting subscriptions.

use wishbone_storage::{Arg, Bound, FromRow, Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::mail::medium::Medium;
use crate::moment::Moment;
use crate::subscriptions::events;
use crate::subscriptions::row::{self, SubscriptionRow, Viewer, columns};
use crate::webhooks::event_type::EventType;

/// Removes a shopper's subscriptions to a topic about a variant.
pub struct RemoveSubscriptions {
    pub by: Shopper,
    pub variant_id: i64,
    pub topic: Topic,
    pub medium: Option<Medium>,
    pub moment: Moment,
}

impl Write for RemoveSubscriptions {
    const NAME: &'static str = "remove_subscriptions";
    /// The encoded records of what was removed.
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Vec<Vec<u8>>> {
        let (store_id, shopper) = (self.by.store_id(), self.by.id());
        shoppers::lock_caller(tx, &self.by, self.moment.now).await?;
        // Also what somebody else made for the shopper's address.
        let (variant, topic) = (self.variant_id.into(), self.topic.as_str().into());
        let own = [store_id.into(), (&shopper.0).into(), topic, variant];
        let to_address = [store_id.into(), self.by.email().unwrap_or_default().into(), variant, topic];
        let mut found: Vec<SubscriptionRow> = Vec::new();
        tx.query_all(&[OF_SHOPPER.bind(&own), row::FIND.bind(&to_address)], &mut |_, row| {
            let row = SubscriptionRow::from_row(row)?;
            if found.iter().all(|found| found.subscription_id != row.subscription_id) {
                found.push(row);
            }
            Ok(())
        })
        .await?;
        found.retain(|row| self.medium.is_none_or(|medium| row.medium == medium.as_str()));
        let keys: Vec<[Arg<'_>; 2]> = found.iter().map(|row| row.id(store_id)).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| row::DELETE.bind(key)).collect();
        tx.execute_all(&batch).await?;
        events::record(tx, self.by.store(), EventType::SubscriptionRemoved, &found, &self.moment).await?;
        let viewer = self.by.email().map_or(Viewer::Guest, Viewer::Shopper);
        Ok(found.iter().map(|row| row.encode(&self.by.store().pid, viewer)).collect())
    }
}

/// Deletes every subscription of an address, whoever created it.
pub(crate) async fn delete_by_address<T: Tx>(tx: &mut T, store_id: i64, address: &str) -> Result<u64> {
    Ok(tx.execute(DELETE_OF_ADDRESS.bind(&[store_id.into(), address.into()])).await?)
}

// `variant_id > 0` is always true: it makes SQLite take the index by address.
statements! {
    OF_SHOPPER = concat!(columns!(), "
        where s.store_id = $1 and s.shopper_id = $2 and s.topic = $3 and s.variant_id = $4");
    DELETE_OF_ADDRESS = "delete from subscriptions where store_id = $1 and address = $2 and variant_id > 0";
    pub(crate) DELETE_SUBSCRIPTIONS = "delete from subscriptions where store_id = $1 and shopper_id = $2";
    // Those for which the shopper had no room.
    pub(crate) DELETE_SUBSCRIPTIONS_OF_GUESTS = "delete from subscriptions
        where store_id = $1 and shopper_id in (select g.shopper_id from shoppers g
                                               where g.store_id = $1 and g.merged_into = $2)";
}
