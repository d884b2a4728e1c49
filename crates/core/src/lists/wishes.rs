//! Wishes: how many items of a product are on the wishlists of a wisher, for social counts. Each change of items changes them
//! in the same transaction. A wisher is who created a list, so that a list changes hands without a change of its wishes;
//! only the person that they are counted for changes with a merge, and with its undo.

use std::collections::BTreeMap;

use wishbone_storage::{Arg, FromRow, Query, Read, Row, Sql, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::shoppers;
use crate::lists::row::ListRow;
use crate::moment::Millis;
use crate::operator::Operator;
use crate::tokens::ShopperId;

/// Wishes that are transferred at once.
const BATCH: i64 = 500;

/// Changes of the number of items, by product.
pub(crate) type Changes = BTreeMap<i64, i64>;

/// The statements that apply changes to a list whose row is locked: none, unless it is a wishlist.
pub(crate) fn statements<'a>(store_id: Arg<'a>, list: &'a ListRow, changes: &Changes) -> Vec<(Sql, Vec<Arg<'a>>)> {
    let Some(wisher) = &list.wished_by else { return Vec::new() };
    let (wisher, person) = (wisher.into(), (&list.shopper_id).into());
    let add = |product: i64, change: i64| (ADD, vec![store_id, wisher, product.into(), person, change.into()]);
    let delete_empty = |product: i64| (DELETE_EMPTY_OF_WISHER, vec![store_id, wisher, product.into()]);
    with_deletes(changes, add, delete_empty)
}

/// Adds the statements that delete wishes which a change may leave empty. Each is about one product: a wisher may have a
/// million wishes.
fn with_deletes<S>(changes: &Changes, add: impl Fn(i64, i64) -> S, delete_empty: impl Fn(i64) -> S) -> Vec<S> {
    let changes = changes.iter().filter(|(_, change)| **change != 0);
    let statements = changes.flat_map(|(product, change)| {
        [Some(add(*product, *change)), (*change < 0).then(|| delete_empty(*product))].into_iter().flatten()
    });
    statements.collect()
}

/// Applies changes to a list.
pub(crate) async fn apply<T: Tx>(tx: &mut T, store_id: Arg<'_>, list: &[u8; 16], changes: &Changes) -> Result<()> {
    let list = list.into();
    let add = |product: i64, change: i64| (ADD_TO_LIST, vec![product.into(), change.into(), store_id, list]);
    let delete_empty = |product: i64| (DELETE_EMPTY, vec![store_id, list, product.into()]);
    let statements = with_deletes(changes, add, delete_empty);
    tx.execute_all(&statements.iter().map(|(sql, args)| sql.bind(args)).collect::<Vec<_>>()).await?;
    Ok(())
}

/// Subtracts the items of a list, which may be marked as deleted, before a time and number.
pub(crate) async fn subtract<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], before: (Millis, i64)) -> Result<()> {
    let items = [list[0], list[1], before.0.into(), before.1.into()];
    tx.execute_all(&[SUBTRACT.bind(&items), DELETE_EMPTY_OF_ITEMS.bind(&items)]).await?;
    Ok(())
}

/// Counts the wishes of a wisher for another person, those of many products later.
pub(crate) async fn transfer<T: Tx>(tx: &mut T, store_id: i64, wisher: &ShopperId, person: &ShopperId) -> Result<()> {
    let key = [store_id.into(), (&wisher.0).into()];
    let count: i64 = tx.first(COUNT.bind(&[key[0], key[1], (BATCH + 1).into()])).await?.unwrap_or(0);
    if count > BATCH {
        tx.execute(START.bind(&[key[0], key[1], i64::MIN.into()])).await?;
    } else {
        let all = [(&person.0).into(), key[0], key[1], i64::MIN.into(), i64::MAX.into()];
        // Ended first: a step must not overwrite the new person.
        tx.execute_all(&[FINISH.bind(&key), SET_PERSON.bind(&all)]).await?;
    }
    Ok(())
}

/// A wisher whose person has changed.
#[derive(Clone, Copy, Debug)]
pub struct PendingTransfer {
    store_id: i64,
    wisher: ShopperId,
}

impl FromRow for PendingTransfer {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id: row.int(0)?, wisher: ShopperId::from_slice(row.blob(1)?)? })
    }
}

/// Finds pending transfers of a store.
pub struct FindTransfers {
    pub by: Operator,
    pub store_id: i64,
    pub limit: i64,
}

impl Read for FindTransfers {
    const NAME: &'static str = "find_transfers";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<PendingTransfer>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(PENDING.bind(&[self.store_id.into(), self.limit.into()])).await?)
    }
}

/// Transfers the next wishes of a wisher.
pub struct TransferWishes {
    pub by: Operator,
    pub transfer: PendingTransfer,
}

impl Write for TransferWishes {
    const NAME: &'static str = "transfer_wishes";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let PendingTransfer { store_id, wisher } = &self.transfer;
        let key = [(*store_id).into(), (&wisher.0).into()];
        let Some(after) = tx.first::<i64>(LOCK.bind(&key)).await? else { return Ok(()) };
        let person = shoppers::person(tx, *store_id, wisher).await?;
        let last: Option<i64> = tx.first(LAST.bind(&[key[0], key[1], after.into(), (BATCH - 1).into()])).await?;
        if let Some(person) = person {
            let some = [(&person.0).into(), key[0], key[1], after.into(), last.unwrap_or(i64::MAX).into()];
            tx.execute(SET_PERSON.bind(&some)).await?;
        }
        match last {
            Some(last) => tx.execute(START.bind(&[key[0], key[1], last.into()])).await?,
            None => tx.execute(FINISH.bind(&key)).await?,
        };
        Ok(())
    }
}

statements! {
    ADD = "insert into wishes (store_id, wisher, product_id, person, items) values ($1, $2, $3, $4, $5)
           on conflict (store_id, wisher, product_id) do update set items = wishes.items + excluded.items";
    ADD_TO_LIST = "insert into wishes (store_id, wisher, product_id, person, items)
           select l.store_id, l.wished_by, $1, l.shopper_id, $2 from lists l
           where l.store_id = $3 and l.list_id = $4 and l.wished_by is not null
           on conflict (store_id, wisher, product_id) do update set items = wishes.items + excluded.items";
    // In the order of the products, so that concurrent changes do not deadlock.
    SUBTRACT = "insert into wishes (store_id, wisher, product_id, person, items)
        select l.store_id, l.wished_by, i.product_id, l.wished_by, - count(*)
        from (select store_id, list_id, wished_by from lists where store_id = $1 and list_id = $2
              union all select store_id, list_id, wished_by from deleted_lists where store_id = $1 and list_id = $2) l
             join items i on i.store_id = l.store_id and i.list_id = l.list_id
        where i.store_id = $1 and i.list_id = $2 and (i.added_at, i.seq) < ($3, $4) and l.wished_by is not null
        group by l.store_id, l.wished_by, i.product_id order by i.product_id
        on conflict (store_id, wisher, product_id) do update set items = wishes.items + excluded.items";
    DELETE_EMPTY = "delete from wishes
        where store_id = $1 and items = 0
          and wisher = coalesce((select l.wished_by from lists l where l.store_id = $1 and l.list_id = $2),
                                (select d.wished_by from deleted_lists d where d.store_id = $1 and d.list_id = $2))
          and product_id = $3";
    DELETE_EMPTY_OF_ITEMS = "delete from wishes
        where store_id = $1 and items = 0
          and wisher = coalesce((select l.wished_by from lists l where l.store_id = $1 and l.list_id = $2),
                                (select d.wished_by from deleted_lists d where d.store_id = $1 and d.list_id = $2))
          and product_id in (select i.product_id from items i
                             where i.store_id = $1 and i.list_id = $2 and (i.added_at, i.seq) < ($3, $4))";
    DELETE_EMPTY_OF_WISHER = "delete from wishes where store_id = $1 and wisher = $2 and product_id = $3 and items = 0";
    COUNT = "select count(*) from (select w.product_id from wishes w where w.store_id = $1 and w.wisher = $2 limit $3) w";
    PENDING = "select store_id, wisher from wish_transfers where store_id = $1 order by wisher limit $2";
    START = "insert into wish_transfers (store_id, wisher, after_product) values ($1, $2, $3)
             on conflict (store_id, wisher) do update set after_product = excluded.after_product";
    FINISH = "delete from wish_transfers where store_id = $1 and wisher = $2";
    LOCK = "update wish_transfers set wisher = wisher where store_id = $1 and wisher = $2 returning after_product";
    LAST = "select product_id from wishes where store_id = $1 and wisher = $2 and product_id > $3
            order by product_id limit 1 offset $4";
    SET_PERSON = "update wishes set person = $1 where store_id = $2 and wisher = $3 and product_id > $4 and product_id <= $5";
}
