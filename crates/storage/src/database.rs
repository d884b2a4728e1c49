//! The database as other crates see it. This is the only file that matches on the engine.

use tracing::{Instrument, Span};

use crate::diagnosis::ServerDiagnosis;
use crate::error::{Error, Result};
use crate::migration::{Migration, has_initial_rows, tables};
use crate::operation::{Read, Write};
use crate::options::{Location, Options};
use crate::postgres::diagnose::diagnose as diagnose_servers;
use crate::postgres::engine::Postgres;
use crate::postgres::hosts;
use crate::postgres::transfer::PostgresSession;
use crate::progress::ProgressReporter;
use crate::sql::{Bound, Sql};
use crate::sqlite::diagnose::diagnose as diagnose_file;
use crate::sqlite::engine::Sqlite;
use crate::sqlite::transfer::{SqliteSource, SqliteTarget};
use crate::trace;
use crate::transfer::{compare_tables, copy_tables};

/// An open database.
pub enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Database {
    /// Opens the database and applies pending migrations.
    pub async fn open(location: &Location, migrations: &[Migration], options: &Options) -> Result<Self> {
        match location {
            Location::Sqlite(path) => Ok(Self::Sqlite(Sqlite::open(path, migrations, options)?)),
            Location::Postgres(url) => Ok(Self::Postgres(Postgres::open(url, migrations, options).await?)),
        }
    }

    pub async fn read<R: Read>(&self, operation: R) -> std::result::Result<R::Out, R::Error> {
        let read = async {
            match self {
                Self::Sqlite(engine) => engine.read(&operation),
                Self::Postgres(engine) => engine.read(&operation).await,
            }
        };
        read.instrument(self.span(R::NAME)).await
    }

    /// Runs a read without a statement timeout (reports, checks). On SQLite it gets its own connection and thread.
    pub async fn read_long<R: Read>(&self, operation: R) -> std::result::Result<R::Out, R::Error> {
        self.read_long_holding((), operation).await
    }

    /// Runs a long read that holds a resource until it has ended, which may be after its caller is gone.
    pub async fn read_long_holding<R: Read>(
        &self,
        held: impl Send + 'static,
        operation: R,
    ) -> std::result::Result<R::Out, R::Error> {
        let read = async {
            match self {
                Self::Sqlite(engine) => engine.read_long(held, operation).await,
                Self::Postgres(engine) => engine.read_long(held, &operation).await,
            }
        };
        read.instrument(self.span(R::NAME)).await
    }

    pub async fn write<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        let write = async {
            match self {
                Self::Sqlite(engine) => engine.write(operation).await,
                Self::Postgres(engine) => engine.write(&operation).await,
            }
        };
        write.instrument(self.span(W::NAME)).await
    }

    /// The span of an operation. Names of systems are those of OpenTelemetry's conventions.
    fn span(&self, operation: &'static str) -> Span {
        let system = match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgresql",
        };
        trace::operation_span(system, operation)
    }

    /// Checks that the database can be reached and used.
    pub async fn ping(&self) -> Result<()> {
        match self {
            Self::Sqlite(engine) => engine.ping(),
            Self::Postgres(engine) => engine.ping().await,
        }
    }

    /// Returns a number for the worker that has the rows of a key in a table of a sharded database.
    pub async fn worker(&self, table: &str, key: i64) -> Result<i64> {
        match self {
            Self::Sqlite(_) => Err(Error::bug("SQLite has no workers")),
            Self::Postgres(engine) => engine.worker(table, key).await,
        }
    }

    /// Removes the contents of deleted rows from the files that the engine manages. Returns false if a concurrent
    /// reader of an older snapshot prevented it.
    pub async fn purge_deleted(&self) -> Result<bool> {
        match self {
            Self::Sqlite(engine) => engine.purge_deleted().await,
            Self::Postgres(engine) => engine.purge_deleted(),
        }
    }

    /// Runs the engine's own integrity checks; returns the faults found.
    pub async fn integrity(&self, progress: &ProgressReporter) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.integrity(progress).await,
            Self::Postgres(engine) => engine.integrity(progress).await,
        }
    }

    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// Returns the query plan of a statement, one line per step. For tests.
    pub async fn explain(&self, sql: Sql) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.explain(sql),
            Self::Postgres(engine) => engine.explain(sql).await,
        }
    }

    /// Runs a statement and returns its cost in a unit of the engine that does not depend on the machine or its load.
    /// For tests.
    pub async fn cost(&self, statement: Bound<'_>) -> Result<u64> {
        match self {
            Self::Sqlite(engine) => engine.cost(statement),
            Self::Postgres(engine) => engine.cost(statement).await,
        }
    }

    /// Describes every table with its columns, keys and indexes, in a notation common to both engines.
    pub async fn describe(&self) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.describe(),
            Self::Postgres(engine) => engine.describe().await,
        }
    }

    /// Returns every row of a table as text, sorted. For tests that compare engines.
    pub async fn dump(&self, table: &'static str) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.dump(table),
            Self::Postgres(engine) => engine.dump(table).await,
        }
    }
}

/// Fails if the URL of a PostgreSQL database is invalid.
pub fn check_url(location: &Location) -> Result<()> {
    match location {
        Location::Sqlite(_) => Ok(()),
        Location::Postgres(url) => hosts::parse(url).map(drop),
    }
}

/// Looks at every server of a database without opening it for use.
pub async fn diagnose(location: &Location, migrations: &[Migration]) -> Vec<ServerDiagnosis> {
    match location {
        Location::Sqlite(path) => vec![diagnose_file(path, migrations)],
        Location::Postgres(url) => diagnose_servers(url, migrations).await,
    }
}

/// Copies every row of a database to an empty database of the other engine, and verifies the copy by reading it back.
/// The source is locked meanwhile. If the transfer fails, the target stays empty. Returns the number of rows by table.
pub async fn transfer(
    from: &Location,
    to: &Location,
    migrations: &[Migration],
    progress: &ProgressReporter,
) -> Result<Vec<(String, u64)>> {
    // Both sides have the same schema version.
    let tables: Vec<_> = tables(migrations).into_iter().filter(|table| *table != "schema_versions").collect();
    // An earlier move may have been killed after its commit: a target with the same rows is finished.
    let compared: Vec<_> = tables.iter().copied().filter(|table| !has_initial_rows(migrations, table)).collect();
    match (from, to) {
        (Location::Sqlite(from), Location::Postgres(to)) => {
            let source = SqliteSource::open(from, migrations)?;
            let (target, filled) = PostgresSession::open_target(to, migrations, &tables).await?;
            let Some(table) = filled else { return copy_tables(&source, target, &tables, progress).await };
            let moved = compare_tables(&source, &target, &compared, progress).await?;
            moved.ok_or_else(|| {
                Error::Unusable(format!(
                    "the target is not empty (table {table} has rows): create a new database, and move to that"
                ))
            })
        }
        (Location::Postgres(from), Location::Sqlite(to)) => {
            let source = PostgresSession::open_source(from, migrations, &tables).await?;
            if to.exists() {
                let moved = compare_tables(&source, &SqliteSource::open(to, migrations)?, &compared, progress).await?;
                let exists = || Error::Unusable(format!("{} already exists: choose an empty directory", to.display()));
                return moved.ok_or_else(exists);
            }
            let target = SqliteTarget::create(to, migrations, &tables)?;
            copy_tables(&source, target, &tables, progress).await
        }
        _ => Err(Error::Unusable(
            "source and target have the same engine: use a backup of the source instead".to_owned(),
        )),
    }
}
