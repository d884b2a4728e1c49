//! Editors: shoppers other than the owner who have changed a list. Items refer to an editor by number, so that erasing or
//! merging a person changes one row.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, Query, Tx};

use crate::error::Result;
use crate::identity::caller::Shopper;
use crate::lists::access::Access;
use crate::lists::row::{Editor, ListRow};

/// The caller's editor number in a locked list, assigned on first use; `None` is the owner.
pub(crate) async fn number<T: Tx>(tx: &mut T, by: &Shopper, access: &Access, list: &Uuid) -> Result<Option<i64>> {
    if access.is_owner() {
        return Ok(None);
    }
    if by.email().is_none() {
        return Ok(Some(Editor::ANONYMOUS));
    }
    let key = [by.store_id().into(), (&by.id().0).into(), list.as_bytes().into()];
    if let Some(number) = tx.first::<i64>(NUMBER.bind(&key)).await? {
        return Ok(Some(number));
    }
    let number = tx.first::<i64>(NEXT.bind(&[key[0], key[2]])).await?.unwrap_or(Editor::ANONYMOUS + 1);
    tx.execute(ADD.bind(&[key[0], key[2], number.into(), key[1]])).await?;
    Ok(Some(number))
}

/// Loads the editors of lists.
pub(crate) async fn load<Q: Query>(query: &mut Q, store_id: i64, lists: &mut [ListRow]) -> Result<()> {
    let ids: Vec<Uuid> = lists.iter().map(|list| list.list_id).collect();
    let keys: Vec<[Arg<'_>; 2]> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| OF_LIST.bind(key)).collect();
    lists.iter_mut().for_each(|list| list.editors.clear());
    query
        .query_all(&batch, &mut |number, row| {
            lists[number].editors.extend(Editor::from_columns(row, 0)?);
            Ok(())
        })
        .await?;
    Ok(())
}

statements! {
    pub(crate) OF_LIST = "select e.number, s.email
                          from editors e left join shoppers s on s.store_id = $1 and s.shopper_id = e.shopper_id
                          where e.store_id = $1 and e.list_id = $2";
    NUMBER = "select number from editors where store_id = $1 and shopper_id = $2 and list_id = $3";
    NEXT = "select coalesce(max(number), 0) + 1 from editors where store_id = $1 and list_id = $2";
    ADD = "insert into editors (store_id, list_id, number, shopper_id) values ($1, $2, $3, $4)";
}
