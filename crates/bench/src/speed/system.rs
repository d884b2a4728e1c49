//! The systems under test: a server on one of the engines, or the limit, each on the server's core.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use super::configuration::{Configuration, LIMIT};
use super::dataset::Dataset;
use super::limit;
use super::procfs::{self, Cores};
use super::seed::seeder;
use super::targets::Targets;
use crate::processes::engine::Engine;
use crate::processes::postgres::Cluster;
use crate::processes::server::{DataLocation, Server};

/// Connections to the database, of the server and of pgbench alike.
pub(crate) const POSTGRES_CONNECTIONS: usize = 8;

/// Default durability, enough memory for the data, and no checkpoint during a slice.
pub(crate) const POSTGRES_SETTINGS: [&str; 4] =
    ["shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=1h", "max_connections=200"];

pub(crate) struct System {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    server: Server,
    location: Option<DataLocation>,
    pub(crate) cluster: Option<Cluster>,
}

/// A server on a seeded database, with the targets of requests.
pub(crate) struct SeededSystem {
    pub(crate) system: System,
    pub(crate) targets: Targets,
}

impl SeededSystem {
    /// Starts the server on a copy of the database, because operations write to it. The copy is in a folder of `run`.
    pub(crate) fn start(
        root: &Path,
        run: &Path,
        configuration: Configuration,
        dataset: &Dataset,
        cores: Cores,
        log: &str,
    ) -> anyhow::Result<Self> {
        let Configuration { name, engine } = configuration;
        let cached = seeder::seeded(root, engine, dataset)?;
        let folder = run.join(format!("{name}-{}", dataset.items));
        fs::create_dir_all(&folder)?;
        let copied =
            Command::new("cp").args(["-a", "--reflink=auto"]).arg(cached.join("data")).arg(&folder).status()?;
        ensure!(copied.success(), "cannot copy {}", cached.display());
        let cluster = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => {
                let cluster = Cluster::copy(&cached.join("cluster"), &folder.join("postgres"), &POSTGRES_SETTINGS)?;
                if let Some(pid) = cluster.pid() {
                    procfs::pin_process_tree(pid, cores.server)?;
                }
                Some(cluster)
            }
        };
        let location = DataLocation {
            data: folder.join("data"),
            database: cluster.as_ref().map(|cluster| cluster.url("wishbone")),
        };
        let server = serve(&location, cores, &["--log", log])?;
        let targets = Targets::new(&cached, dataset)?;
        let system = System { name, address: server.address, server, location: Some(location), cluster };
        Ok(Self { system, targets })
    }
}

/// Starts a server, pinned to its cores.
pub(crate) fn serve(location: &DataLocation, cores: Cores, arguments: &[&str]) -> anyhow::Result<Server> {
    let mut command = location.command(&["serve", "--json", "--listen", "127.0.0.1:0"])?;
    command.args(["--drain-grace", "0", "--pool-size", &POSTGRES_CONNECTIONS.to_string()]).args(arguments);
    let mut pinned = cores.pinned(&command);
    pinned.stderr(Stdio::null());
    Server::start(pinned)
}

impl System {
    pub(crate) fn limit(samples: &Path, cores: Cores) -> anyhow::Result<Self> {
        let server = Server::start(cores.pinned(&limit::command(samples)?))?;
        Ok(Self { name: LIMIT, address: server.address, server, location: None, cluster: None })
    }

    /// Restarts the server with other arguments.
    pub(crate) fn restarted(self, cores: Cores, arguments: &[&str]) -> anyhow::Result<Self> {
        self.restarted_after(cores, arguments, |_, _| Ok(()))
    }

    /// Restarts the server with other arguments, after a change of its database.
    pub(crate) fn restarted_after(
        self,
        cores: Cores,
        arguments: &[&str],
        change: impl FnOnce(&DataLocation, Option<&Cluster>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        self.server.stop()?;
        let location = self.location.context("the limit has no database")?;
        change(&location, self.cluster.as_ref())?;
        let server = serve(&location, cores, arguments)?;
        Ok(Self { address: server.address, server, location: Some(location), ..self })
    }

    /// The location of the data; the limit has none.
    pub(crate) fn location(&self) -> Option<&DataLocation> {
        self.location.as_ref()
    }

    /// The server's memory in KiB: resident, and the anonymous part of it.
    pub(crate) fn memory(&self) -> Option<(u64, u64)> {
        procfs::memory(self.server.pid())
    }

    /// The address of the server's metrics.
    pub(crate) fn metrics(&self) -> Option<SocketAddr> {
        self.server.metrics
    }

    /// The database file on SQLite.
    pub(crate) fn sqlite_file(&self) -> Option<PathBuf> {
        let location = self.location.as_ref().filter(|location| location.database.is_none())?;
        Some(location.data.join("wishbone.db"))
    }

    pub(crate) fn database_bytes(&self) -> anyhow::Result<u64> {
        match (&self.cluster, self.sqlite_file()) {
            (Some(cluster), _) => Ok(cluster.sql("wishbone", "select pg_database_size('wishbone')")?.trim().parse()?),
            (None, Some(file)) => Ok(fs::metadata(file)?.len()),
            (None, None) => Ok(0),
        }
    }

    /// Stops the server; returns the location and the cluster, which is still running.
    pub(crate) fn stop(self) -> anyhow::Result<(Option<DataLocation>, Option<Cluster>)> {
        self.server.stop()?;
        Ok((self.location, self.cluster))
    }

    /// The CPU time of the server and of PostgreSQL, in nanoseconds.
    pub(crate) fn cpu_nanos(&self) -> (u64, u64) {
        let database = self.cluster.as_ref().and_then(Cluster::pid);
        let of_database = database.map_or(0, |pid| procfs::process_tree(pid).into_iter().map(procfs::cpu_nanos).sum());
        (procfs::cpu_nanos(self.server.pid()), of_database)
    }
}
