//! Personal data in the mail queue: export and deletion.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, Query, Tx};

use crate::decode::uuid;
use crate::error::Result;
use crate::json::Object;
use crate::mail::queue::SENT;
use crate::mail::recipients::{self, Recipient};
use crate::tokens::ShopperId;

/// Returns the ids of mails that a person requested or received.
async fn of_person<Q: Query>(
    query: &mut Q,
    store_id: i64,
    shopper: Option<&ShopperId>,
    address: &str,
) -> Result<Vec<Uuid>> {
    let recipient = Recipient::of_address(store_id, address);
    let shopper = [store_id.into(), shopper.map(|shopper| &shopper.0).into()];
    let recipient = [store_id.into(), recipient.id().into()];
    let mut ids = Vec::new();
    query
        .query_all(&[BY_SHOPPER.bind(&shopper), TO_RECIPIENT.bind(&recipient)], &mut |_, row| {
            ids.push(uuid(row, 0)?);
            Ok(())
        })
        .await?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Deletes every mail that a person requested or receives, and recipients without mails. Unsubscribed recipients stay, by
/// their hash, so that they stay unsubscribed.
pub(crate) async fn delete_mails<T: Tx>(
    tx: &mut T,
    store_id: i64,
    shopper: Option<&ShopperId>,
    address: &str,
) -> Result<u64> {
    let ids = of_person(tx, store_id, shopper, address).await?;
    let keys: Vec<[Arg<'_>; 2]> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE.bind(key)).collect();
    let mut affected = Vec::new();
    tx.query_all(&batch, &mut |_, row| {
        affected.push(Recipient::from_row(store_id, row.blob(0)?)?);
        Ok(())
    })
    .await?;
    let removed = affected.len() as u64;
    affected.sort_unstable_by_key(|recipient| *recipient.id());
    affected.dedup();
    for recipient in &affected {
        recipients::delete_unused(tx, recipient).await?;
    }
    Ok(removed)
}

/// Encodes the same mails, without their contents.
pub(crate) async fn export_mails<Q: Query>(
    query: &mut Q,
    store_id: i64,
    shopper: Option<&ShopperId>,
    address: &str,
) -> Result<Vec<Vec<u8>>> {
    let recipient = Recipient::of_address(store_id, address);
    let ids = of_person(query, store_id, shopper, address).await?;
    let keys: Vec<[Arg<'_>; 2]> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FIND.bind(key)).collect();
    let mut records = Vec::new();
    query
        .query_all(&batch, &mut |_, row| {
            let mut out = Vec::new();
            let mut object = Object::open(&mut out);
            object.text("kind", row.text(0)?);
            object.flag("received", row.blob(1)? == recipient.id());
            // Stored only until the mail is sent.
            object.opt_text("to", row.opt_text(2)?);
            object.flag("sent", row.int(3)? == SENT);
            object.int("cts", row.int(4)?);
            object.close();
            records.push(out);
            Ok(())
        })
        .await?;
    Ok(records)
}

statements! {
    BY_SHOPPER = "select mail_id from mails where store_id = $1 and shopper_id = $2";
    TO_RECIPIENT = "select mail_id from mails where store_id = $1 and recipient_id = $2";
    FIND = "select kind, recipient_id, address, state, created_at from mails where store_id = $1 and mail_id = $2";
    DELETE = "delete from mails where store_id = $1 and mail_id = $2 returning recipient_id";
}
