//! SQLite as source or target of a transfer. The source is locked exclusively: it leaves WAL mode, which SQLite refuses
//! while there is another connection, and holds the lock until the end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::mpsc::{Receiver, Sender};

use super::connection::{create_private, open_writer};
use super::migrate::{migrate, schema_version};
use super::tx::SqliteRow;
use crate::error::{Error, Result};
use crate::migration::{Migration, newest};
use crate::sql::Row;
use crate::transfer::{
    BATCH_ROWS, Batch, Column, ColumnType, Source, Target, decode_row, ensure_current, quoted_names,
};

/// An exclusively locked database.
pub(crate) struct SqliteSource(Arc<Mutex<Connection>>);

impl SqliteSource {
    pub(crate) fn open(path: &Path, migrations: &[Migration]) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        let mode = connection.query_row("pragma journal_mode = delete", [], |row| row.get::<_, String>(0));
        let is_exclusive =
            mode.is_ok_and(|mode| mode == "delete") && connection.execute_batch("begin exclusive").is_ok();
        if !is_exclusive {
            return Err(Error::Unusable(format!(
                "another process has {} open: stop it first, because its writes during the move would be lost",
                path.display()
            )));
        }
        ensure_current(schema_version(&connection), newest(migrations))?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Runs long statements on a blocking thread.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let connection = self.0.clone();
        let work = move || work(&mut connection.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(Error::bug)?
    }
}

impl Source for SqliteSource {
    async fn columns(&self, table: &str) -> Result<Vec<Column>> {
        let sql = format!("select name, type from pragma_table_info('{table}') order by cid");
        self.run(move |connection| {
            let mut statement = connection.prepare(&sql)?;
            let columns = statement.query_map([], |row| {
                let (name, declared): (String, String) = (row.get(0)?, row.get(1)?);
                let column_type = match declared.to_ascii_lowercase().as_str() {
                    "text" => ColumnType::Text,
                    "blob" => ColumnType::Blob,
                    "double" => ColumnType::Double,
                    _ => ColumnType::Int,
                };
                Ok(Column { name, column_type })
            })?;
            Ok(columns.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn count(&self, table: &str) -> Result<u64> {
        let sql = format!("select count(*) from {table}");
        self.run(move |connection| {
            let count: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
            u64::try_from(count).map_err(Error::bug)
        })
        .await
    }

    async fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> Result<()> {
        let (sql, columns) = (format!("select {} from {table}", quoted_names(columns)), columns.to_vec());
        let table = table.to_owned();
        self.run(move |connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.raw_query();
            let mut batch = Vec::with_capacity(BATCH_ROWS);
            while let Some(row) = rows.next()? {
                let row = decode_row(&SqliteRow(row) as &dyn Row, &columns);
                batch.push(row.map_err(|error| wrong_type(&table, &error))?);
                if batch.len() == BATCH_ROWS && to.blocking_send(std::mem::take(&mut batch)).is_err() {
                    // The receiver returns the error itself.
                    return Ok(());
                }
            }
            let _ = to.blocking_send(batch);
            Ok(())
        })
        .await
    }
}

fn wrong_type(table: &str, error: &Error) -> Error {
    Error::Unusable(format!("table {table} has a value of the wrong type ({error}): run `wishbone check`"))
}

/// A new file with a temporary name until the commit.
pub(crate) struct SqliteTarget {
    database: SqliteSource,
    unfinished: PathBuf,
    path: PathBuf,
}

impl SqliteTarget {
    pub(crate) fn create(path: &Path, migrations: &[Migration], tables: &[&str]) -> Result<Self> {
        let unfinished = path.with_extension("unfinished");
        // Left by an earlier attempt.
        let _ = std::fs::remove_file(&unfinished);
        create_private(&unfinished)?;
        let mut connection = open_writer(&unfinished)?;
        migrate(&mut connection, migrations)?;
        connection.execute_batch("pragma journal_mode = delete; pragma synchronous = off; begin exclusive")?;
        for table in tables {
            connection.execute(&format!("delete from {table}"), [])?;
        }
        Ok(Self { database: SqliteSource(Arc::new(Mutex::new(connection))), unfinished, path: path.to_owned() })
    }
}

impl Source for SqliteTarget {
    async fn columns(&self, table: &str) -> Result<Vec<Column>> {
        self.database.columns(table).await
    }

    async fn count(&self, table: &str) -> Result<u64> {
        self.database.count(table).await
    }

    async fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> Result<()> {
        self.database.read(table, columns, to).await
    }
}

impl Target for SqliteTarget {
    async fn write(&self, table: &str, columns: &[Column], mut from: Receiver<Batch>) -> Result<()> {
        let placeholders = vec!["?"; columns.len()].join(", ");
        let sql = format!("insert into {table} ({}) values ({placeholders})", quoted_names(columns));
        self.database
            .run(move |connection| {
                let mut statement = connection.prepare(&sql)?;
                while let Some(batch) = from.blocking_recv() {
                    for row in &batch {
                        for (i, cell) in row.iter().enumerate() {
                            statement.raw_bind_parameter(i + 1, cell.arg())?;
                        }
                        statement.raw_execute()?;
                    }
                }
                Ok(())
            })
            .await
    }

    async fn commit(self) -> Result<()> {
        let (unfinished, path) = (self.unfinished.clone(), self.path.clone());
        self.database
            .run(move |connection| {
                connection.execute_batch("commit")?;
                let publish = || {
                    File::open(&unfinished)?.sync_all()?;
                    std::fs::rename(&unfinished, &path)?;
                    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
                };
                publish().map_err(Error::unavailable)
            })
            .await
    }
}

impl Drop for SqliteTarget {
    fn drop(&mut self) {
        // Does not exist after the commit.
        let _ = std::fs::remove_file(&self.unfinished);
    }
}
