//! Deleting a store with all that belongs to it, in steps that are small enough not to delay other writes.
//!
//! Once the deletion has begun, the store is unknown to every look-up, and jobs no longer find it. A deletion that was
//! interrupted goes on with whatever is left.

use wishbone_storage::{Database, FromRow, Query, Read, Row, Sql, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;
use crate::stores::record::{StoreRecord, unknown};

/// A store whose deletion has begun.
#[derive(Clone, Debug)]
pub struct StoreDeletion {
    store_id: i64,
    pub pid: String,
    pub name: String,
    /// When it began.
    pub since: Millis,
}

impl FromRow for StoreDeletion {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            store_id: row.int(0)?,
            pid: row.text(1)?.to_owned(),
            name: row.text(2)?.to_owned(),
            since: row.int(3)?,
        })
    }
}

/// Begins the deletion of a store.
pub struct BeginDeletion {
    pub by: Operator,
    pub store: StoreRecord,
    pub now: Millis,
}

impl Write for BeginDeletion {
    const NAME: &'static str = "begin_deletion";
    const IDEMPOTENT: bool = true;
    type Out = StoreDeletion;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<StoreDeletion> {
        let store_id = self.store.store_id.into();
        let begun = tx.first(BEGIN.bind(&[self.now.into(), store_id])).await?;
        let begun = begun.ok_or_else(|| unknown(&self.store.pid))?;
        // By its state, jobs find the store, and servers that have its record in memory see that it is as it was.
        tx.execute(DELETE_STATE.bind(&[store_id])).await?;
        Ok(begun)
    }
}

/// Lists the stores whose deletion has begun.
pub struct ListDeletions {
    pub by: Operator,
}

impl Read for ListDeletions {
    const NAME: &'static str = "list_deletions";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<StoreDeletion>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(BEGUN.bind(&[])).await?)
    }
}

/// The statements that delete a store's rows of a table.
#[derive(Debug)]
pub struct TableRows {
    pub table: &'static str,
    /// Deletes the first rows, if there are more than $2. `None` if there is one at most.
    pub first: Option<Sql>,
    /// Deletes all rows.
    pub rest: Sql,
}

/// The texts of `first` and `rest`.
pub(crate) type Texts = (Option<String>, String);

impl TableRows {
    /// The texts of the statements, given the primary key, which begins with the store.
    pub(crate) fn texts(table: &str, key: &[&str]) -> Texts {
        let all = format!("delete from {table} where store_id = $1");
        let rest = key.get(1..).unwrap_or_default();
        let first = (!rest.is_empty()).then(|| {
            let qualified: Vec<String> = rest.iter().map(|column| format!("{table}.{column}")).collect();
            let (columns, qualified) = (rest.join(", "), qualified.join(", "));
            format!(
                "{all} and ({columns}) <= (select {columns} from {table} where store_id = $1 order by {qualified} limit 1 \
                 offset $2)"
            )
        });
        (first, all)
    }

    pub(crate) fn new(table: &'static str, first: Option<&'static str>, rest: &'static str) -> Self {
        Self { table, first: first.map(Sql::new), rest: Sql::new(rest) }
    }
}

/// Deletes rows of a table, at most as many as given.
struct DeleteRows {
    store_id: i64,
    most: u32,
    rows: &'static TableRows,
}

impl Write for DeleteRows {
    const NAME: &'static str = "delete_rows";
    /// How many.
    type Out = u64;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.store_id)
    }

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let store_id = self.store_id.into();
        if let Some(first) = self.rows.first {
            let deleted = tx.execute(first.bind(&[store_id, i64::from(self.most.max(1) - 1).into()])).await?;
            if deleted > 0 {
                return Ok(deleted);
            }
        }
        Ok(tx.execute(self.rows.rest.bind(&[store_id])).await?)
    }
}

/// Deletes what the tables have of a store, in many transactions. Returns the number of rows: none once nothing is written to
/// the store any more. `before_step` gets the table and the number so far, may pause, and returns how many rows the step may
/// delete: rows are of all sizes, up to half a megabyte.
pub async fn delete_rows(
    database: &Database,
    deletion: &StoreDeletion,
    tables: &'static [TableRows],
    before_step: impl AsyncFn(&'static str, u64) -> Result<u32>,
) -> Result<u64> {
    let mut total = 0;
    for rows in tables {
        loop {
            let most = before_step(rows.table, total).await?;
            let deleted = database.write(DeleteRows { store_id: deletion.store_id, most, rows }).await?;
            total += deleted;
            if deleted < most.into() {
                break;
            }
        }
    }
    Ok(total)
}

/// Deletes the row of a store of which nothing else is left.
pub struct FinishDeletion {
    pub by: Operator,
    pub deletion: StoreDeletion,
}

impl Write for FinishDeletion {
    const NAME: &'static str = "finish_deletion";
    const IDEMPOTENT: bool = true;
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let store_id = self.deletion.store_id.into();
        tx.execute(RETIRE_ID.bind(&[store_id])).await?;
        tx.execute(DELETE.bind(&[store_id])).await?;
        Ok(())
    }
}

statements! {
    BEGIN = "update stores set deleting_since = coalesce(deleting_since, $1) where store_id = $2
             returning store_id, pid, name, deleting_since";
    DELETE_STATE = "delete from store_states where store_id = $1";
    BEGUN = "select store_id, pid, name, deleting_since from stores where deleting_since is not null order by store_id";
    RETIRE_ID = "update server set last_store_id = $1 where id = 1 and last_store_id < $1";
    DELETE = "delete from stores where store_id = $1 and deleting_since is not null";
}
