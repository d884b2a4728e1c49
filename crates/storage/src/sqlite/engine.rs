//! The SQLite engine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::Mutex as AsyncMutex;

use super::connection::{BUSY_TIMEOUT, open_reader, open_writer};
use super::hold_time;
use super::integrity;
use super::migrate::migrate;
use super::tx::{SqliteTx, control, poll_once};
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::migration::Migration;
use crate::operation::{Query, Read, Write};
use crate::options::Options;
use crate::progress::ProgressReporter;
use crate::sql::{Bound, Row};
use crate::step_recorder::{Holds, StepRecorder};

/// How long an attempt to truncate the log waits for readers, and the pause after it, in which others write.
const PURGE_ATTEMPT: Duration = Duration::from_millis(50);

thread_local! {
    /// The number of the thread among those that have read.
    static THREAD: usize = {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        THREADS.fetch_add(1, Ordering::Relaxed)
    };
}

pub struct Sqlite {
    path: PathBuf,
    readers: Vec<Mutex<Connection>>,
    writer: Writer,
    steps: StepRecorder,
    /// Held while the log is truncated: SQLite refuses a second attempt at once, without a busy timeout.
    purging: AsyncMutex<()>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, migrations: &[Migration], options: &Options) -> Result<Self> {
        let mut connection = open_writer(path)?;
        migrate(&mut connection, migrations)?;
        let writer = Writer::start(connection, options)?;
        let reader = |_| open_reader(path, Some(options.statement_timeout)).map(Mutex::new);
        let readers = (0..options.readers.max(1)).map(reader).collect::<Result<_>>()?;
        Ok(Self {
            path: path.to_owned(),
            readers,
            writer,
            steps: options.steps.clone(),
            purging: AsyncMutex::default(),
        })
    }

    /// Runs on the caller's thread: switching to another would cost more than the read itself.
    pub(crate) fn read<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        hold_time::read(R::NAME, || run_read(&mut self.reader(), operation, &self.steps))
    }

    pub(crate) async fn read_long<R: Read>(
        &self,
        held: impl Send + 'static,
        operation: R,
    ) -> std::result::Result<R::Out, R::Error> {
        let path = self.path.clone();
        tokio::task::spawn_blocking(move || {
            let _held = held;
            run_read(&mut open_reader(&path, None)?, &operation, &StepRecorder::default())
        })
        .await
        .map_err(Error::bug)?
    }

    pub(crate) async fn write<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        self.writer.run(operation).await
    }

    pub(crate) fn ping(&self) -> Result<()> {
        self.reader().query_row("select 1 from sqlite_schema limit 1", [], |_| Ok(()))?;
        self.writer.ping()
    }

    /// Truncates the write-ahead log, which still has old versions of pages. Returns false if long reads, or other
    /// processes, did not allow it.
    pub(crate) async fn purge_deleted(&self) -> Result<bool> {
        let _turn = self.purging.lock().await;
        let path = self.path.clone();
        let checkpoint = move || -> Result<bool> {
            let connection = Connection::open(&path)?;
            connection.busy_timeout(PURGE_ATTEMPT)?;
            let deadline = Instant::now() + BUSY_TIMEOUT;
            loop {
                let is_busy: bool = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))?;
                if !is_busy || Instant::now() >= deadline {
                    return Ok(!is_busy);
                }
                std::thread::sleep(PURGE_ATTEMPT);
            }
        };
        tokio::task::spawn_blocking(checkpoint).await.map_err(Error::bug)?
    }

    pub(crate) async fn integrity(&self, progress: &ProgressReporter) -> Result<Vec<String>> {
        let (path, progress) = (self.path.clone(), progress.clone());
        let check = move || integrity::check(&mut open_reader(&path, None)?, "checking the file", &progress);
        tokio::task::spawn_blocking(check).await.map_err(Error::bug)?
    }

    /// An idle read connection, the same one for a thread if possible: it has the pages in its cache that the thread has just
    /// read. There are more connections than runtime threads, and none is held across an await, so only callers outside the
    /// runtime ever wait.
    pub(super) fn reader(&self) -> MutexGuard<'_, Connection> {
        let start = THREAD.with(|number| *number);
        let count = self.readers.len();
        let idle = (0..count).find_map(|i| match self.readers[(start + i) % count].try_lock() {
            Ok(reader) => Some(reader),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        idle.unwrap_or_else(|| self.readers[start % count].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn run_read<R: Read>(
    connection: &mut Connection,
    operation: &R,
    steps: &StepRecorder,
) -> std::result::Result<R::Out, R::Error> {
    if !connection.is_autocommit() {
        // An operation on this connection panicked and left its snapshot open.
        control(connection, "rollback")?;
    }
    if R::SINGLE_STATEMENT {
        let mut single = SingleStatement { tx: SqliteTx::new(connection).counting(steps.is_enabled()), used: false };
        let out = poll_once(R::NAME, operation.run(&mut single));
        steps.record(Holds::Thread, R::NAME, single.tx.steps());
        return out;
    }
    control(connection, "begin")?;
    let mut tx = SqliteTx::new(connection).counting(steps.is_enabled());
    let out = poll_once(R::NAME, operation.run(&mut tx));
    steps.record(Holds::Thread, R::NAME, tx.steps());
    // Some errors (out of memory, I/O) end the transaction.
    if !connection.is_autocommit() {
        control(connection, "rollback")?;
    }
    out
}

/// Enforces [`Read::SINGLE_STATEMENT`]: two statements without a transaction could see different snapshots.
struct SingleStatement<'c> {
    tx: SqliteTx<'c>,
    used: bool,
}

impl Query for SingleStatement<'_> {
    async fn query_all(
        &mut self,
        batch: &[Bound<'_>],
        visit: &mut (dyn FnMut(usize, &dyn Row) -> Result<()> + Send),
    ) -> Result<()> {
        if self.used || batch.len() != 1 {
            return Err(Error::bug("a single-statement operation ran more than one statement"));
        }
        self.used = true;
        self.tx.query_all(batch, visit).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIGRATIONS: &[Migration] =
        &[Migration { number: 1, name: "a", sqlite: "create table a (x integer)", postgres: "" }];

    #[test]
    fn a_new_database_is_readable_by_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let open = Sqlite::open(&folder.path().join("new.db"), MIGRATIONS, &Options::default()).unwrap();
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap()).collect();
        assert_eq!(files.len(), 3, "the database, its log and the log's index");
        for file in files {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.file_name());
        }
        drop(open);
    }

    #[test]
    fn a_new_database_can_be_opened_concurrently() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("new.db");
            let open = || Sqlite::open(&path, MIGRATIONS, &Options::default()).map(drop);
            std::thread::scope(|scope| {
                let opened: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
                for opened in opened {
                    opened.join().unwrap().unwrap();
                }
            });
        }
    }

    #[test]
    fn a_file_that_is_not_a_database_is_rejected_and_not_modified() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let text = "not a database ".repeat(100);
        std::fs::write(&path, &text).unwrap();
        assert!(Sqlite::open(&path, MIGRATIONS, &Options::default()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
