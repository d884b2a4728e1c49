//! SQLite as one side of a move. Nobody else may have the database open: its journal leaves WAL mode, which SQLite refuses
//! as long as there is another connection, and the lock is held until the end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::mpsc::{Receiver, Sender};

use super::tx::SqliteRow;
use super::{make_private, open_writer};
use crate::migrate::{self, Migration};
use crate::transfer::{Batch, Column, Kind, ROWS, Side, Target, cells, ensure_current, quoted};
use crate::{Error, Result, Row};

pub(crate) struct Held(Arc<Mutex<Connection>>);

impl Held {
    /// A source.
    pub(crate) fn open(path: &Path, migrations: &[Migration]) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        let mode = connection.query_row("pragma journal_mode = delete", [], |row| row.get::<_, String>(0));
        let is_alone = mode.is_ok_and(|mode| mode == "delete") && connection.execute_batch("begin exclusive").is_ok();
        if !is_alone {
            return Err(Error::Unusable(format!(
                "a server, or another command, has {} open: stop it first. What it wrote during the move would be lost",
                path.display()
            )));
        }
        ensure_current(migrate::version_on_sqlite(&connection), migrate::newest(migrations))?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Statements take their time, and belong on a thread of their own.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let connection = self.0.clone();
        let work = move || work(&mut connection.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(Error::bug)?
    }
}

impl Side for Held {
    async fn columns(&self, table: &str) -> Result<Vec<Column>> {
        let sql = format!("select name, type from pragma_table_info('{table}') order by cid");
        self.with(move |connection| {
            let mut statement = connection.prepare(&sql)?;
            let columns = statement.query_map([], |row| {
                let (name, declared): (String, String) = (row.get(0)?, row.get(1)?);
                let kind = match declared.to_ascii_lowercase().as_str() {
                    "text" => Kind::Text,
                    "blob" => Kind::Blob,
                    "double" => Kind::Double,
                    _ => Kind::Int,
                };
                Ok(Column { name, kind })
            })?;
            Ok(columns.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn count(&self, table: &str) -> Result<u64> {
        let sql = format!("select count(*) from {table}");
        self.with(move |connection| {
            let count: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
            u64::try_from(count).map_err(Error::bug)
        })
        .await
    }

    async fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> Result<()> {
        let (sql, columns) = (format!("select {} from {table}", quoted(columns)), columns.to_vec());
        let table = table.to_owned();
        self.with(move |connection| {
            let mut statement = connection.prepare(&sql)?;
            let mut rows = statement.raw_query();
            let mut batch = Vec::with_capacity(ROWS);
            while let Some(row) = rows.next()? {
                batch.push(cells(&SqliteRow(row) as &dyn Row, &columns).map_err(|error| odd(&table, &error))?);
                if batch.len() == ROWS && to.blocking_send(std::mem::take(&mut batch)).is_err() {
                    // Whoever takes them has stopped, and says why.
                    return Ok(());
                }
            }
            let _ = to.blocking_send(batch);
            Ok(())
        })
        .await
    }
}

fn odd(table: &str, error: &Error) -> Error {
    Error::Unusable(format!("a row of {table} has a value of the wrong kind ({error}): run `wishbone check`"))
}

/// A new file under another name, which it loses when it is kept.
pub(crate) struct NewFile {
    held: Held,
    unfinished: PathBuf,
    path: PathBuf,
}

impl NewFile {
    pub(crate) fn make(path: &Path, migrations: &[Migration], tables: &[&str]) -> Result<Self> {
        if path.exists() {
            return Err(Error::Unusable(format!("{} is there already: choose an empty folder", path.display())));
        }
        let unfinished = path.with_extension("unfinished");
        // Of an earlier try.
        let _ = std::fs::remove_file(&unfinished);
        make_private(&unfinished)?;
        let mut connection = open_writer(&unfinished)?;
        migrate::on_sqlite(&mut connection, migrations)?;
        connection.execute_batch("pragma journal_mode = delete; pragma synchronous = off; begin exclusive")?;
        for table in tables {
            connection.execute(&format!("delete from {table}"), [])?;
        }
        Ok(Self { held: Held(Arc::new(Mutex::new(connection))), unfinished, path: path.to_owned() })
    }
}

impl Side for NewFile {
    async fn columns(&self, table: &str) -> Result<Vec<Column>> {
        self.held.columns(table).await
    }

    async fn count(&self, table: &str) -> Result<u64> {
        self.held.count(table).await
    }

    async fn read(&self, table: &str, columns: &[Column], to: Sender<Batch>) -> Result<()> {
        self.held.read(table, columns, to).await
    }
}

impl Target for NewFile {
    async fn write(&self, table: &str, columns: &[Column], mut from: Receiver<Batch>) -> Result<()> {
        let places = vec!["?"; columns.len()].join(", ");
        let sql = format!("insert into {table} ({}) values ({places})", quoted(columns));
        self.held
            .with(move |connection| {
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

    async fn keep(self) -> Result<()> {
        let (unfinished, path) = (self.unfinished.clone(), self.path.clone());
        self.held
            .with(move |connection| {
                connection.execute_batch("commit")?;
                let keep = || {
                    File::open(&unfinished)?.sync_all()?;
                    std::fs::rename(&unfinished, &path)?;
                    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
                };
                keep().map_err(Error::unavailable)
            })
            .await
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // There is none any more once it was kept.
        let _ = std::fs::remove_file(&self.unfinished);
    }
}
