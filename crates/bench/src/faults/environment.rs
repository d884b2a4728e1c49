//! The test environment of a scenario: a server, its database, and the load on it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use fastrand::Rng;

use super::fake_clock::FakeClock;
use super::load::{Load, check};
use crate::processes::engine::Engine;
use crate::processes::postgres::Cluster;
use crate::processes::reverse_proxy::ReverseProxy;
use crate::processes::server::{DataLocation, Server};

/// The parameters of a scenario.
pub(crate) struct Environment {
    pub(crate) engine: Engine,
    pub(crate) seed: u64,
    /// A directory for this scenario only, initially empty.
    pub(crate) folder: PathBuf,
    pub(crate) is_short: bool,
    /// The number of faults to inject, of requests during them, or of seconds per attack.
    pub(crate) times: usize,
    /// Reverse proxies to run behind; empty for all that are installed.
    pub(crate) proxies: Vec<ReverseProxy>,
    /// Parts of the names of attacks to run; empty for all.
    pub(crate) attacks: Vec<String>,
    pub(crate) rng: Rng,
    pub(crate) began: Instant,
}

impl Environment {
    pub(crate) fn log_progress(&self, what: &str) {
        eprintln!("    {:5.1} s  {what}", self.began.elapsed().as_secs_f64());
    }

    /// Sleeps for a random time in a range of milliseconds.
    pub(crate) fn pause(&mut self, span: std::ops::Range<u64>) {
        std::thread::sleep(Duration::from_millis(self.rng.u64(span)));
    }

    /// Creates a PostgreSQL cluster with an empty database `wishbone`.
    pub(crate) fn cluster(&self, name: impl AsRef<Path>, settings: &[&str]) -> anyhow::Result<Cluster> {
        let cluster = Cluster::create(&self.folder.join(name), settings)?;
        cluster.sql("postgres", "create database wishbone")?;
        Ok(cluster)
    }

    /// The location of the server's data, and the cluster on PostgreSQL.
    pub(crate) fn location(&self) -> anyhow::Result<(DataLocation, Option<Cluster>)> {
        self.location_in(".")
    }

    /// A location in a directory of its own, for scenarios with several databases.
    pub(crate) fn location_in(&self, part: &str) -> anyhow::Result<(DataLocation, Option<Cluster>)> {
        let folder = Path::new(part);
        let cluster = match self.engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(self.cluster(folder.join("postgres"), &[])?),
        };
        let database = cluster.as_ref().map(|cluster| cluster.url("wishbone"));
        Ok((DataLocation { data: self.folder.join(folder).join("data"), database }, cluster))
    }

    pub(crate) fn load(&self, location: &DataLocation, server: &Server, workers: usize) -> anyhow::Result<Load> {
        Load::prepare(location, server.address, &self.folder.join("ledger.txt"), self.seed, workers)
    }

    /// Starts the server, which logs to a file beside the ledger.
    pub(crate) fn serve(&self, location: &DataLocation, port: u16, arguments: &[&str]) -> anyhow::Result<Server> {
        Server::start(self.serve_command(location, port, arguments)?)
    }

    pub(crate) fn serve_with_clock(
        &self,
        location: &DataLocation,
        port: u16,
        arguments: &[&str],
        clock: &FakeClock,
    ) -> anyhow::Result<Server> {
        let mut command = self.serve_command(location, port, arguments)?;
        clock.apply(&mut command);
        Server::start(command)
    }

    fn serve_command(&self, location: &DataLocation, port: u16, arguments: &[&str]) -> anyhow::Result<Command> {
        let arguments = [&["--log", "warn"], arguments].concat();
        location.serve_command(port, &arguments, Some(&self.folder.join("server.log")))
    }

    /// Waits until `more` further calls are acknowledged.
    pub(crate) fn wait_for_writes(&self, load: &Load, more: u64) -> anyhow::Result<()> {
        let (began, wanted) = (Instant::now(), load.ledger.acknowledged() + more);
        while load.ledger.acknowledged() < wanted && load.ledger.violations().is_empty() {
            anyhow::ensure!(began.elapsed() < Duration::from_secs(120), "no call was acknowledged for two minutes");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// The result of a scenario.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The number of injected faults.
    pub(crate) faults: usize,
    pub(crate) acknowledged: u64,
    pub(crate) rejected: u64,
    /// Calls without a response: applied, not applied, retried with a key; and calls answered `outcome-unknown`.
    pub(crate) unknown: [u64; 4],
    pub(crate) violations: Vec<String>,
    /// The reason why the scenario did not run.
    pub(crate) skipped: Option<String>,
}

impl Outcome {
    pub(crate) fn skipped(why: &str) -> Self {
        Self { skipped: Some(why.to_owned()), ..Self::default() }
    }

    /// Adds the result of another part of the scenario.
    pub(crate) fn add(&mut self, other: Self) {
        self.faults += other.faults;
        self.acknowledged += other.acknowledged;
        self.rejected += other.rejected;
        self.unknown.iter_mut().zip(other.unknown).for_each(|(sum, count)| *sum += count);
        self.violations.extend(other.violations);
    }

    /// Verifies the data by every read operation and by `wishbone check`.
    pub(crate) fn of(mut load: Load, location: &DataLocation, faults: usize) -> anyhow::Result<Self> {
        load.verify()?;
        let ledger = &load.ledger;
        let mut violations = ledger.violations();
        violations.extend(check(location).context("after the scenario")?);
        let number = |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
        let unknown = [&ledger.applied, &ledger.not_applied, &ledger.retried, &ledger.reported_unknown].map(number);
        let (acknowledged, rejected) = (number(&ledger.acknowledged), number(&ledger.rejected));
        Ok(Self { faults, acknowledged, rejected, unknown, violations, skipped: None })
    }
}
