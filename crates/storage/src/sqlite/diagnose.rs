//! Looks at a database file without opening it for use.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::connection::BUSY_TIMEOUT;
use super::migrate::schema_version;
use crate::diagnosis::{ServerDiagnosis, ServerState};
use crate::migration::{Migration, newest};

pub(crate) fn diagnose(path: &Path, migrations: &[Migration]) -> ServerDiagnosis {
    let state = inspect(path, migrations).map_err(|error| error.to_string());
    ServerDiagnosis { name: path.display().to_string(), state }
}

fn inspect(path: &Path, migrations: &[Migration]) -> rusqlite::Result<ServerState> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // The first access to the file.
    connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))?;
    let write_problem = match connection.execute_batch("begin immediate; rollback;") {
        Ok(()) => None,
        // Another process writes, so it can be written to.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => None,
        Err(error) => Some(error.to_string()),
    };
    Ok(ServerState {
        engine: "SQLite",
        version: rusqlite::version().to_owned(),
        schema: schema_version(&connection),
        newest_schema: newest(migrations),
        is_standby: false,
        write_problem,
        postgres: None,
    })
}
