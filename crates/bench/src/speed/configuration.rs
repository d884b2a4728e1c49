//! The measured systems: their names in results and tables, and how the server is started.

use crate::processes::engine::Engine;

/// A server to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    pub(crate) name: &'static str,
    pub(crate) engine: Engine,
}

pub(crate) const SQLITE: Configuration = Configuration { name: "sqlite", engine: Engine::Sqlite };

pub(crate) const POSTGRES: Configuration = Configuration { name: "postgres", engine: Engine::Postgres };

pub(crate) const LIMIT: &str = "limit";

/// Names and titles in display order, with the baselines at the end.
pub(crate) const SYSTEMS: [(&str, &str); 5] = [
    (LIMIT, "limit"),
    (SQLITE.name, "SQLite"),
    (POSTGRES.name, "PostgreSQL"),
    ("pgbench", "pgbench"),
    ("raw", "raw SQLite"),
];

/// The title of a system in tables.
pub(crate) fn title(name: &str) -> &str {
    SYSTEMS.iter().find(|(known, _)| *known == name).map_or(name, |(_, title)| title)
}

impl Configuration {
    /// With the default settings.
    pub(crate) fn of(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => SQLITE,
            Engine::Postgres => POSTGRES,
        }
    }
}
