//! The storage seam: an operation is a struct, written once, and runs on SQLite inside the
//! process or on PostgreSQL over the wire with the same meaning.
//!
//! This crate knows no product word. It offers [`Database`], the two kinds of operation
//! ([`Read`] and [`Write`]), what an operation may do ([`Query`] and [`Tx`]), and portable,
//! compile-time checked statements ([`Sql`]).

mod fail_point;
mod changes;
mod error;
mod migrate;
mod postgres;
mod progress;
mod sql;
mod sqlite;
mod transfer;

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use changes::{ChangeTracker, InvalidationKey, ReadVersion, WriteSet};
pub use error::Error;
pub use fail_point::FailPoint;
pub use migrate::{Migration, tables};
pub use progress::{Progress, Watch};
pub use sql::{Arg, Bound, FromRow, Row, Sql};

pub type Result<T> = std::result::Result<T, Error>;

/// What a read may do: run statements and look at their rows.
pub trait Query: Send {
    /// Runs independent statements in one round trip (where the engine has round trips) and shows
    /// every row, with the number of its statement, in order.
    fn query_all(
        &mut self,
        batch: &[Bound<'_>],
        visit: &mut (dyn FnMut(usize, &dyn Row) -> Result<()> + Send),
    ) -> impl Future<Output = Result<()>> + Send;

    /// Every row of one statement, decoded.
    fn rows<R: FromRow>(&mut self, statement: Bound<'_>) -> impl Future<Output = Result<Vec<R>>> + Send {
        async move {
            let mut out = Vec::new();
            self.query_all(&[statement], &mut |_, row| {
                out.push(R::from_row(row)?);
                Ok(())
            })
            .await?;
            Ok(out)
        }
    }

    /// The first row of one statement, if it has any.
    fn first<R: FromRow>(&mut self, statement: Bound<'_>) -> impl Future<Output = Result<Option<R>>> + Send {
        async move {
            let mut out = None;
            self.query_all(&[statement], &mut |_, row| {
                if out.is_none() {
                    out = Some(R::from_row(row)?);
                }
                Ok(())
            })
            .await?;
            Ok(out)
        }
    }
}

/// What a write may do besides: change rows. Everything happens in one transaction.
pub trait Tx: Query {
    /// Runs independent statements in one round trip; answers how many rows each changed.
    fn execute_all(&mut self, batch: &[Bound<'_>]) -> impl Future<Output = Result<Vec<u64>>> + Send;

    fn execute(&mut self, statement: Bound<'_>) -> impl Future<Output = Result<u64>> + Send {
        async move { Ok(self.execute_all(&[statement]).await?[0]) }
    }
}

/// An operation that changes nothing. It sees one state of the database from start to end.
pub trait Read: Send + Sync + 'static {
    /// Labels metrics and logs.
    const NAME: &'static str;
    /// An operation of a single statement needs no transaction to see one state.
    const SINGLE_STATEMENT: bool = false;
    type Out: Send + 'static;
    type Error: From<Error> + Send + 'static;

    fn run<Q: Query>(&self, query: &mut Q) -> impl Future<Output = std::result::Result<Self::Out, Self::Error>> + Send;
}

/// An operation that changes something, as a whole or not at all.
///
/// `run` takes `&self` because it may be called again after a conflict, and awaits nothing but its
/// transaction. Time, ids and randomness are fields, never taken inside.
///
/// On PostgreSQL it runs at READ COMMITTED: its first statement updates the row that it is about,
/// which is its lock. Where there is no such row, [`Write::SERIALIZABLE`] asks for the rest.
pub trait Write: Send + Sync + 'static {
    /// Labels metrics and logs.
    const NAME: &'static str;
    const SERIALIZABLE: bool = false;
    /// Run again after it was kept, it changes nothing and answers the same: then it may be run again
    /// also when nobody knows whether it was.
    const REPEATABLE: bool = false;
    type Out: Send + 'static;
    type Error: From<Error> + Send + 'static;

    fn run<T: Tx>(&self, tx: &mut T) -> impl Future<Output = std::result::Result<Self::Out, Self::Error>> + Send;

    /// What the write has changed, given its result: cached values that depend on nothing in it stay valid.
    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::Everything
    }
}

/// Where the data lives.
#[derive(Clone, Debug)]
pub enum Location {
    /// The database file; its folder exists.
    Sqlite(PathBuf),
    /// A `postgres://` address.
    Postgres(String),
}

#[derive(Clone, Debug)]
pub struct Options {
    /// SQLite: read connections; one for each runtime thread means that none ever waits.
    pub readers: usize,
    /// SQLite: writes that may wait for the writer before more are refused as [`Error::Busy`].
    pub write_queue: usize,
    /// PostgreSQL: connections.
    pub pool_size: usize,
    /// What runs longer is stopped: reads on SQLite, where it is a measure of work and not of time,
    /// and any statement on PostgreSQL.
    pub fuse: Duration,
    /// For tests: roll the first attempt of every write back and run it again, as a serialization
    /// failure would.
    pub fail_first_attempt: bool,
    /// For tests: lets a write fail at any point.
    pub fail_point: FailPoint,
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(4, usize::from);
        Self {
            readers: threads + 2,
            write_queue: 4096,
            pool_size: 8 * threads.min(8),
            fuse: Duration::from_secs(5),
            fail_first_attempt: false,
            fail_point: FailPoint::default(),
        }
    }
}

/// What a copy of a database holds.
#[derive(Clone, Debug)]
pub struct Copied {
    pub bytes: u64,
    /// Rows by table.
    pub rows: Vec<(String, u64)>,
}

/// How many bytes a copy of a SQLite database takes.
pub fn backup_size(database: &Path) -> Result<u64> {
    sqlite::backup::size(database)
}

/// Writes a SQLite database as it is at one moment to a new file, while others use it, and checks the file. The database
/// is not opened as a [`Database`], so that its schema stays as it is: who updates wants a copy from before.
pub async fn backup(database: &Path, to: &Path, watch: &Watch) -> Result<Copied> {
    let (database, to, watch) = (database.to_owned(), to.to_owned(), watch.clone());
    tokio::task::spawn_blocking(move || sqlite::backup::backup(&database, &to, &watch)).await.map_err(Error::bug)?
}

/// Copies every row of a database to an empty one of the other engine, and reads them back to compare. Nobody else may use
/// the source meanwhile, and a target that does not become whole becomes nothing. Answers the rows by table.
pub async fn transfer(
    from: &Location,
    to: &Location,
    migrations: &[Migration],
    watch: &Watch,
) -> Result<Vec<(String, u64)>> {
    // Both sides have the same steps of the schema.
    let tables: Vec<_> = tables(migrations).into_iter().filter(|table| *table != "schema_versions").collect();
    match (from, to) {
        (Location::Sqlite(from), Location::Postgres(to)) => {
            let source = sqlite::transfer::Held::open(from, migrations)?;
            let target = postgres::transfer::Session::make(to, migrations, &tables).await?;
            transfer::transfer(&source, target, &tables, watch).await
        }
        (Location::Postgres(from), Location::Sqlite(to)) => {
            let source = postgres::transfer::Session::open(from, migrations, &tables).await?;
            let target = sqlite::transfer::NewFile::make(to, migrations, &tables)?;
            transfer::transfer(&source, target, &tables, watch).await
        }
        _ => Err(Error::Unusable("both are of the same engine: restore a backup there instead".to_owned())),
    }
}

/// An open database. This enum holds the only `match` on the engine.
pub enum Database {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Database {
    /// Opens the database and brings its schema up to date.
    pub async fn open(location: &Location, migrations: &[Migration], options: &Options) -> Result<Self> {
        match location {
            Location::Sqlite(path) => Ok(Self::Sqlite(sqlite::Sqlite::open(path, migrations, options)?)),
            Location::Postgres(url) => Ok(Self::Postgres(postgres::Postgres::open(url, migrations, options).await?)),
        }
    }

    pub async fn read<R: Read>(&self, operation: R) -> std::result::Result<R::Out, R::Error> {
        match self {
            Self::Sqlite(engine) => engine.read(&operation),
            Self::Postgres(engine) => engine.read(&operation).await,
        }
    }

    /// A read that may take long (reports, checks): it gets a connection and a thread of its own.
    pub async fn read_long<R: Read>(&self, operation: R) -> std::result::Result<R::Out, R::Error> {
        match self {
            Self::Sqlite(engine) => engine.read_long(operation).await,
            Self::Postgres(engine) => engine.read_long(&operation).await,
        }
    }

    pub async fn write<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        match self {
            Self::Sqlite(engine) => engine.write(operation).await,
            Self::Postgres(engine) => engine.write(&operation).await,
        }
    }

    /// Tells what was changed since something was read. `None` where others may write without this process knowing:
    /// then nothing can be kept.
    pub fn changes(&self) -> Option<&Arc<ChangeTracker>> {
        match self {
            Self::Sqlite(engine) => Some(engine.changes()),
            Self::Postgres(_) => None,
        }
    }

    /// Answers whether the database can be reached and used right now.
    pub async fn ping(&self) -> Result<()> {
        match self {
            Self::Sqlite(engine) => engine.ping(),
            Self::Postgres(engine) => engine.ping().await,
        }
    }

    /// Leaves nothing of deleted rows in files that are the engine's own; answers whether that is done, since a reader of
    /// an older state can keep it from happening.
    pub async fn scrub(&self) -> Result<bool> {
        match self {
            Self::Sqlite(engine) => engine.scrub().await,
            Self::Postgres(engine) => engine.scrub(),
        }
    }

    /// What the engine itself finds wrong with its files; empty when all is well.
    pub async fn integrity(&self, watch: &Watch) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.integrity(watch).await,
            Self::Postgres(engine) => engine.integrity(watch).await,
        }
    }

    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// How the engine would run a statement: one line for each step. For tests of query plans.
    pub async fn explain(&self, sql: Sql) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.explain(sql),
            Self::Postgres(engine) => engine.explain(sql).await,
        }
    }

    /// What a statement with these arguments costs, in a unit of the engine's own that does not
    /// depend on the machine or the moment. For tests that compare costs.
    pub async fn cost(&self, statement: Bound<'_>) -> Result<u64> {
        match self {
            Self::Sqlite(engine) => engine.cost(statement),
            Self::Postgres(engine) => engine.cost(statement).await,
        }
    }

    /// Every table with its columns, keys and indexes, in words that are equal on both engines.
    pub async fn describe(&self) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.describe(),
            Self::Postgres(engine) => engine.describe().await,
        }
    }

    /// Every row of a table as text, ordered. For tests that compare engines.
    pub async fn dump(&self, table: &'static str) -> Result<Vec<String>> {
        match self {
            Self::Sqlite(engine) => engine.dump(table),
            Self::Postgres(engine) => engine.dump(table).await,
        }
    }
}
