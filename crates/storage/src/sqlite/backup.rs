//! Online backup: copies a database while other connections write to it.
//!
//! The pages are copied in steps inside one read transaction. Without it, SQLite would restart the backup whenever
//! another process writes between two steps. Writers continue into the write-ahead log, which is not truncated
//! meanwhile. `vacuum into` reports no progress and takes several times as long.

use std::fs::File;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection::{BUSY_TIMEOUT, create_private};
use super::integrity;
use crate::error::{Error, Result};
use crate::progress::ProgressReporter;

/// 4 MiB: a few milliseconds.
const PAGES_PER_STEP: i32 = 1024;
/// Syncs the copy every 32 MiB. A single sync at the end would delay the server's own commits.
const STEPS_PER_SYNC: usize = 8;

/// The size and contents of a backup.
#[derive(Clone, Debug)]
pub struct BackupSummary {
    pub bytes: u64,
    /// Number of rows by table.
    pub rows: Vec<(String, u64)>,
}

/// Returns the size in bytes that a backup of a SQLite database would have.
pub fn backup_size(database: &Path) -> Result<u64> {
    query_u64(&open(database)?, "select page_count * page_size from pragma_page_count, pragma_page_size")
}

/// Writes a consistent snapshot of a SQLite database to a new file and verifies it. The database is not migrated, so
/// that a backup can be made before an update.
pub async fn backup(database: &Path, to: &Path, progress: &ProgressReporter) -> Result<BackupSummary> {
    let (database, to, progress) = (database.to_owned(), to.to_owned(), progress.clone());
    tokio::task::spawn_blocking(move || copy_and_verify(&database, &to, &progress)).await.map_err(Error::bug)?
}

fn copy_and_verify(from: &Path, to: &Path, progress: &ProgressReporter) -> Result<BackupSummary> {
    create_private(to)?;
    copy(from, to, progress)?;
    let summary = verify(to, progress)?;
    File::open(to).and_then(|file| file.sync_all()).map_err(Error::unavailable)?;
    Ok(summary)
}

fn copy(from: &Path, to: &Path, progress: &ProgressReporter) -> Result<()> {
    let source = open(from)?;
    // The snapshot is taken by the first read.
    source.execute_batch("begin; select count(*) from sqlite_schema")?;
    let file = File::open(to).map_err(Error::unavailable)?;
    let mut target = open(to)?;
    target.execute_batch("pragma journal_mode = off; pragma synchronous = off")?;
    let backup = Backup::new(&source, &mut target)?;
    for step in 1.. {
        let result = backup.step(PAGES_PER_STEP)?;
        let pages = backup.progress();
        let [left, all] = [pages.remaining, pages.pagecount].map(|pages| u64::try_from(pages).unwrap_or(0));
        progress.report("copying", all - left, all)?;
        if step % STEPS_PER_SYNC == 0 {
            file.sync_data().map_err(Error::unavailable)?;
        }
        match result {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // Unexpected: the source is read-locked, and nobody else uses the target.
            _ => return Err(Error::unavailable("the database is locked by another program")),
        }
    }
    Ok(())
}

/// Checks the integrity of the copy, and turns it into a single file that does not need write access to its directory.
fn verify(path: &Path, progress: &ProgressReporter) -> Result<BackupSummary> {
    let mut connection = open(path)?;
    connection.execute_batch("pragma journal_mode = delete")?;
    let faults = integrity::check(&mut connection, "checking the copy", progress)?;
    if let Some(fault) = faults.first() {
        return Err(Error::Corrupt(fault.clone()));
    }
    let mut statement = connection
        .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")?;
    let tables = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let count = |table: String| -> Result<(String, u64)> {
        let rows = query_u64(&connection, &format!("select count(*) from \"{table}\""))?;
        Ok((table, rows))
    };
    let rows = tables.into_iter().map(count).collect::<Result<_>>()?;
    let bytes = std::fs::metadata(path).map_err(Error::unavailable)?.len();
    Ok(BackupSummary { bytes, rows })
}

fn query_u64(connection: &Connection, sql: &str) -> Result<u64> {
    let value: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    u64::try_from(value).map_err(Error::bug)
}

/// Opens read-write although nothing is written: a read-only connection would leave the `-wal` and `-shm` files behind.
fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: i64 = 20_000;

    fn filled(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch(
                "pragma journal_mode = wal; create table numbers (n integer primary key, text text, value integer);
                 with recursive k(n) as (select 1 union all select n + 1 from k where n < 20000)
                 insert into numbers select n, hex(zeroblob(500)), 0 from k",
            )
            .unwrap();
        connection
    }

    fn sum(path: &Path) -> i64 {
        Connection::open(path).unwrap().query_row("select sum(value) from numbers", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_backup_is_consistent_although_others_write_between_its_steps() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        let writer = std::sync::Mutex::new(filled(&from));
        let writes = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counter = writes.clone();
        let reporter = ProgressReporter::new(move |progress| {
            if progress.phase == "copying" {
                writer.lock().unwrap().execute("update numbers set value = value + 1", []).unwrap();
                counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            true
        });
        let summary = copy_and_verify(&from, &to, &reporter).unwrap();
        assert!(writes.load(std::sync::atomic::Ordering::Relaxed) > 1, "the backup took a single step");
        assert_eq!(summary.rows, [("numbers".to_owned(), ROWS as u64)]);
        assert_eq!(summary.bytes, std::fs::metadata(&to).unwrap().len());
        assert_eq!((sum(&to), sum(&from) > 0), (0, true));
    }

    #[test]
    fn a_backup_can_be_cancelled_in_every_phase() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        drop(filled(&from));
        for cancelled in ["copying", "checking the copy"] {
            let _ = std::fs::remove_file(&to);
            let reporter = ProgressReporter::new(move |progress| progress.phase != cancelled);
            assert!(matches!(copy_and_verify(&from, &to, &reporter), Err(Error::Cancelled)));
        }
    }

    #[test]
    fn a_corrupt_database_cannot_be_backed_up() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        drop(filled(&from));
        let mut bytes = std::fs::read(&from).unwrap();
        bytes[4096 * 100..4096 * 101].fill(0x55);
        std::fs::write(&from, bytes).unwrap();
        let error = copy_and_verify(&from, &to, &ProgressReporter::none()).unwrap_err();
        assert!(matches!(error, Error::Corrupt(_)), "{error:?}");
    }
}
