//! The second half of undoing a merge: gives the guest what the journal has.

use wishbone_storage::{Arg, Bound, Tx};

use crate::error::{Error, Result};
use crate::lists::merge_journal::{END, item_columns};
use crate::merging::journal::list_columns;
use crate::merging::pending::PendingUndo;
use crate::merging::recorded_list::{Fate, RecordedList};
use crate::moment::Millis;

/// Restores the items of a list in the journal before a time and number, unless the list has the variants. Returns how many.
pub(crate) async fn items<T: Tx>(
    tx: &mut T,
    undo: &PendingUndo,
    list: &RecordedList,
    before: (Millis, i64),
) -> Result<i64> {
    let [store_id, guest, list_id] = key(undo, list);
    let some = [store_id, guest, list_id, before.0.into(), before.1.into()];
    let wishes = [(&undo.shopper.0).into(), store_id, guest, list_id, some[3], some[4]];
    let counts =
        tx.execute_all(&[ADD_WISHES.bind(&wishes), RESTORE_ITEMS.bind(&some), PURGE_RESTORED.bind(&some)]).await?;
    let restored = i64::try_from(counts[1]).map_err(Error::internal)?;
    // Of a list that was united in part the rest is still there. A list that is not gets its count with its row.
    tx.execute(COUNT_ITEMS.bind(&[restored.into(), store_id, list_id])).await?;
    Ok(restored)
}

/// Restores lists, with the rest of their items, and deletes them from the journal.
pub(crate) async fn lists<T: Tx>(tx: &mut T, undo: &PendingUndo, recorded: &[RecordedList]) -> Result<()> {
    for list in recorded.iter().filter(|list| list.recorded > 0 || list.fate() != Fate::Returned) {
        items(tx, undo, list, END).await?;
    }
    let keys: Vec<[Arg<'_>; 3]> = recorded.iter().map(|list| key(undo, list)).collect();
    let versions: Vec<_> = recorded
        .iter()
        .filter_map(|list| Some([(list.version? + 1).into(), undo.store_id.into(), list.list_id.as_bytes().into()]))
        .collect();
    let restore = [RESTORE_LIST, UNMARK_LIST];
    let mut batch: Vec<Bound<'_>> = keys.iter().flat_map(|key| restore.map(|sql| sql.bind(key))).collect();
    let changed = recorded.iter().zip(&keys).filter(|(list, _)| list.into.is_some() || list.fate() != Fate::Returned);
    batch.extend(changed.map(|(_, key)| COUNT_ALL_ITEMS.bind(key)));
    batch.extend(versions.iter().map(|args| SET_VERSION.bind(args)));
    let rest = [RESTORE_LINKS, RESTORE_EDITORS, RESTORE_DELETED_COMMENTS];
    let purge = [PURGE_LIST, PURGE_ITEMS, PURGE_PARTS, PURGE_COMMENTS];
    batch.extend(keys.iter().flat_map(|key| rest.map(|sql| sql.bind(key))));
    batch.extend(keys.iter().flat_map(|key| purge.map(|sql| sql.bind(key))));
    tx.execute_all(&batch).await?;
    count_lists(tx, undo).await
}

/// Marks a list that does not exist yet, so that what belongs to it is kept.
pub(crate) async fn mark_list<T: Tx>(tx: &mut T, undo: &PendingUndo, list: &RecordedList) -> Result<()> {
    tx.execute(MARK_LIST.bind(&key(undo, list))).await?;
    Ok(())
}

pub(crate) async fn count_lists<T: Tx>(tx: &mut T, undo: &PendingUndo) -> Result<()> {
    let (guest, shopper) = ((&undo.guest.0).into(), (&undo.shopper.0).into());
    let keys = [guest, shopper].map(|shopper| [undo.store_id.into(), shopper]);
    tx.execute_all(&keys.each_ref().map(|key| COUNT_LISTS.bind(key))).await?;
    Ok(())
}

fn key<'a>(undo: &'a PendingUndo, list: &'a RecordedList) -> [Arg<'a>; 3] {
    [undo.store_id.into(), (&undo.guest.0).into(), list.list_id.as_bytes().into()]
}

statements! {
    // The same items as in [`RESTORE_ITEMS`]. The guest is the shopper until the undo ends.
    ADD_WISHES = "insert into wishes (store_id, wisher, product_id, person, items)
        select i.store_id, i.guest_id, i.product_id, $1, count(*)
        from merged_items i join merged_lists m on m.store_id = i.store_id and m.guest_id = i.guest_id and m.list_id = i.list_id
        where i.store_id = $2 and m.store_id = $2 and i.guest_id = $3 and m.guest_id = $3 and i.list_id = $4 and m.list_id = $4
          and (i.added_at, i.seq) < ($5, $6) and m.type = 'wl'
          and not exists (select 1 from items o where o.store_id = $2 and o.list_id = $4 and o.variant_id = i.variant_id)
        group by i.store_id, i.guest_id, i.product_id order by i.product_id
        on conflict (store_id, wisher, product_id) do update set items = wishes.items + excluded.items";
    RESTORE_ITEMS = concat!("insert into items (store_id, list_id, ", item_columns!(""), ")
        select store_id, list_id, ", item_columns!(""), " from merged_items m
        where store_id = $1 and guest_id = $2 and list_id = $3 and (added_at, seq) < ($4, $5)
          and not exists (select 1 from items o where o.store_id = $1 and o.list_id = $3 and o.variant_id = m.variant_id)");
    PURGE_RESTORED = "delete from merged_items
        where store_id = $1 and guest_id = $2 and list_id = $3 and (added_at, seq) < ($4, $5)";
    COUNT_ITEMS = "update lists set item_count = item_count + $1, version = version + 1 where store_id = $2 and list_id = $3";
    // What was left of a list that was united in part may have been changed by others, or have expired.
    COUNT_ALL_ITEMS = "update lists set item_count = (select count(*) from items i where i.store_id = $1 and i.list_id = lists.list_id)
                       where store_id = $1 and shopper_id = $2 and list_id = $3";
    // What belongs to a list that does not exist yet is kept by the mark.
    MARK_LIST = "insert into deleted_lists (store_id, list_id, wished_by)
        select m.store_id, m.list_id, case when m.type = 'wl' then m.guest_id end from merged_lists m
        where m.store_id = $1 and m.guest_id = $2 and m.list_id = $3
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = $3)
        on conflict (store_id, list_id) do nothing";
    UNMARK_LIST = "delete from deleted_lists
        where store_id = $1 and list_id in (select m.list_id from merged_lists m
                                            where m.store_id = $1 and m.guest_id = $2 and m.list_id = $3)";
    RESTORE_LIST = concat!("insert into lists (store_id, shopper_id, list_id, wished_by, ", list_columns!(), ")
        select store_id, guest_id, list_id, case when type = 'wl' then guest_id end, ", list_columns!(), "
        from merged_lists m
        where store_id = $1 and guest_id = $2 and list_id = $3
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = $3)");
    RESTORE_LINKS = "update share_links set list_id = p.list_id
        from merged_parts p, merged_lists m
        where p.store_id = $1 and p.guest_id = $2 and p.kind = 'link' and p.list_id = $3 and p.part_id = share_links.link_id
          and m.store_id = $1 and m.guest_id = $2 and m.list_id = $3
          and share_links.list_id = m.into_id and share_links.store_id = $1";
    // A version that was seen in the meantime must not return for other contents.
    SET_VERSION = "update lists set version = $1 where store_id = $2 and list_id = $3";
    // The shopper's list keeps its editors, for the items that stay there.
    RESTORE_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, m.list_id, e.number - m.editor_offset, e.shopper_id
        from merged_lists m
        join editors e on e.store_id = $1 and e.list_id = m.into_id
             and e.number >= m.editor_offset and e.number < m.editor_offset + m.editor_count
        where m.store_id = $1 and m.guest_id = $2 and m.list_id = $3
        on conflict (store_id, list_id, number) do nothing";
    // Comments that still exist are on the guest's lists again by now.
    RESTORE_DELETED_COMMENTS = "insert into comments (store_id, list_id, variant_id, created_at, comment_id, shopper_id, name, text)
        select m.store_id, m.list_id, m.variant_id, m.created_at, m.comment_id, m.shopper_id, m.name, m.text
        from merged_comments m
        where m.store_id = $1 and m.guest_id = $2 and m.list_id = $3
          and not exists (select 1 from comments c where c.store_id = $1 and c.list_id = m.list_id
                                                     and c.comment_id = m.comment_id)";
    COUNT_LISTS = "update shoppers set list_count = (select count(*) from lists l
                                                     where l.store_id = $1
                                                       and l.shopper_id = shoppers.shopper_id)
                   where store_id = $1 and shopper_id = $2";
    PURGE_LIST = "delete from merged_lists where store_id = $1 and guest_id = $2 and list_id = $3";
    PURGE_ITEMS = "delete from merged_items where store_id = $1 and guest_id = $2 and list_id = $3";
    // Those that a list has: what the guest was elsewhere is restored at the end.
    PURGE_PARTS = "delete from merged_parts
        where store_id = $1 and guest_id = $2 and kind in ('comment', 'link') and list_id = $3";
    PURGE_COMMENTS = "delete from merged_comments where store_id = $1 and guest_id = $2 and list_id = $3";
}
