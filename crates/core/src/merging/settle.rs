//! Completes what is pending of a shopper's lists, in small steps, before an operation that needs them complete.

use uuid::Uuid;
use wishbone_storage::{Database, FromRow, Query, Read, Sql, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::profile::FindByEmail;
use crate::lists::copy::{self, CopyItems, PendingCopy};
use crate::lists::delete;
use crate::lists::row::ListId;
use crate::merging::union::{self, PendingUnion, UniteItems};
use crate::moment::Moment;
use crate::operator::Operator;
use crate::tokens::ShopperId;

/// Settles the lists of the shopper with an address.
pub async fn settle_by_email(
    database: &Database,
    store_id: i64,
    email: &str,
    moment: &(dyn Fn() -> Moment + Sync),
) -> Result<()> {
    match database.read(FindByEmail { store_id, email: email.to_owned() }).await? {
        Some((shopper, _)) => settle(database, store_id, shopper, moment).await,
        None => Ok(()),
    }
}

/// Completes the shopper's copies and unions, and records what was deleted of merged lists.
pub async fn settle(
    database: &Database,
    store_id: i64,
    shopper: ShopperId,
    moment: &(dyn Fn() -> Moment + Sync),
) -> Result<()> {
    let by = Operator::of_this_machine();
    loop {
        let Pending { copies, unions, deleted } = database.read(FindPending { store_id, shopper }).await?;
        if copies.is_empty() && unions.is_empty() && deleted.is_empty() {
            return Ok(());
        }
        for copy in copies {
            database.write(CopyItems { by, copy, now: moment().now }).await?;
        }
        for union in unions {
            database.write(UniteItems { union, moment: moment() }).await?;
        }
        for list_id in deleted {
            database.write(PurgeMergedList { store_id, list_id }).await?;
        }
    }
}

/// Fails if something is pending of a shopper. In a write, the shopper's row must be locked.
pub(crate) async fn require_settled<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<()> {
    let key = [store_id.into(), (&shopper.0).into()];
    let mut is_pending = false;
    query
        .query_all(&PENDING.map(|sql| sql.bind(&key)), &mut |_, _| {
            is_pending = true;
            Ok(())
        })
        .await?;
    if is_pending {
        return Err(Error::new(
            Code::Overloaded,
            "lists of this shopper are still being copied or merged: retry after the time in Retry-After",
        ));
    }
    Ok(())
}

/// What may be pending of a shopper: copies, unions, and merged lists that were deleted, with copies of them by others.
const PENDING: [Sql; 4] = [copy::OF_SHOPPER, COPIES_OF_DELETED, union::OF_SHOPPER, DELETED];

struct FindPending {
    store_id: i64,
    shopper: ShopperId,
}

#[derive(Default)]
struct Pending {
    copies: Vec<PendingCopy>,
    unions: Vec<PendingUnion>,
    deleted: Vec<Uuid>,
}

impl Read for FindPending {
    const NAME: &'static str = "find_pending";
    type Out = Pending;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Pending> {
        let key = [self.store_id.into(), (&self.shopper.0).into()];
        let mut pending = Pending::default();
        query
            .query_all(&PENDING.map(|sql| sql.bind(&key)), &mut |number, row| {
                match number {
                    0 | 1 => pending.copies.push(PendingCopy::from_row(row)?),
                    2 => pending.unions.push(PendingUnion::from_row(row)?),
                    _ => pending.deleted.push(ListId::from_row(row)?.0),
                }
                Ok(())
            })
            .await?;
        Ok(pending)
    }
}

/// Deletes some items of a deleted list whose merge can be undone.
struct PurgeMergedList {
    store_id: i64,
    list_id: Uuid,
}

impl Write for PurgeMergedList {
    const NAME: &'static str = "purge_merged_list";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let list = [self.store_id.into(), self.list_id.as_bytes().into()];
        if copy::is_source(tx, &list).await? {
            return Ok(());
        }
        delete::purge(tx, &list).await
    }
}

/// Lists that moved to the shopper and were deleted since.
macro_rules! deleted {
    () => {
        "select d.list_id
         from merges j join merged_lists m on m.store_id = j.store_id and m.guest_id = j.guest_id
              join deleted_lists d on d.store_id = m.store_id and d.list_id = m.list_id
         where j.store_id = $1 and m.store_id = $1 and d.store_id = $1 and j.shopper_id = $2 and m.into_id is null"
    };
}

statements! {
    DELETED = deleted!();
    COPIES_OF_DELETED = concat!(
        "select c.store_id, c.list_id from copies c where c.store_id = $1 and c.source_id in (", deleted!(), ")");
}
