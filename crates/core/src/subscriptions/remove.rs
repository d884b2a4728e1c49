//! Deleting subscriptions.

use wishbone_storage::{Arg, Bound, Tx};

use crate::error::Result;
use crate::subscriptions::row::{self, SubscriptionKey};

/// Deletes every subscription of an address, whoever created it.
pub(crate) async fn delete_by_address<T: Tx>(tx: &mut T, store_id: i64, address: &str) -> Result<u64> {
    let found: Vec<SubscriptionKey> = tx.rows(row::OF_ADDRESS.bind(&[store_id.into(), address.into()])).await?;
    let keys: Vec<[Arg<'_>; 4]> = found.iter().map(|key| key.args(store_id, address)).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE.bind(key)).collect();
    Ok(tx.execute_all(&batch).await?.iter().sum())
}

statements! {
    DELETE = "delete from subscriptions where store_id = $1 and address = $2 and variant_id = $3 and topic = $4";
    pub(crate) DELETE_SUBSCRIPTIONS = "delete from subscriptions where store_id = $1 and shopper_id = $2";
}
