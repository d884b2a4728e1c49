//! Options that locate the data, common to all commands.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap::builder::TypedValueParser;
use wishbone_core::registry::{MIGRATIONS, default_options, layout};
use wishbone_storage::{Cluster, Database, Error, Location, Options};

/// Help heading of options that every command has, so that help lists a command's own options first.
pub(super) const COMMON: &str = "Common options";

const SQLITE_ADVICE: &str = "Check that --data is the right folder, that this user can write to it and that the disk is \
                             not full. If the database is damaged, restore the last good backup.";
const POSTGRES_ADVICE: &str = "Check the URL in --database (WISHBONE_DATABASE_URL), that the PostgreSQL server is running, \
                               and that this user may connect.";

#[derive(Args, Clone)]
pub(super) struct LocationArgs {
    /// Data folder, with the SQLite database and the secret key
    #[arg(
        long,
        global = true,
        help_heading = COMMON,
        value_name = "DIR",
        env = "WISHBONE_DATA",
        value_parser = clap::builder::OsStringValueParser::new().map(PathBuf::from),
        default_value = "./wishbone-data"
    )]
    pub(super) data: PathBuf,

    /// Use PostgreSQL instead of SQLite, such as postgres://user@host/wishbone (set a URL with a password in the
    /// environment: other users can read command lines)
    #[arg(
        long,
        global = true,
        help_heading = COMMON,
        value_name = "postgres://…",
        env = "WISHBONE_DATABASE_URL",
        hide_env_values = true
    )]
    database: Option<String>,
}

/// True if the stores are divided among several workers.
async fn has_workers(location: &Location) -> wishbone_storage::Result<bool> {
    let Location::Postgres(url) = location else { return Ok(false) };
    let Some(cluster) = Cluster::connect(url, layout()).await? else { return Ok(false) };
    Ok(cluster.nodes().await?.iter().filter(|node| node.shard_groups > 0).count() > 1)
}

/// Fails if some tables of a sharded database are not distributed, as after an update that added them.
async fn cluster_is_complete(location: &Location) -> wishbone_storage::Result<()> {
    let Location::Postgres(url) = location else { return Ok(()) };
    let Some(cluster) = Cluster::connect(url, layout()).await? else { return Ok(()) };
    match cluster.misplaced().await?.unwrap_or_default().join(", ").as_str() {
        "" => Ok(()),
        tables => Err(Error::Unusable(format!("not distributed: {tables}; run `wishbone cluster setup`"))),
    }
}

impl LocationArgs {
    /// Invalid settings, one sentence each, so that all can be reported together.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.data.as_os_str().is_empty() {
            faults.push("--data (WISHBONE_DATA) must name a folder".to_owned());
        }
        let is_postgres = |url: &String| url.starts_with("postgres://") || url.starts_with("postgresql://");
        if !self.database.as_ref().is_none_or(is_postgres) {
            faults.push("--database (WISHBONE_DATABASE_URL) must start with postgres://".to_owned());
        }
        faults
    }

    fn ensure_valid(&self) -> anyhow::Result<()> {
        let faults = self.faults();
        anyhow::ensure!(faults.is_empty(), "invalid configuration: {}", faults.join("; "));
        Ok(())
    }

    pub(super) fn location(&self) -> Location {
        match &self.database {
            Some(url) => Location::Postgres(url.clone()),
            None => Location::Sqlite(self.data.join("wishbone.db")),
        }
    }

    /// The SQLite database of another folder.
    pub(super) fn at_folder(&self, data: PathBuf) -> Self {
        Self { data, database: None }
    }

    /// A PostgreSQL database, with the secret key of this data folder.
    pub(super) fn at_database(&self, url: &str) -> Self {
        Self { database: Some(url.to_owned()), ..self.clone() }
    }

    pub(super) fn is_postgres(&self) -> bool {
        self.database.is_some()
    }

    /// The location of an existing database; fails if there is none.
    pub(super) fn existing(&self) -> anyhow::Result<Location> {
        self.ensure_valid()?;
        let location = self.location();
        if let Location::Sqlite(path) = &location {
            anyhow::ensure!(
                path.exists(),
                "no database in {}: check --data, or run `wishbone serve` to create one",
                self.data.display()
            );
        }
        Ok(location)
    }

    /// Opens an existing database, for commands that run beside a server. Does not create one, so that a mistyped folder is
    /// an error.
    pub(super) async fn open_existing(&self) -> anyhow::Result<Database> {
        self.existing()?;
        self.open(&Options { readers: 1, pool_size: 2, ..default_options() }).await
    }

    /// Opens the database, and creates it if it does not exist.
    pub(super) async fn open_or_create(&self, options: &Options) -> anyhow::Result<Database> {
        self.ensure_valid()?;
        if let Location::Sqlite(_) = self.location() {
            self.create_folder()?;
        }
        self.open(options).await
    }

    /// True if the database is sharded, with several workers.
    pub(super) async fn has_workers(&self) -> anyhow::Result<bool> {
        Ok(has_workers(&self.location()).await?)
    }

    /// True if opening would create a database. Always false on PostgreSQL, where this is not known before connecting.
    pub(super) fn is_new(&self) -> bool {
        // A file that this user cannot look at may exist.
        matches!(self.location(), Location::Sqlite(path) if path.try_exists().is_ok_and(|exists| !exists))
    }

    pub(super) fn create_folder(&self) -> anyhow::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data).with_context(|| {
            format!("cannot create the data folder {}: choose another folder with --data", self.data.display())
        })
    }

    async fn open(&self, options: &Options) -> anyhow::Result<Database> {
        let location = self.location();
        let (name, advice) = match &location {
            Location::Sqlite(path) => (path.display().to_string(), SQLITE_ADVICE),
            Location::Postgres(_) => ("the PostgreSQL database".to_owned(), POSTGRES_ADVICE),
        };
        let opened = match Database::open(&location, MIGRATIONS, options).await {
            Ok(database) => cluster_is_complete(&location).await.map(|()| database),
            failed => failed,
        };
        match opened {
            // The message includes the remedy.
            Err(error @ Error::Unusable(_)) => Err(error).with_context(|| format!("cannot open {name}")),
            Err(error) => anyhow::bail!("cannot open {name}: {error}\n{advice}"),
            Ok(database) => Ok(database),
        }
    }
}
