//! Bulk load into SQLite, without durability until the end.

use std::path::Path;

use anyhow::Context;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::bulk::{Bulk, Cell, Table};

pub(super) struct SqliteBulk {
    connection: Connection,
    /// Definitions of the dropped secondary indexes.
    indexes: Vec<String>,
}

impl SqliteBulk {
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -262144; pragma temp_store = memory;
             pragma locking_mode = exclusive;",
        )?;
        Ok(Self { connection, indexes: Vec::new() })
    }
}

impl Bulk for SqliteBulk {
    fn table(&mut self, name: &str) -> anyhow::Result<Table> {
        let mut statement = self.connection.prepare(&format!("select * from {name} order by 1, 2, 3, 4"))?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let width = columns.len();
        let rows = statement.query_map([], |row| (0..width).map(|i| Ok(cell(row.get_ref(i)?))).collect())?;
        let rows = rows.collect::<rusqlite::Result<_>>()?;
        Ok(Table { name: name.to_owned(), columns, rows })
    }

    fn store_id(&mut self, pid: &str) -> anyhow::Result<i64> {
        let find = "select store_id from stores where pid = ?1";
        self.connection.query_row(find, [pid], |row| row.get(0)).context("the store does not exist")
    }

    fn begin(&mut self, table: &str) -> anyhow::Result<()> {
        let find = "select name, sql from sqlite_schema where type = 'index' and tbl_name = ?1 and sql is not null";
        let found: Vec<(String, String)> = self
            .connection
            .prepare(find)?
            .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (name, sql) in found {
            self.connection.execute_batch(&format!("drop index {name}"))?;
            self.indexes.push(sql);
        }
        self.connection.execute_batch("begin")?;
        Ok(())
    }

    fn load(&mut self, table: &Table, rows: &mut dyn Iterator<Item = Vec<Cell>>) -> anyhow::Result<()> {
        let placeholders = vec!["?"; table.columns.len()].join(", ");
        let insert = format!("insert into {} ({}) values ({placeholders})", table.name, table.columns.join(", "));
        let mut insert = self.connection.prepare(&insert)?;
        for row in rows {
            insert.execute(params_from_iter(&row))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.connection.execute_batch("commit")?;
        for index in &self.indexes {
            self.connection.execute_batch(index)?;
        }
        self.connection.execute_batch("pragma locking_mode = normal; pragma journal_mode = wal;")?;
        Ok(())
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_owned()),
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
