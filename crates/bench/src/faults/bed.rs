//! What a scenario breaks: a server, its database, and the load on it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use fastrand::Rng;

use super::Engine;
use super::load::{Load, check};
use crate::parts::postgres::Cluster;
use crate::parts::server::{Place, Server};

/// What a scenario is given.
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) seed: u64,
    /// Its own, empty at the start.
    pub(crate) folder: PathBuf,
    pub(crate) is_short: bool,
    /// How often the fault is to happen, where it can be said.
    pub(crate) times: usize,
    pub(crate) rng: Rng,
    pub(crate) began: Instant,
}

impl Stage {
    pub(crate) fn say(&self, what: &str) {
        eprintln!("    {:5.1} s  {what}", self.began.elapsed().as_secs_f64());
    }

    /// Waits for a random moment in a span of milliseconds.
    pub(crate) fn pause(&mut self, span: std::ops::Range<u64>) {
        std::thread::sleep(Duration::from_millis(self.rng.u64(span)));
    }

    /// A PostgreSQL of this scenario's own, with an empty database `wishbone`.
    pub(crate) fn cluster(&self, name: &str, settings: &[&str]) -> anyhow::Result<Cluster> {
        let cluster = Cluster::create(&self.folder.join(name), settings)?;
        cluster.sql("postgres", "create database wishbone")?;
        Ok(cluster)
    }

    /// The data folder, and a PostgreSQL where the engine is one.
    pub(crate) fn place(&self) -> anyhow::Result<(Place, Option<Cluster>)> {
        let cluster = match self.engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(self.cluster("postgres", &[])?),
        };
        let database = cluster.as_ref().map(|cluster| cluster.url("wishbone"));
        Ok((Place { data: self.folder.join("data"), database }, cluster))
    }

    pub(crate) fn load(&self, place: &Place, server: &Server, workers: usize) -> anyhow::Result<Load> {
        Load::prepare(place, server.address, &self.folder.join("ledger.txt"), self.seed, workers)
    }

    /// Starts the server; its log is beside the ledger.
    pub(crate) fn serve(&self, place: &Place, port: u16, arguments: &[&str]) -> anyhow::Result<Server> {
        let arguments = [&["--log", "warn"], arguments].concat();
        place.serve(port, &arguments, Some(&self.folder.join("server.log")))
    }

    /// Waits until clients have got so many more answers.
    pub(crate) fn wait_for_answers(&self, load: &Load, more: u64) -> anyhow::Result<()> {
        let (began, wanted) = (Instant::now(), load.ledger.answered() + more);
        while load.ledger.answered() < wanted && load.ledger.problems().is_empty() {
            anyhow::ensure!(began.elapsed() < Duration::from_secs(120), "the clients get no answers any more");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// How it went.
pub(crate) struct Outcome {
    /// How often the fault happened.
    pub(crate) faults: usize,
    pub(crate) answered: u64,
    pub(crate) refused: u64,
    /// Calls without an answer: how many had happened, had not, were made again under a key, were said to be unknown.
    pub(crate) unknown: [u64; 4],
    pub(crate) problems: Vec<String>,
    /// Why it did not run.
    pub(crate) skipped: Option<String>,
}

impl Outcome {
    pub(crate) fn skipped(why: &str) -> Self {
        let skipped = Some(why.to_owned());
        Self { faults: 0, answered: 0, refused: 0, unknown: [0; 4], problems: Vec::new(), skipped }
    }

    /// The last look: by every way to read, and by `wishbone check`.
    pub(crate) fn of(mut load: Load, place: &Place, faults: usize) -> anyhow::Result<Self> {
        load.verify()?;
        let ledger = &load.ledger;
        let mut problems = ledger.problems();
        problems.extend(check(place).context("after all")?);
        let number = |counter: &std::sync::atomic::AtomicU64| counter.load(std::sync::atomic::Ordering::Relaxed);
        let unknown = [&ledger.happened, &ledger.not_happened, &ledger.repeated, &ledger.admitted].map(number);
        let (answered, refused) = (number(&ledger.answered), number(&ledger.refused));
        Ok(Self { faults, answered, refused, unknown, problems, skipped: None })
    }
}
