//! Migrations on SQLite.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::Result;
use crate::migration::{CREATE_VERSIONS, CURRENT_VERSION, Migration, pending};

pub(super) fn migrate(connection: &mut Connection, migrations: &[Migration]) -> Result<()> {
    // An up-to-date database needs no write lock.
    if pending(schema_version(connection), migrations)?.is_empty() {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(CREATE_VERSIONS)?;
    let current = tx.query_row(CURRENT_VERSION, [], |row| row.get(0))?;
    for migration in pending(current, migrations)? {
        tx.execute_batch(migration.sqlite)?;
        tx.execute("insert into schema_versions values (?1, ?2)", (migration.number, migration.name))?;
        tracing::info!(number = migration.number, name = migration.name, "schema updated");
    }
    Ok(tx.commit()?)
}

/// The schema version of the database; 0 if it has none.
pub(super) fn schema_version(connection: &Connection) -> i64 {
    connection.query_row(CURRENT_VERSION, [], |row| row.get(0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIGRATIONS: &[Migration] = &[
        Migration { number: 1, name: "a", sqlite: "create table a (x integer)", postgres: "" },
        Migration { number: 2, name: "b", sqlite: "create table b (x integer)", postgres: "" },
    ];

    #[test]
    fn migrations_are_applied_once_and_in_order() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &MIGRATIONS[..1]).unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        let count: i64 = connection.query_row("select count(*) from schema_versions", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 2);
    }

    #[test]
    fn a_schema_newer_than_the_program_is_rejected() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        let error = migrate(&mut connection, &MIGRATIONS[..1]).unwrap_err();
        assert!(error.to_string().contains("newer Wishbone"), "{error}");
    }
}
