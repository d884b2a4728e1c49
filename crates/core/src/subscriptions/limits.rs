//! How many subscriptions there may be: of a shopper, and to an address. What is confirmed, turned off or turned on for an
//! address is so in one transaction.

use wishbone_storage::{Query, Tx};

use crate::error::{Code, Error, Result};
use crate::tokens::ShopperId;

/// Maximum subscriptions of a shopper, those that the store made for it included; and to an address by anybody but its owner
/// and the store, who cannot be kept out by others.
pub const MAX_SUBSCRIPTIONS: i64 = 1_000;
/// Maximum subscriptions to an address that wait for its confirmation: guests who ask for them cost a stranger nothing.
const MAX_REQUESTED: i64 = 100;
/// The same of one shopper: who would keep others out needs several, and most of the confirmations that an address gets.
const MAX_REQUESTED_BY_SHOPPER: i64 = 25;

pub(crate) async fn count_of_shopper<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<i64> {
    Ok(query.first(COUNT_OF_SHOPPER.bind(&[store_id.into(), (&shopper.0).into()])).await?.unwrap_or(0))
}

/// The number of subscriptions that a shopper may add.
pub(crate) async fn room_of_shopper<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<i64> {
    Ok((MAX_SUBSCRIPTIONS - count_of_shopper(query, store_id, shopper).await?).max(0))
}

/// Fails if a shopper has too many, the one just added included.
pub(super) async fn check_shopper<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId) -> Result<()> {
    if count_of_shopper(tx, store_id, shopper).await? <= MAX_SUBSCRIPTIONS {
        return Ok(());
    }
    let message = format!("a shopper may have {MAX_SUBSCRIPTIONS} subscriptions: remove one first");
    Err(Error::new(Code::LimitReached, message))
}

/// Fails if an address has too many, the one just added included.
pub(super) async fn check_address<T: Tx>(tx: &mut T, store_id: i64, address: &str) -> Result<()> {
    let count: Option<i64> = tx.first(COUNT_OF_ADDRESS.bind(&[store_id.into(), address.into()])).await?;
    if count.unwrap_or(0) <= MAX_SUBSCRIPTIONS {
        return Ok(());
    }
    let message = format!(
        "an address may have {MAX_SUBSCRIPTIONS} subscriptions by others: log in with it, or remove one, first"
    );
    Err(Error::new(Code::LimitReached, message))
}

/// Fails if too much waits for the confirmation of an address, the one just added included; of a shopper who has confirmed it
/// before, only what that one has asked for counts.
pub(super) async fn check_requested<T: Tx>(
    tx: &mut T,
    store_id: i64,
    address: &str,
    shopper: &ShopperId,
    has_confirmed: bool,
) -> Result<()> {
    let args = [store_id.into(), address.into(), (&shopper.0).into()];
    let own: i64 = tx.first(COUNT_REQUESTED_BY.bind(&args)).await?.unwrap_or(0);
    let all = if has_confirmed { 0 } else { tx.first(COUNT_REQUESTED.bind(&args[..2])).await?.unwrap_or(0) };
    let (who, max) = match (own > MAX_REQUESTED_BY_SHOPPER, all > MAX_REQUESTED) {
        (true, _) => ("a shopper", MAX_REQUESTED_BY_SHOPPER),
        (_, true) => ("all shoppers", MAX_REQUESTED),
        _ => return Ok(()),
    };
    let message = format!(
        "{who} may have {max} subscriptions that wait for the confirmation of an address: confirm them, or log in with it, first"
    );
    Err(Error::new(Code::LimitReached, message))
}

// `variant_id > 0` is always true: it makes SQLite take the index by address.
statements! {
    COUNT_OF_SHOPPER = "select count(*) from subscriptions where store_id = $1 and shopper_id = $2";
    COUNT_OF_ADDRESS = "select count(*) from subscriptions where store_id = $1 and address = $2 and variant_id > 0";
    COUNT_REQUESTED_BY = "select count(*) from subscriptions
                          where store_id = $1 and address = $2 and variant_id > 0 and shopper_id = $3 and status = 4";
    COUNT_REQUESTED =
        "select count(*) from subscriptions where store_id = $1 and address = $2 and variant_id > 0 and status = 4";
}
