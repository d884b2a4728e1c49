//! Who besides its owner has changed a list. Items name an editor by number, so that a person can be erased, or become
//! known by another identity, in one row.

use uuid::Uuid;
use wishbone_store::{Row, Tx};

use crate::Result;
use crate::access::Access;
use crate::caller::Shopper;

/// Someone who is not logged in. No row is kept of them: whoever has the link could make thousands.
const NOBODY_KNOWN: i64 = 0;

#[derive(Clone, Debug)]
pub struct Editor {
    pub number: i64,
    pub email: Option<String>,
}

impl Editor {
    /// From two columns, if the row has an editor.
    pub(crate) fn from_columns(row: &dyn Row, at: usize) -> wishbone_store::Result<Option<Self>> {
        let Some(number) = row.opt_int(at)? else { return Ok(None) };
        Ok(Some(Self { number, email: row.opt_text(at + 1)?.map(str::to_owned) }))
    }
}

/// The caller's number among the editors of a list that is locked, given out on first use; `None` is its owner.
pub(crate) async fn number<T: Tx>(tx: &mut T, by: &Shopper, access: &Access, list: &Uuid) -> Result<Option<i64>> {
    if access.is_owner() {
        return Ok(None);
    }
    if by.email().is_none() {
        return Ok(Some(NOBODY_KNOWN));
    }
    let mine = [by.store_id().into(), (&by.id().0).into(), list.as_bytes().into()];
    if let Some(number) = tx.first::<i64>(NUMBER.bind(&mine)).await? {
        return Ok(Some(number));
    }
    let number = tx.first::<i64>(NEXT.bind(&[mine[0], mine[2]])).await?.unwrap_or(NOBODY_KNOWN + 1);
    tx.execute(ADD.bind(&[mine[0], mine[2], number.into(), mine[1]])).await?;
    Ok(Some(number))
}

statements! {
    pub(crate) OF_LIST = "select e.number, s.email
                          from editors e left join shoppers s on s.store_id = e.store_id and s.shopper_id = e.shopper_id
                          where e.store_id = $1 and e.list_id = $2";
    NUMBER = "select number from editors where store_id = $1 and shopper_id = $2 and list_id = $3";
    NEXT = "select coalesce(max(number), 0) + 1 from editors where store_id = $1 and list_id = $2";
    ADD = "insert into editors (store_id, list_id, number, shopper_id) values ($1, $2, $3, $4)";
}
