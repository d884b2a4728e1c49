//! Numbered schema changes, applied once, in order, under one lock. A schema from the future is
//! refused: an old program would damage what it does not know.

use rusqlite::{Connection, TransactionBehavior};
use tokio_postgres::GenericClient;

use crate::{Error, Result};

/// One step of the schema, in the words of each engine.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    pub number: i64,
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

impl Migration {
    /// The tables that this step makes.
    fn tables(&self) -> impl Iterator<Item = &'static str> {
        self.sqlite.lines().filter_map(|line| line.strip_prefix("create table ")?.split(' ').next())
    }
}

/// Every table of a schema, in the order in which they are made, and last the one that says how far the schema is.
pub fn tables(migrations: &[Migration]) -> Vec<&'static str> {
    migrations.iter().flat_map(Migration::tables).chain(["schema_versions"]).collect()
}

/// Whether the schema itself puts rows into a table.
pub(crate) fn has_rows_of_its_own(migrations: &[Migration], table: &str) -> bool {
    let filled =
        |line: &str| line.strip_prefix("insert into ").is_some_and(|rest| rest.split(' ').next() == Some(table));
    migrations.iter().any(|migration| migration.sqlite.lines().any(filled))
}

const TABLE: &str =
    "create table if not exists schema_versions (number bigint not null primary key, name text not null)";
const CURRENT: &str = "select coalesce(max(number), 0) from schema_versions";
/// Any number that no other program is likely to take.
const POSTGRES_LOCK: i64 = 0x5749_5348_424f_4e45;

pub(crate) fn on_sqlite(connection: &mut Connection, migrations: &[Migration]) -> Result<()> {
    // Starting on a database that is up to date takes no write lock.
    if pending(version_on_sqlite(connection), migrations)?.is_empty() {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(TABLE)?;
    let current = tx.query_row(CURRENT, [], |row| row.get(0))?;
    for migration in pending(current, migrations)? {
        tx.execute_batch(migration.sqlite)?;
        tx.execute("insert into schema_versions values (?1, ?2)", (migration.number, migration.name))?;
        tracing::info!(number = migration.number, name = migration.name, "schema updated");
    }
    Ok(tx.commit()?)
}

pub(crate) async fn on_postgres(client: &mut tokio_postgres::Client, migrations: &[Migration]) -> Result<()> {
    // Nor the lock here, which not every engine that speaks the protocol has.
    let known = version_on_postgres(client).await.unwrap_or(0);
    if pending(known, migrations)?.is_empty() {
        return Ok(());
    }
    let tx = client.transaction().await?;
    apply_on_postgres(&tx, migrations).await?;
    Ok(tx.commit().await?)
}

/// The same within a transaction that is not over with it.
pub(crate) async fn apply_on_postgres(tx: &impl GenericClient, migrations: &[Migration]) -> Result<()> {
    // Waiting for another node, or changing a large table, may take its time.
    tx.batch_execute("set local statement_timeout = 0").await?;
    tx.execute("select pg_advisory_xact_lock($1)", &[&POSTGRES_LOCK]).await?;
    tx.batch_execute(TABLE).await?;
    let current: i64 = tx.query_one(CURRENT, &[]).await?.get(0);
    for migration in pending(current, migrations)? {
        tx.batch_execute(migration.postgres).await?;
        tx.execute("insert into schema_versions values ($1, $2)", &[&migration.number, &migration.name]).await?;
        tracing::info!(number = migration.number, name = migration.name, "schema updated");
    }
    Ok(())
}

pub(crate) async fn version_on_postgres(client: &impl GenericClient) -> Result<i64> {
    Ok(client.query_one(CURRENT, &[]).await?.try_get(0)?)
}

/// None is zero.
pub(crate) fn version_on_sqlite(connection: &Connection) -> i64 {
    connection.query_row(CURRENT, [], |row| row.get(0)).unwrap_or(0)
}

/// The schema that this program knows.
pub(crate) fn newest(migrations: &[Migration]) -> i64 {
    migrations.last().map_or(0, |migration| migration.number)
}

fn pending(current: i64, migrations: &[Migration]) -> Result<&[Migration]> {
    let newest = newest(migrations);
    if current > newest {
        return Err(Error::Unusable(format!(
            "this database was written by a newer Wishbone (schema {current}, this program knows {newest}): \
             start the newer program, or restore a backup made before the update"
        )));
    }
    let applied = migrations.iter().take_while(|migration| migration.number <= current).count();
    Ok(&migrations[applied..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[Migration] = &[
        Migration { number: 1, name: "a", sqlite: "create table a (x integer)", postgres: "" },
        Migration { number: 2, name: "b", sqlite: "create table b (x integer)", postgres: "" },
    ];

    #[test]
    fn steps_are_applied_once_and_in_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        on_sqlite(&mut connection, &STEPS[..1]).unwrap();
        on_sqlite(&mut connection, STEPS).unwrap();
        on_sqlite(&mut connection, STEPS).unwrap();
        let count: i64 = connection.query_row("select count(*) from schema_versions", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn a_schema_from_the_future_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        on_sqlite(&mut connection, STEPS).unwrap();
        let error = on_sqlite(&mut connection, &STEPS[..1]).unwrap_err();
        assert!(error.to_string().contains("newer Wishbone"), "{error}");
    }
}
