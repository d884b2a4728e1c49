//! A copy of the database while others write to it.
//!
//! The pages are copied step by step inside one read transaction. SQLite starts a backup over when another process
//! writes between two steps, but only if the steps take their locks themselves; held from outside, the state stays
//! one from the first page to the last, and writers go on into the write-ahead log, which cannot be cut meanwhile.
//! `vacuum into` would do too, but tells nothing on the way, and takes several times as long.

use std::fs::File;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{BUSY_TIMEOUT, make_private};
use crate::{Copied, Error, Result, Watch};

/// 4 MiB: a few milliseconds.
const PAGES_PER_STEP: i32 = 1024;
/// The copy goes to the disk every 32 MiB. All at once in the end, the server's own commits would wait behind it.
const STEPS_PER_SYNC: usize = 8;
/// Writes the database to a new file, and reads it all again to be sure.
pub(crate) fn backup(from: &Path, to: &Path, watch: &Watch) -> Result<Copied> {
    make_private(to)?;
    copy(from, to, watch)?;
    let copied = verify(to, watch)?;
    File::open(to).and_then(|file| file.sync_all()).map_err(Error::unavailable)?;
    Ok(copied)
}

/// What a copy would take now.
pub(crate) fn size(path: &Path) -> Result<u64> {
    number(&open(path)?, "select page_count * page_size from pragma_page_count, pragma_page_size")
}

fn copy(from: &Path, to: &Path, watch: &Watch) -> Result<()> {
    let source = open(from)?;
    // A transaction begins with its first look.
    source.execute_batch("begin; select count(*) from sqlite_schema")?;
    let file = File::open(to).map_err(Error::unavailable)?;
    let mut target = open(to)?;
    target.execute_batch("pragma journal_mode = off; pragma synchronous = off")?;
    let backup = Backup::new(&source, &mut target)?;
    for step in 1.. {
        let result = backup.step(PAGES_PER_STEP)?;
        let pages = backup.progress();
        let [left, all] = [pages.remaining, pages.pagecount].map(|pages| u64::try_from(pages).unwrap_or(0));
        watch.tell("copying", all - left, all)?;
        if step % STEPS_PER_SYNC == 0 {
            file.sync_data().map_err(Error::unavailable)?;
        }
        match result {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // Neither file has another user who could lock it.
            _ => return Err(Error::unavailable("the database is locked by another program")),
        }
    }
    Ok(())
}

/// Leaves a single file that any SQLite can read from any place.
fn verify(path: &Path, watch: &Watch) -> Result<Copied> {
    let mut connection = open(path)?;
    connection.execute_batch("pragma journal_mode = delete")?;
    let faults = super::faults(&mut connection, "checking the copy", watch)?;
    if let Some(fault) = faults.first() {
        return Err(Error::Damaged(fault.clone()));
    }
    let mut statement = connection
        .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")?;
    let tables = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let count = |table: String| -> Result<(String, u64)> {
        let rows = number(&connection, &format!("select count(*) from \"{table}\""))?;
        Ok((table, rows))
    };
    let rows = tables.into_iter().map(count).collect::<Result<_>>()?;
    let bytes = std::fs::metadata(path).map_err(Error::unavailable)?.len();
    Ok(Copied { bytes, rows })
}

fn number(connection: &Connection, sql: &str) -> Result<u64> {
    let number: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    u64::try_from(number).map_err(Error::bug)
}

/// Read and write, though nothing is written: whoever may only read leaves the log's companions behind.
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
    fn a_copy_is_of_one_moment_though_others_write_between_its_steps() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        let other = std::sync::Mutex::new(filled(&from));
        let told = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counter = told.clone();
        let watch = Watch::new(move |progress| {
            if progress.doing == "copying" {
                other.lock().unwrap().execute("update numbers set value = value + 1", []).unwrap();
                counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            true
        });
        let copied = backup(&from, &to, &watch).unwrap();
        assert!(told.load(std::sync::atomic::Ordering::Relaxed) > 1, "there was something between the steps");
        assert_eq!(copied.rows, [("numbers".to_owned(), ROWS as u64)]);
        assert_eq!(copied.bytes, std::fs::metadata(&to).unwrap().len());
        assert_eq!((sum(&to), sum(&from) > 0), (0, true));
    }

    #[test]
    fn whoever_wants_no_more_is_heard() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        drop(filled(&from));
        for stage in ["copying", "checking the copy"] {
            let _ = std::fs::remove_file(&to);
            let watch = Watch::new(move |progress| progress.doing != stage);
            assert!(matches!(backup(&from, &to, &watch), Err(Error::Stopped)));
        }
    }

    #[test]
    fn a_damaged_database_gives_no_copy_that_looks_good() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from.db"), folder.path().join("to.db"));
        drop(filled(&from));
        let mut bytes = std::fs::read(&from).unwrap();
        bytes[4096 * 100..4096 * 101].fill(0x55);
        std::fs::write(&from, bytes).unwrap();
        let error = backup(&from, &to, &Watch::new(|_| true)).unwrap_err();
        assert!(matches!(error, Error::Damaged(_)), "{error:?}");
    }
}
