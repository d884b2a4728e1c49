//! Events about subscriptions and their alerts, for webhooks.

use wishbone_storage::Tx;

use crate::error::Result;
use crate::moment::Moment;
use crate::stores::record::StoreRecord;
use crate::subscriptions::row::SubscriptionRow;
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;
use crate::webhooks::events::{self, NewEvent, wants};

/// Records an event of each subscription, if the store wants it.
pub(crate) async fn record<T: Tx>(
    tx: &mut T,
    store: &StoreRecord,
    event_type: EventType,
    rows: &[SubscriptionRow],
    moment: &Moment,
) -> Result<()> {
    if !wants(store, event_type) {
        return Ok(());
    }
    let mut new = Vec::with_capacity(rows.len());
    for row in rows {
        let shopper = ShopperId::from_slice(&row.shopper_id)?;
        new.push(NewEvent {
            event_type,
            subject: row.subscription_id.into_bytes(),
            at: moment.now,
            order: 0,
            data: row.encode_for_webhook(&store.pid, &shopper.uid(store.store_id)),
            shopper: Some(shopper),
        });
    }
    events::record(tx, store, moment, &new).await
}
