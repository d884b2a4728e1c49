//! The journal of a list that moved to a shopper in a merge: its items as they were, each recorded before it first changes, so
//! that the merge can be undone. A list that does not change costs nothing.

use wishbone_storage::{Arg, Bound, Tx};

use crate::error::Result;
use crate::lists::row::ListRow;
use crate::moment::Millis;

/// Comes after all items of a list.
pub(crate) const END: (Millis, i64) = (Millis::MAX, i64::MAX);

/// Records items of a locked list that are about to change.
pub(crate) async fn record<T: Tx>(tx: &mut T, store_id: i64, list: &ListRow, variants: &[i64]) -> Result<()> {
    if !list.merged {
        return Ok(());
    }
    let list_id = list.list_id.into_bytes();
    let keys: Vec<[Arg<'_>; 3]> =
        variants.iter().map(|variant| [store_id.into(), (*variant).into(), (&list_id).into()]).collect();
    tx.execute_all(&keys.iter().map(|key| RECORD.bind(key)).collect::<Vec<Bound<'_>>>()).await?;
    Ok(())
}

/// Records the items of a list before a time and number.
pub(crate) async fn record_before<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], before: (Millis, i64)) -> Result<()> {
    lock(tx, list).await?;
    tx.execute(RECORD_BEFORE.bind(&[list[0], list[1], before.0.into(), before.1.into()])).await?;
    Ok(())
}

/// Locks the journal of a list whose row does not, or will not, exist, so that the journal is not deleted meanwhile.
pub(crate) async fn lock<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2]) -> Result<()> {
    tx.execute(LOCK.bind(list)).await?;
    Ok(())
}

/// The columns of an item in the journal: all but its key.
macro_rules! item_columns {
    ($of:literal) => {
        $crate::lists::row::concat_columns!($of; "added_at" "seq" "members" "variant_id" "product_id" "device" "given"
            "given_price" "given_title_key" "added_by"; "changed_by")
    };
}
pub(crate) use item_columns;

/// Items that the list had before the merge, unless they are recorded already.
macro_rules! record {
    ($list:literal, $condition:literal) => {
        concat!(
            "insert into merged_items (store_id, guest_id, list_id, ",
            item_columns!(""),
            ") select i.store_id, m.guest_id, i.list_id, ",
            item_columns!("i."),
            " from items i join merged_lists m on m.store_id = i.store_id and m.list_id = i.list_id
              where i.store_id = $1 and m.store_id = $1 and ",
            $condition,
            " and m.guest_id in (select g.guest_id from merged_lists g where g.store_id = $1 and g.list_id = ",
            $list,
            ") and m.into_id is null and i.seq < m.next_seq
              on conflict (store_id, guest_id, list_id, added_at, seq) do nothing"
        )
    };
}

statements! {
    LOCK = "update merged_lists set version = version
            where store_id = $1 and list_id = $2
              and guest_id in (select g.guest_id from merged_lists g where g.store_id = $1 and g.list_id = $2)";
    RECORD = record!("$3", "i.variant_id = $2 and i.list_id = $3");
    RECORD_BEFORE = record!("$2", "i.list_id = $2 and (i.added_at, i.seq) < ($3, $4)");
}
