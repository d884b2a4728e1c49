//! What a guest has besides lists: comments on lists, the right to edit those of others, stored responses, events and
//! subscriptions. A merge makes it the shopper's in steps, and an undo returns it.

use wishbone_storage::{Bound, Query, Tx};

use crate::error::{Error, Result};
use crate::idempotency;
use crate::lists::copy::BATCH;
use crate::merging::pending::{PendingMerge, PendingUndo};
use crate::subscriptions::limits::{count_of_shopper, room_of_shopper};
use crate::tokens::ShopperId;
use crate::webhooks::personal_data;

/// Moves some of it, except subscriptions. Returns true if there may be more.
pub(crate) async fn transfer<T: Tx>(tx: &mut T, merge: &PendingMerge) -> Result<bool> {
    let PendingMerge { store_id, guest, shopper, .. } = merge;
    let some = [(*store_id).into(), (&guest.0).into(), BATCH.into()];
    let moved = [(&shopper.0).into(), some[0], some[1], some[2]];
    let counts = tx
        .execute_all(&[
            RECORD_COMMENTS.bind(&some),
            RECORD_EDITORS.bind(&some),
            MOVE_COMMENTS.bind(&moved),
            MOVE_EDITORS.bind(&moved),
            personal_data::TRANSFER.bind(&moved),
        ])
        .await?;
    let responses = idempotency::transfer(tx, *store_id, &guest.0, &shopper.0, BATCH).await?;
    let batch = u64::try_from(BATCH).map_err(Error::internal)?;
    Ok(counts.into_iter().chain([responses]).any(|count| count >= batch))
}

/// Moves as many subscriptions as the shopper may have, the newest first. `offset` is added to their ordinals.
pub(crate) async fn transfer_subscriptions<T: Tx>(tx: &mut T, merge: &PendingMerge, offset: i64) -> Result<()> {
    let PendingMerge { store_id, guest, shopper, .. } = merge;
    let room = room_of_shopper(tx, *store_id, shopper).await?;
    let (store_id, guest, shopper) = ((*store_id).into(), (&guest.0).into(), (&shopper.0).into());
    tx.execute_all(&[
        DROP_REQUESTS_OF_BOTH.bind(&[store_id, guest, shopper]),
        RECORD_SUBSCRIPTIONS.bind(&[store_id, guest, room.into()]),
        MOVE_SUBSCRIPTIONS.bind(&[shopper, offset.into(), store_id, guest]),
    ])
    .await?;
    Ok(())
}

/// The number of a guest's subscriptions for which a shopper has room.
pub(crate) async fn subscriptions_that_fit<Q: Query>(
    query: &mut Q,
    store_id: i64,
    guest: &ShopperId,
    shopper: &ShopperId,
) -> Result<i64> {
    let count = count_of_shopper(query, store_id, guest).await?;
    Ok(if count == 0 { 0 } else { count.min(room_of_shopper(query, store_id, shopper).await?) })
}

/// True if the journal has more than one call of [`restore`] returns.
pub(crate) async fn needs_steps<Q: Query>(query: &mut Q, undo: &PendingUndo) -> Result<bool> {
    let key = [undo.store_id.into(), (&undo.guest.0).into(), BATCH.into()];
    let mut has_more = false;
    let batch: [Bound<'_>; 2] = [AUTHOR_AT, EDITOR_AT].map(|sql| sql.bind(&key));
    query
        .query_all(&batch, &mut |_, _| {
            has_more = true;
            Ok(())
        })
        .await?;
    Ok(has_more)
}

/// Returns some of it to the guest, except subscriptions, and deletes that from the journal.
pub(crate) async fn restore<T: Tx>(tx: &mut T, undo: &PendingUndo) -> Result<()> {
    let some = [undo.store_id.into(), (&undo.guest.0).into(), BATCH.into()];
    let authors = [some[0], some[1], some[2], (&undo.shopper.0).into()];
    tx.execute_all(&[
        RESTORE_EDITORS.bind(&some),
        RESTORE_AUTHORS.bind(&authors),
        PURGE_EDITORS.bind(&some),
        PURGE_AUTHORS.bind(&some),
    ])
    .await?;
    Ok(())
}

/// Returns the subscriptions to the guest, who had `count` ordinals: one that the shopper has begun anew has a later one.
pub(crate) async fn restore_subscriptions<T: Tx>(
    tx: &mut T,
    undo: &PendingUndo,
    offset: i64,
    count: i64,
) -> Result<()> {
    let (store_id, guest, shopper) = (undo.store_id.into(), (&undo.guest.0).into(), (&undo.shopper.0).into());
    tx.execute_all(&[
        // The guest may have one that the shopper had no room for.
        DROP_REQUESTS_OF_BOTH.bind(&[store_id, guest, shopper]),
        RESTORE_SUBSCRIPTIONS.bind(&[offset.into(), store_id, guest, shopper, (offset + count).into()]),
    ])
    .await?;
    Ok(())
}

statements! {
    // The same rows are recorded and moved.
    RECORD_COMMENTS = "insert into merged_parts (store_id, guest_id, kind, list_id, part_id, number)
        select store_id, shopper_id, 'comment by', list_id, comment_id, variant_id
        from comments where store_id = $1 and shopper_id = $2
        order by list_id, variant_id, created_at, comment_id limit $3";
    MOVE_COMMENTS = "update comments set shopper_id = $1
        where store_id = $2 and (list_id, comment_id) in (
          select c.list_id, c.comment_id from comments c
          where c.store_id = $2 and c.shopper_id = $3
          order by c.list_id, c.variant_id, c.created_at, c.comment_id limit $4)";
    RECORD_EDITORS = "insert into merged_parts (store_id, guest_id, kind, list_id, part_id, number)
        select store_id, shopper_id, 'editor', list_id, shopper_id, number
        from editors where store_id = $1 and shopper_id = $2 order by list_id, number limit $3";
    MOVE_EDITORS = "update editors set shopper_id = $1
        where store_id = $2 and (list_id, number) in (
          select e.list_id, e.number from editors e
          where e.store_id = $2 and e.shopper_id = $3 order by e.list_id, e.number limit $4)";
    // There is one request of a shopper for the same.
    DROP_REQUESTS_OF_BOTH = "delete from subscriptions
        where store_id = $1 and shopper_id = $2 and status = 4 and exists
          (select 1 from subscriptions o
           where o.store_id = $1 and o.address = subscriptions.address and o.variant_id = subscriptions.variant_id
             and o.topic = subscriptions.topic and o.shopper_id = $3 and o.status = 4)";
    RECORD_SUBSCRIPTIONS = "insert into merged_parts (store_id, guest_id, kind, list_id, part_id, number)
        select store_id, shopper_id, 'subscription', shopper_id, subscription_id, 0
        from subscriptions where store_id = $1 and shopper_id = $2 order by ordinal desc limit $3";
    MOVE_SUBSCRIPTIONS = "update subscriptions set shopper_id = $1, ordinal = ordinal + $2
        where store_id = $3 and shopper_id = $4
          and subscription_id in (select p.part_id from merged_parts p
                                  where p.store_id = $3 and p.guest_id = $4 and p.kind = 'subscription')";

    AUTHOR_AT = "select number from merged_parts where store_id = $1 and guest_id = $2 and kind = 'comment by'
                 order by list_id, part_id, number limit 1 offset $3";
    EDITOR_AT = "select number from merged_parts where store_id = $1 and guest_id = $2 and kind = 'editor'
                 order by list_id, part_id, number limit 1 offset $3";
    RESTORE_AUTHORS = "update comments set shopper_id = p.guest_id
        from (select guest_id, list_id, part_id, number from merged_parts
              where store_id = $1 and guest_id = $2 and kind = 'comment by'
              order by list_id, part_id, number limit $3) p
        where p.list_id = comments.list_id and p.number = comments.variant_id and p.part_id = comments.comment_id
          and comments.store_id = $1 and comments.shopper_id = $4";
    RESTORE_EDITORS = "update editors set shopper_id = p.guest_id
        from (select guest_id, list_id, part_id, number from merged_parts
              where store_id = $1 and guest_id = $2 and kind = 'editor'
              order by list_id, part_id, number limit $3) p
        where p.list_id = editors.list_id and p.number = editors.number and editors.store_id = $1";
    PURGE_AUTHORS = "delete from merged_parts
        where store_id = $1 and guest_id = $2 and kind = 'comment by' and (list_id, part_id, number) in (
          select p.list_id, p.part_id, p.number from merged_parts p
          where p.store_id = $1 and p.guest_id = $2 and p.kind = 'comment by'
          order by p.list_id, p.part_id, p.number limit $3)";
    PURGE_EDITORS = "delete from merged_parts
        where store_id = $1 and guest_id = $2 and kind = 'editor' and (list_id, part_id, number) in (
          select p.list_id, p.part_id, p.number from merged_parts p
          where p.store_id = $1 and p.guest_id = $2 and p.kind = 'editor'
          order by p.list_id, p.part_id, p.number limit $3)";
    RESTORE_SUBSCRIPTIONS = "update subscriptions set shopper_id = p.guest_id, ordinal = ordinal - $1
        from merged_parts p
        where p.store_id = $2 and p.kind = 'subscription' and p.part_id = subscriptions.subscription_id
          and subscriptions.store_id = $2 and p.guest_id = $3 and subscriptions.shopper_id = $4
          and subscriptions.ordinal < $5";
}
