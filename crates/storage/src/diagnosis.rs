//! What can be learned about a database without opening it for use: nothing is created, migrated or written.

use std::time::Instant;

/// A database server, or the file of SQLite.
#[derive(Debug)]
pub struct ServerDiagnosis {
    /// Host and port, or the path.
    pub name: String,
    /// What it says, or why it cannot be used.
    pub state: std::result::Result<ServerState, String>,
}

#[derive(Debug)]
pub struct ServerState {
    pub engine: &'static str,
    pub version: String,
    /// The schema version; 0 for an empty database.
    pub schema: i64,
    /// The schema version that this program knows.
    pub newest_schema: i64,
    /// True for a standby of PostgreSQL.
    pub is_standby: bool,
    /// Why it accepts no writes, if it does not.
    pub write_problem: Option<String>,
    /// PostgreSQL only.
    pub postgres: Option<PostgresState>,
}

/// The settings of a PostgreSQL server that matter.
#[derive(Debug)]
pub struct PostgresState {
    pub version_number: i64,
    /// Milliseconds since 1970.
    pub clock: i64,
    /// When the clock was read.
    pub clock_read_at: Instant,
    /// Connections for ordinary users.
    pub max_connections: i64,
    /// Connections of other programs than Wishbone.
    pub other_connections: i64,
    pub fsync: bool,
    pub full_page_writes: bool,
    pub synchronous_commit: String,
    pub synchronous_standbys: bool,
}
