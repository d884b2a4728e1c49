//! For tests: compares the write set of each write with the rows that it has changed.
//!
//! Temporary triggers record the rows; they belong to the writer's connection, so other processes do not see them. SQLite's
//! update hook does not report tables without row ids, and its pre-update hook needs Clang at build time.

use rusqlite::Connection;

use super::tx::SqliteRow;
use crate::error::{Error, Result};
use crate::invalidation::{CachedTable, WriteSet};

/// The most key columns of a table.
const KEY_COLUMNS: usize = 2;
const CREATE: &str = "create temp table changed_rows (a, b, number integer not null)";
const CHANGED: &str = "select distinct a, b, number from temp.changed_rows";
const CLEAR: &str = "delete from temp.changed_rows";

/// Starts to record changes of these tables.
pub(super) fn install(connection: &Connection, tables: &[CachedTable]) -> Result<()> {
    if tables.is_empty() {
        return Ok(());
    }
    connection.execute_batch(CREATE)?;
    for (number, table) in tables.iter().enumerate() {
        connection.execute_batch(&triggers(number, table, &columns(connection, table)?))?;
    }
    Ok(())
}

/// Panics if the write has changed a key that it has not declared.
pub(super) fn check(connection: &Connection, tables: &[CachedTable], name: &str, declared: &WriteSet) -> Result<()> {
    if !tables.is_empty() {
        let undeclared = undeclared(connection, tables, declared)?;
        assert!(undeclared.is_none(), "the write set of {name} lacks {undeclared:?}");
    }
    Ok(())
}

/// A changed row whose keys are not declared. If there is none, the record of the write is deleted.
fn undeclared(connection: &Connection, tables: &[CachedTable], declared: &WriteSet) -> Result<Option<String>> {
    let mut statement = connection.prepare_cached(CHANGED)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let table = &tables[usize::from(row.get::<_, u16>(KEY_COLUMNS)?)];
        let changed = (table.keys)(&SqliteRow(row))?;
        if !changed.iter().all(|key| declared.keys().contains(key)) {
            return Ok(Some(format!("{} of {:?}", table.name, [row.get_ref(0)?, row.get_ref(1)?])));
        }
    }
    drop(rows);
    connection.prepare_cached(CLEAR)?.raw_execute()?;
    Ok(None)
}

/// The columns of a table. Those that are described must be among them.
fn columns(connection: &Connection, table: &CachedTable) -> Result<Vec<String>> {
    let mut statement = connection.prepare("select name from pragma_table_info(?1)")?;
    let columns: Vec<String> = statement.query_map([table.name], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let described = table.key.iter().chain(table.uncached);
    match described.into_iter().find(|column| columns.iter().all(|known| known != *column)) {
        Some(column) => Err(Error::Bug(format!("table {} has no column {column}", table.name))),
        None if table.key.len() > KEY_COLUMNS => Err(Error::Bug(format!("the key of {} is too long", table.name))),
        None => Ok(columns),
    }
}

fn triggers(number: usize, table: &CachedTable, columns: &[String]) -> String {
    let name = table.name;
    let key = |of: &str| {
        let column = |at: usize| table.key.get(at).map_or("null".to_owned(), |column| format!("{of}.{column}"));
        format!("insert into changed_rows values ({}, {}, {number});", column(0), column(1))
    };
    // Rows are locked by updates that change nothing.
    let cached = columns.iter().filter(|column| !table.uncached.contains(&column.as_str()));
    let differs: Vec<String> = cached.map(|column| format!("old.{column} is not new.{column}")).collect();
    let (old, new, differs) = (key("old"), key("new"), differs.join(" or "));
    format!(
        "create temp trigger {name}_inserted after insert on main.{name} begin {new} end;
         create temp trigger {name}_deleted after delete on main.{name} begin {old} end;
         create temp trigger {name}_updated after update on main.{name} when {differs} begin {old} {new} end;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalidation::InvalidationKey;

    fn key(id: i64) -> InvalidationKey {
        InvalidationKey::new(id, b"")
    }

    const TABLES: &[CachedTable] =
        &[CachedTable { name: "things", key: &["id"], keys: |row| Ok(vec![key(row.int(0)?)]), uncached: &["seen"] }];

    /// The keys from 1 to 9 that a statement must declare.
    fn changed(connection: &Connection, sql: &str) -> Vec<i64> {
        connection.execute_batch("savepoint operation").unwrap();
        connection.execute_batch(sql).unwrap();
        let all: Vec<i64> = (1..10).collect();
        let is_needed = |id: &&i64| {
            let others = WriteSet::of(all.iter().filter(|other| other != id).map(|other| key(*other)));
            connection.execute_batch("savepoint attempt").unwrap();
            let undeclared = undeclared(connection, TABLES, &others).unwrap();
            connection.execute_batch("rollback to attempt; release attempt").unwrap();
            undeclared.is_some()
        };
        let needed = all.iter().filter(is_needed).copied().collect();
        let declared = WriteSet::of(all.iter().map(|id| key(*id)));
        assert_eq!(undeclared(connection, TABLES, &declared).unwrap(), None);
        connection.execute_batch("release operation").unwrap();
        needed
    }

    #[test]
    fn a_write_must_declare_the_keys_of_all_rows_it_changes() {
        let connection = Connection::open_in_memory().unwrap();
        let schema = "create table things (id integer primary key, name text, seen integer) without rowid;
                      create table others (id integer)";
        connection.execute_batch(schema).unwrap();
        install(&connection, TABLES).unwrap();
        assert_eq!(changed(&connection, "insert into things values (1, 'a', 0), (2, 'b', 0)"), [1, 2]);
        assert_eq!(changed(&connection, "insert into others values (1)"), []);
        assert_eq!(changed(&connection, "update things set name = name"), []);
        assert_eq!(changed(&connection, "update things set seen = 1"), []);
        assert_eq!(changed(&connection, "update things set name = null where id = 2"), [2]);
        assert_eq!(changed(&connection, "update things set id = 3 where id = 2"), [2, 3]);
        let upsert = "insert into things values (1, 'a', 2), (3, 'c', 2), (3, 'd', 2), (4, 'd', 2)
                      on conflict (id) do update set name = excluded.name, seen = excluded.seen";
        assert_eq!(changed(&connection, upsert), [3, 4]);
        assert_eq!(changed(&connection, "delete from things"), [1, 3, 4]);
    }

    #[test]
    fn an_unknown_column_is_an_error() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("create table things (id integer primary key)").unwrap();
        let error = install(&connection, TABLES).unwrap_err();
        assert!(error.to_string().contains("table things has no column seen"), "{error}");
    }
}
