//! Opens connections.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::timeout;
use crate::error::{Error, Result};

/// Other processes (commands beside a running server) hold the write lock only briefly.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const BUSY_RETRY_INTERVAL: Duration = Duration::from_millis(5);
const CACHED_STATEMENTS: usize = 256;

pub(super) fn open_writer(path: &Path) -> Result<Connection> {
    let connection = {
        // Serialized: a thread that closes the file it has just created would release the POSIX locks that another
        // thread holds on it.
        static OPENING: Mutex<()> = Mutex::new(());
        let _guard = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        create_private(path)?;
        Connection::open(path)?
    };
    configure(&connection)?;
    enable_wal(&connection)?;
    // synchronous = full: acknowledged writes are durable. secure_delete: deleted contents are overwritten.
    connection.execute_batch(
        "pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on;
         pragma cache_size = -16384; pragma journal_size_limit = 67108864;",
    )?;
    Ok(connection)
}

pub(super) fn open_reader(path: &Path, timeout: Option<Duration>) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    connection.execute_batch("pragma cache_size = -4096;")?;
    if let Some(timeout) = timeout {
        timeout::install(&mut connection, timeout)?;
    }
    Ok(connection)
}

/// Creates the file, if missing, with permissions for its owner only. SQLite copies its mode to the log and the index.
pub(super) fn create_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(Error::unavailable(error)),
        _ => Ok(()),
    }
}

/// Switches to WAL mode. The busy timeout does not apply here: if another connection does the same to a new database,
/// SQLite fails at once.
fn enable_wal(connection: &Connection) -> Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match connection.execute_batch("pragma journal_mode = wal") {
            Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::sleep(BUSY_RETRY_INTERVAL),
            result => return Ok(result?),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn configure(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Stable query plans: a statement keeps its plan whatever its arguments.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
