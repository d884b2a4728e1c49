//! Where the data is: common to all commands.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use clap::builder::TypedValueParser;
use wishbone_core::registry::MIGRATIONS;
use wishbone_storage::{Database, Error, Location, Options};

/// The heading of what every command has, so that help shows a command's own options first.
pub(super) const COMMON: &str = "Common options";

const SQLITE_ADVICE: &str = "Check that --data is the right folder, that this user may write there and that the disk is \
                             not full; a damaged database is best replaced by the last good backup.";
const POSTGRES_ADVICE: &str = "Check the address in --database (WISHBONE_DATABASE_URL), and that the server runs and lets \
                               this user in.";

#[derive(Args, Clone)]
pub(super) struct LocationArgs {
    /// Folder of the SQLite database and of the secret key
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

    /// Use PostgreSQL instead of SQLite
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

impl LocationArgs {
    /// Sentences about what is wrong, so that all settings can be reported at once.
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

    fn ensure_faultless(&self) -> anyhow::Result<()> {
        let faults = self.faults();
        anyhow::ensure!(faults.is_empty(), "{}", faults.join("; "));
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

    /// A PostgreSQL database, with the keys of this folder.
    pub(super) fn at_database(&self, url: &str) -> Self {
        Self { database: Some(url.to_owned()), ..self.clone() }
    }

    pub(super) fn is_postgres(&self) -> bool {
        self.database.is_some()
    }

    /// Where the database is; one that is not there is an error.
    pub(super) fn existing(&self) -> anyhow::Result<Location> {
        self.ensure_faultless()?;
        let location = self.location();
        if let Location::Sqlite(path) = &location {
            anyhow::ensure!(
                path.exists(),
                "there is no database in {}: check --data, or start `wishbone serve` once to make one",
                self.data.display()
            );
        }
        Ok(location)
    }

    /// Opens the database for a command beside a server. It must be there already: a mistyped folder
    /// must not become a new, empty database.
    pub(super) async fn open_existing(&self) -> anyhow::Result<Database> {
        self.existing()?;
        self.open(&Options { readers: 1, pool_size: 2, ..Options::default() }).await
    }

    /// Opens the database, and makes it if it is not there.
    pub(super) async fn open_or_make(&self, options: &Options) -> anyhow::Result<Database> {
        self.ensure_faultless()?;
        if let Location::Sqlite(_) = self.location() {
            self.make_folder()?;
        }
        self.open(options).await
    }

    /// Whether opening would make a new database; nobody can tell from here on PostgreSQL.
    pub(super) fn is_new(&self) -> bool {
        matches!(self.location(), Location::Sqlite(path) if !path.exists())
    }

    pub(super) fn make_folder(&self) -> anyhow::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.data)
            .with_context(|| format!("cannot make the data folder {}: choose another with --data", self.data.display()))
    }

    async fn open(&self, options: &Options) -> anyhow::Result<Database> {
        let location = self.location();
        let (what, then) = match &location {
            Location::Sqlite(path) => (path.display().to_string(), SQLITE_ADVICE),
            Location::Postgres(_) => ("the PostgreSQL database".to_owned(), POSTGRES_ADVICE),
        };
        match Database::open(&location, MIGRATIONS, options).await {
            // It says itself what to do.
            Err(error @ Error::Unusable(_)) => Err(error).with_context(|| format!("cannot open {what}")),
            Err(error) => anyhow::bail!("cannot open {what}: {error}\n{then}"),
            Ok(store) => Ok(store),
        }
    }
}
