//! SQLite inside the process: one writer thread with group commit, readers used inline.

pub(crate) mod backup;
mod inspect;
mod others;
mod pace;
mod shared_number;
pub(crate) mod transfer;
mod tx;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::migrate::{self, Migration};
use crate::{ChangeTracker, Error, Options, Query, Read, Result, Watch, Write};
pub(crate) use others::Others;
use tx::{SqliteTx, control, finish};
use writer::Writer;

/// Another process (a command beside a running server) holds the write lock only for moments.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const WAIT_WHEN_BUSY: Duration = Duration::from_millis(5);
const CACHED_STATEMENTS: usize = 256;
/// The fuse looks every so many steps of SQLite's virtual machine, which are 2.5 ms of work on a
/// machine of 2025 …
const FUSE_STEPS: i32 = 100_000;
/// … so that this many looks are a second.
const FUSE_LOOKS_A_SECOND: f64 = 400.0;
/// How often a check of the file tells that it goes on, in the same steps.
const CHECK_STEPS: i32 = 1_000_000;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::TooLong,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error.to_string()),
            Some(
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::ReadOnly
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::SchemaChanged
                | ErrorCode::OutOfMemory,
            ) => Self::unavailable(error),
            _ => Self::bug(error),
        }
    }
}

pub struct Sqlite {
    path: PathBuf,
    readers: Vec<Mutex<Connection>>,
    next_reader: AtomicUsize,
    writer: Writer,
    changes: Arc<ChangeTracker>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, migrations: &[Migration], options: &Options) -> Result<Self> {
        let mut connection = open_writer(path)?;
        migrate::on_sqlite(&mut connection, migrations)?;
        let others = Others::of(path).map_err(Error::unavailable)?;
        let changes = Arc::new(ChangeTracker::new(Some(others)));
        let writer = Writer::start(connection, Arc::clone(&changes), options)?;
        let reader = |_| open_reader(path, Some(options.fuse)).map(Mutex::new);
        let readers = (0..options.readers.max(1)).map(reader).collect::<Result<_>>()?;
        Ok(Self { path: path.to_owned(), readers, next_reader: AtomicUsize::new(0), writer, changes })
    }

    /// Runs inline: a hop to another thread costs more than the read itself.
    pub(crate) fn read<R: Read>(&self, operation: &R) -> std::result::Result<R::Out, R::Error> {
        run_read(&mut self.reader(), operation)
    }

    pub(crate) async fn read_long<R: Read>(&self, operation: R) -> std::result::Result<R::Out, R::Error> {
        let path = self.path.clone();
        tokio::task::spawn_blocking(move || run_read(&mut open_reader(&path, None)?, &operation))
            .await
            .map_err(Error::bug)?
    }

    pub(crate) async fn write<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        self.writer.run(operation).await
    }

    pub(crate) fn changes(&self) -> &Arc<ChangeTracker> {
        &self.changes
    }

    pub(crate) fn ping(&self) -> Result<()> {
        self.reader().query_row("select 1 from sqlite_schema limit 1", [], |_| Ok(()))?;
        self.writer.is_alive()
    }

    /// The write-ahead log still has pages as they were: they go to the file, and the log is cut.
    pub(crate) async fn scrub(&self) -> Result<bool> {
        let path = self.path.clone();
        let scrub = move || -> Result<bool> {
            let connection = Connection::open(&path)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            let is_busy: bool = connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))?;
            Ok(!is_busy)
        };
        tokio::task::spawn_blocking(scrub).await.map_err(Error::bug)?
    }

    pub(crate) async fn integrity(&self, watch: &Watch) -> Result<Vec<String>> {
        let (path, watch) = (self.path.clone(), watch.clone());
        let check = move || faults(&mut open_reader(&path, None)?, "checking the file", &watch);
        tokio::task::spawn_blocking(check).await.map_err(Error::bug)?
    }

    /// A free connection. There are more than runtime threads and none is held across an await, so
    /// the last resort (waiting) is for callers outside the runtime.
    fn reader(&self) -> MutexGuard<'_, Connection> {
        let start = self.next_reader.fetch_add(1, Ordering::Relaxed);
        let count = self.readers.len();
        let free = (0..count).find_map(|i| match self.readers[(start + i) % count].try_lock() {
            Ok(reader) => Some(reader),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        free.unwrap_or_else(|| self.readers[start % count].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn run_read<R: Read>(connection: &mut Connection, operation: &R) -> std::result::Result<R::Out, R::Error> {
    if !connection.is_autocommit() {
        // An operation panicked here before; its state of the database is an old one.
        control(connection, "rollback")?;
    }
    if R::SINGLE_STATEMENT {
        let tx = SqliteTx::new(connection);
        return finish(R::NAME, operation.run(&mut SingleStatement { tx, used: false }));
    }
    control(connection, "begin")?;
    let out = finish(R::NAME, operation.run(&mut SqliteTx::new(connection)));
    // Some failures (memory, the disk) end the transaction by themselves.
    if !connection.is_autocommit() {
        control(connection, "rollback")?;
    }
    out
}

/// What SQLite finds wrong with the file. It cannot say how far it is.
fn faults(connection: &mut Connection, doing: &'static str, watch: &Watch) -> Result<Vec<String>> {
    watch.tell(doing, 0, 0)?;
    let watched = watch.clone();
    connection.progress_handler(CHECK_STEPS, Some(move || watched.tell(doing, 0, 0).is_err()))?;
    let mut statement = connection.prepare("pragma integrity_check")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>();
    let lines = lines.map_err(|error| match error.into() {
        Error::TooLong => Error::Stopped,
        error => error,
    })?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Holds an operation to its promise of one statement, without which it might see two states.
struct SingleStatement<'c> {
    tx: SqliteTx<'c>,
    used: bool,
}

impl Query for SingleStatement<'_> {
    async fn query_all(
        &mut self,
        batch: &[crate::Bound<'_>],
        visit: &mut (dyn FnMut(usize, &dyn crate::Row) -> Result<()> + Send),
    ) -> Result<()> {
        if self.used || batch.len() != 1 {
            return Err(Error::bug("an operation of a single statement ran more than one"));
        }
        self.used = true;
        self.tx.query_all(batch, visit).await
    }
}

fn open_writer(path: &Path) -> Result<Connection> {
    let connection = {
        // One at a time: a thread that closes the file it has just made would give up the locks of another.
        static OPENING: Mutex<()> = Mutex::new(());
        let _turn = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        make_private(path)?;
        Connection::open(path)?
    };
    prepare(&connection)?;
    keep_a_write_ahead_log(&connection)?;
    // FULL: what was answered is on disk. Secure: what was deleted is overwritten.
    connection.execute_batch(
        "pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on;
         pragma cache_size = -16384; pragma journal_size_limit = 67108864;",
    )?;
    Ok(connection)
}

/// SQLite does not wait here when another does the same to a new database: it says at once that it is locked.
fn keep_a_write_ahead_log(connection: &Connection) -> Result<()> {
    let give_up = Instant::now() + BUSY_TIMEOUT;
    loop {
        match connection.execute_batch("pragma journal_mode = wal") {
            Err(error) if is_busy(&error) && Instant::now() < give_up => std::thread::sleep(WAIT_WHEN_BUSY),
            done => return Ok(done?),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// A new file is its owner's alone, whatever the folder allows; SQLite gives its companions the same mode.
fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(Error::unavailable(error)),
        _ => Ok(()),
    }
}

fn open_reader(path: &Path, fuse: Option<Duration>) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    prepare(&connection)?;
    connection.execute_batch("pragma cache_size = -4096;")?;
    if let Some(longest) = fuse {
        tx::install_fuse(&mut connection, (longest.as_secs_f64() * FUSE_LOOKS_A_SECOND) as usize)?;
    }
    Ok(connection)
}

fn prepare(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // A statement is compiled once and keeps its plan, whatever its arguments.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[Migration] =
        &[Migration { number: 1, name: "a", sqlite: "create table a (x integer)", postgres: "" }];

    #[test]
    fn a_new_database_can_be_read_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let open = Sqlite::open(&folder.path().join("new.db"), STEPS, &Options::default()).unwrap();
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap()).collect();
        assert_eq!(files.len(), 3, "the database, its log and the log's index");
        for file in files {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.file_name());
        }
        drop(open);
    }

    #[test]
    fn a_new_database_can_be_opened_by_many_at_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("new.db");
            let open = || Sqlite::open(&path, STEPS, &Options::default()).map(drop);
            std::thread::scope(|scope| {
                let opened: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
                for opened in opened {
                    opened.join().unwrap().unwrap();
                }
            });
        }
    }

    #[test]
    fn what_is_no_database_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let text = "no database ".repeat(100);
        std::fs::write(&path, &text).unwrap();
        assert!(Sqlite::open(&path, STEPS, &Options::default()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
