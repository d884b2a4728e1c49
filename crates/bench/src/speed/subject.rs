//! What is measured: a server on one of the engines, or the limit, each on the server's core.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use clap::ValueEnum;

use super::machine::{self, Cores};
use super::pgbench::POOL;
use super::shape::Shape;
use super::targets::Targets;
use super::{limit, seed};
use crate::parts::postgres::Cluster;
use crate::parts::server::{Place, Server};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// Real durability; room for the data in memory, as any operator would give it; no checkpoint in the middle of a slice.
pub(crate) const POSTGRES_SETTINGS: [&str; 4] =
    ["shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=1h", "max_connections=200"];

pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    server: Server,
    place: Option<Place>,
    pub(crate) cluster: Option<Cluster>,
}

/// A server on a database of its own, with those who will call it.
pub(crate) struct Seeded {
    pub(crate) subject: Subject,
    pub(crate) targets: Targets,
}

impl Seeded {
    /// On a copy: what is measured also writes.
    pub(crate) fn start(
        root: &Path,
        run: &Path,
        engine: Engine,
        shape: &Shape,
        cores: Cores,
        arguments: &[&str],
    ) -> anyhow::Result<Self> {
        let kept = seed::seeded(root, engine, shape)?;
        let folder = run.join(format!("{}-{}", engine.name(), shape.items));
        fs::create_dir_all(&folder)?;
        let copied = Command::new("cp").args(["-a", "--reflink=auto"]).arg(kept.join("data")).arg(&folder).status()?;
        ensure!(copied.success(), "cannot copy {}", kept.display());
        let cluster = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => {
                let cluster = Cluster::copy(&kept.join("cluster"), &folder.join("postgres"), &POSTGRES_SETTINGS)?;
                if let Some(pid) = cluster.pid() {
                    machine::pin_family(pid, cores.server)?;
                }
                Some(cluster)
            }
        };
        let place =
            Place { data: folder.join("data"), database: cluster.as_ref().map(|cluster| cluster.url("wishbone")) };
        let server = serve(&place, cores, arguments)?;
        let targets = Targets::new(&kept, shape)?;
        let subject = Subject { name: engine.name(), address: server.address, server, place: Some(place), cluster };
        Ok(Self { subject, targets })
    }
}

/// Starts a server on its core.
pub(crate) fn serve(place: &Place, cores: Cores, arguments: &[&str]) -> anyhow::Result<Server> {
    let mut command = place.command(&["serve", "--json", "--listen", "127.0.0.1:0"])?;
    command.args(["--drain-grace", "0", "--pool-size", &POOL.to_string()]).args(arguments);
    let mut pinned = Server::pinned(&command, &cores.server.to_string());
    pinned.stderr(Stdio::null());
    Server::start(pinned)
}

impl Subject {
    pub(crate) fn limit(samples: &Path, cores: Cores) -> anyhow::Result<Self> {
        let server = Server::start(Server::pinned(&limit::command(samples)?, &cores.server.to_string()))?;
        Ok(Self { name: "limit", address: server.address, server, place: None, cluster: None })
    }

    /// Another server in the place of this one.
    pub(crate) fn restarted(self, cores: Cores, arguments: &[&str]) -> anyhow::Result<Self> {
        self.server.stop()?;
        let place = self.place.context("the limit has no database")?;
        let server = serve(&place, cores, arguments)?;
        Ok(Self { address: server.address, server, place: Some(place), ..self })
    }

    /// KiB that are resident, and of that what is no file's.
    pub(crate) fn memory(&self) -> Option<(u64, u64)> {
        machine::memory(self.server.pid())
    }

    /// The file of a database on SQLite.
    pub(crate) fn sqlite_file(&self) -> Option<PathBuf> {
        let place = self.place.as_ref().filter(|place| place.database.is_none())?;
        Some(place.data.join("wishbone.db"))
    }

    pub(crate) fn database_bytes(&self) -> anyhow::Result<u64> {
        match (&self.cluster, self.sqlite_file()) {
            (Some(cluster), _) => Ok(cluster.sql("wishbone", "select pg_database_size('wishbone')")?.trim().parse()?),
            (None, Some(file)) => Ok(fs::metadata(file)?.len()),
            (None, None) => Ok(0),
        }
    }

    /// Ends the server; its place stays, and its database while the cluster is kept.
    pub(crate) fn stop(self) -> anyhow::Result<(Option<Place>, Option<Cluster>)> {
        self.server.stop()?;
        Ok((self.place, self.cluster))
    }

    /// Nanoseconds of the server, and of its database where that is elsewhere.
    pub(crate) fn cpu_nanos(&self) -> (u64, u64) {
        let database = self.cluster.as_ref().and_then(Cluster::pid);
        let of_database = database.map_or(0, |pid| machine::family(pid).into_iter().map(machine::cpu_nanos).sum());
        (machine::cpu_nanos(self.server.pid()), of_database)
    }
}
