//! The second half of undoing a merge: gives the guest what the journal has.

use wishbone_storage::Tx;

use crate::error::Result;
use crate::lists::merge_journal::item_columns;
use crate::merging::detach::{Boundary, end_of_journal};
use crate::merging::journal::list_columns;
use crate::merging::pending::PendingUndo;
use crate::merging::recorded_list::RecordedList;

/// Restores the items in the journal before `boundary`, of lists that do not exist.
pub(crate) async fn items<T: Tx>(tx: &mut T, undo: &PendingUndo, (list, added_at, seq): &Boundary) -> Result<()> {
    let before = [undo.store_id.into(), (&undo.guest.0).into(), list.into(), (*added_at).into(), (*seq).into()];
    let wishes = [(&undo.shopper.0).into(), before[0], before[1], before[2], before[3], before[4]];
    tx.execute_all(&[ADD_WISHES.bind(&wishes), RESTORE_ITEMS.bind(&before), PURGE_RESTORED.bind(&before)]).await?;
    Ok(())
}

/// Restores everything else, and the rest of the items.
pub(crate) async fn all<T: Tx>(
    tx: &mut T,
    undo: &PendingUndo,
    recorded: &[RecordedList],
    subscription_offset: i64,
) -> Result<()> {
    items(tx, undo, &end_of_journal()).await?;
    let key = [undo.store_id.into(), (&undo.guest.0).into()];
    let of_shopper = [key[0], (&undo.shopper.0).into()];
    let authors = [key[0], key[1], of_shopper[1]];
    let subscriptions = [subscription_offset.into(), key[0], key[1], of_shopper[1]];
    let versions: Vec<_> = recorded
        .iter()
        .filter_map(|list| Some([(list.version? + 1).into(), key[0], list.list_id.as_bytes().into()]))
        .collect();
    let mut batch = vec![RESTORE_LISTS.bind(&key), UNMARK_LISTS.bind(&key)];
    batch.extend(versions.iter().map(|args| SET_VERSION.bind(args)));
    batch.extend(
        [RESTORE_LINKS, RESTORE_EDITORS, RESTORE_EDITOR_OWNERS, COUNT_LISTS].map(|statement| statement.bind(&key)),
    );
    batch.extend([
        RESTORE_AUTHORS.bind(&authors),
        RESTORE_DELETED_COMMENTS.bind(&key),
        RESTORE_SUBSCRIPTIONS.bind(&subscriptions),
        COUNT_LISTS.bind(&of_shopper),
    ]);
    tx.execute_all(&batch).await?;
    Ok(())
}

statements! {
    // The same items as in [`RESTORE_ITEMS`]. The guest is the shopper until the undo ends.
    ADD_WISHES = "insert into wishes (store_id, wisher, product_id, person, items)
        select i.store_id, i.guest_id, i.product_id, $1, count(*)
        from merged_items i join merged_lists m on m.store_id = i.store_id and m.guest_id = i.guest_id and m.list_id = i.list_id
        where i.store_id = $2 and m.store_id = $2 and i.guest_id = $3 and m.guest_id = $3
          and (i.list_id, i.added_at, i.seq) < ($4, $5, $6) and m.type = 'wl'
          and not exists (select 1 from lists l where l.store_id = $2 and l.list_id = i.list_id)
        group by i.store_id, i.guest_id, i.product_id order by i.product_id
        on conflict (store_id, wisher, product_id) do update set items = wishes.items + excluded.items";
    RESTORE_ITEMS = concat!("insert into items (store_id, list_id, ", item_columns!(""), ")
        select store_id, list_id, ", item_columns!(""), " from merged_items m
        where store_id = $1 and guest_id = $2 and (list_id, added_at, seq) < ($3, $4, $5)
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = m.list_id)");
    PURGE_RESTORED = "delete from merged_items
        where store_id = $1 and guest_id = $2 and (list_id, added_at, seq) < ($3, $4, $5)
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = merged_items.list_id)";
    UNMARK_LISTS = "delete from deleted_lists
        where store_id = $1 and list_id in (select m.list_id from merged_lists m where m.store_id = $1 and m.guest_id = $2)";
    RESTORE_LISTS = concat!("insert into lists (store_id, shopper_id, list_id, wished_by, ", list_columns!(), ")
        select store_id, guest_id, list_id, case when type = 'wl' then guest_id end, ", list_columns!(), "
        from merged_lists m
        where store_id = $1 and guest_id = $2
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = m.list_id)");
    RESTORE_LINKS = "update share_links set list_id = p.list_id
        from merged_parts p, merged_lists m
        where p.store_id = $1 and p.kind = 'link' and p.part_id = share_links.link_id
          and m.store_id = $1 and m.guest_id = p.guest_id and m.list_id = p.list_id
          and share_links.list_id = m.into_id and share_links.store_id = $1 and p.guest_id = $2";
    // A version that was seen in the meantime must not return for other contents.
    SET_VERSION = "update lists set version = $1 where store_id = $2 and list_id = $3";
    // The shopper's list keeps its editors, for the items that stay there.
    RESTORE_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, m.list_id, e.number - m.editor_offset, e.shopper_id
        from merged_lists m
        join editors e on e.store_id = $1 and e.list_id = m.into_id
             and e.number >= m.editor_offset and e.number < m.editor_offset + m.editor_count
        where m.store_id = $1 and m.guest_id = $2";
    RESTORE_EDITOR_OWNERS = "update editors set shopper_id = p.guest_id
        from merged_parts p
        where p.store_id = $1 and p.kind = 'editor' and p.list_id = editors.list_id
          and p.number = editors.number and editors.store_id = $1 and p.guest_id = $2";
    RESTORE_AUTHORS = "update comments set shopper_id = p.guest_id
        from merged_parts p
        where p.store_id = $1 and p.kind = 'comment by' and p.list_id = comments.list_id
          and p.number = comments.variant_id and p.part_id = comments.comment_id and comments.store_id = $1
          and p.guest_id = $2 and comments.shopper_id = $3";
    // Comments that still exist are on the guest's lists again by now.
    RESTORE_DELETED_COMMENTS = "insert into comments (store_id, list_id, variant_id, created_at, comment_id, shopper_id, name, text)
        select m.store_id, m.list_id, m.variant_id, m.created_at, m.comment_id, m.shopper_id, m.name, m.text
        from merged_comments m
        where m.store_id = $1 and m.guest_id = $2
          and not exists (select 1 from comments c where c.store_id = $1 and c.list_id = m.list_id
                                                     and c.comment_id = m.comment_id)";
    RESTORE_SUBSCRIPTIONS = "update subscriptions set shopper_id = p.guest_id, ordinal = ordinal - $1
        from merged_parts p
        where p.store_id = $2 and p.kind = 'subscription' and p.part_id = subscriptions.subscription_id
          and subscriptions.store_id = $2 and p.guest_id = $3 and subscriptions.shopper_id = $4";
    pub(crate) COUNT_LISTS = "update shoppers set list_count = (select count(*) from lists l
                                                     where l.store_id = $1
                                                       and l.shopper_id = shoppers.shopper_id)
                   where store_id = $1 and shopper_id = $2";
}
