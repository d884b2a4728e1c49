//! Interleaved rounds: in each round every system is measured in several short slices per operation, in turn.
//! Interference from the machine then affects all systems alike, or only a few of many slices.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::driver::{LoadModel, Source};
use super::limit::Sample;
use super::measure::{Slice, measure};
use super::operations::{Kind, OPERATIONS, Operation};
use super::pgbench::Pgbench;
use super::progress::Progress;
use super::raw_sqlite;
use super::requests::Requests;
use super::settings::Settings;
use super::summary::Summary;
use super::system::{SeededSystem, System};
use crate::http::client::Client;

const SYSTEMS: [&str; 3] = ["limit", "sqlite", "postgres"];

/// The number of recorded responses per operation that the limit serves.
const SAMPLES: usize = 128;

/// The results of an operation by system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OperationResult {
    pub(crate) operation: String,
    title: String,
    closed: BTreeMap<String, Vec<Slice>>,
    /// One slice per round, at half the throughput of the closed loop in the same round.
    open: BTreeMap<String, Vec<Slice>>,
    /// Operations per second of the baselines `pgbench` and `raw`, by slice.
    #[serde(rename = "bare")]
    pub(crate) baselines: BTreeMap<String, Vec<f64>>,
    /// The mean number of writes per commit on SQLite, by slice.
    pub(crate) groups: Vec<f64>,
}

/// Slices of each operation and system in a round.
pub(super) const SLICES_PER_ROUND: usize = 4;

/// The rate of the open loop, as a share of the closed loop's throughput, and its duration in slices.
const OPEN_SHARE: f64 = 0.5;
const OPEN_SLICES: u32 = 3;

pub(crate) fn run(
    settings: &Settings,
    run: &Path,
    seeded: &mut [SeededSystem],
) -> anyhow::Result<Vec<OperationResult>> {
    if settings.operations.iter().any(|operation| matches!(operation.kind, Kind::PageFirst | Kind::PageDeep)) {
        for SeededSystem { system, targets } in seeded.iter_mut() {
            targets.find_deep_pages(&mut Client::connect(system.address)?, settings.items)?;
        }
    }
    let first = seeded.first().context("no engine is selected")?;
    let limit = limit(settings, run, first)?;
    let pgbench = settings
        .operations
        .iter()
        .map(|operation| pgbench(seeded, operation, run))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let raw = raw_copy(settings, seeded, run)?;
    let mut out: Vec<OperationResult> = settings.operations.iter().map(OperationResult::new).collect();
    let total = settings.rounds * settings.operations.len() * (seeded.len() + 1) * SLICES_PER_ROUND;
    let mut progress = Progress::new("slices", total as u64);
    for round in 0..settings.rounds {
        for ((operation, result), pgbench) in settings.operations.iter().zip(&mut out).zip(&pgbench) {
            let mut systems: Vec<(&System, &SeededSystem)> =
                seeded.iter().map(|seeded| (&seeded.system, seeded)).collect();
            if operation.has_limit() {
                systems.push((&limit, first));
            }
            // One more for the open loop.
            let seed =
                |slice_number: usize| settings.seed ^ ((round * (SLICES_PER_ROUND + 1) + slice_number) as u64) << 32;
            let failed = |system: &System| format!("{} on {}", operation.name, system.name);
            for (system, SeededSystem { targets, .. }) in &systems {
                if operation.kind == Kind::PageRandom && system.sqlite_file().is_some() {
                    let load = settings.load(LoadModel::Closed, settings.long_warm_up());
                    measure(system, settings.cores, load, &mut operation.requests(targets, seed(0)))?;
                }
            }
            // The order changes between rounds and slices.
            let count = systems.len();
            systems.rotate_left(round % count);
            for slice_number in 0..SLICES_PER_ROUND {
                for (system, SeededSystem { targets, .. }) in &systems {
                    let mut requests = operation.requests(targets, seed(slice_number));
                    result
                        .measure_closed_loop(settings, operation, system, &mut requests)
                        .with_context(|| failed(system))?;
                    if let (Some(raw), Some(group)) = (&raw, result.last_group_size(operation, system)) {
                        let seconds = settings.slice.as_secs_f64();
                        let adds = raw_sqlite::measure(raw, settings.cores, group, seconds, seed(slice_number))?;
                        result.baselines.entry("raw".to_owned()).or_default().push(adds);
                    }
                    if let (Some(pgbench), Some(cluster)) = (pgbench, &system.cluster) {
                        let pages = pgbench.run(cluster, settings.cores, settings.slice.as_secs_f64())?;
                        result.baselines.entry("pgbench".to_owned()).or_default().push(pages);
                    }
                    progress.add(1);
                }
                systems.rotate_left(1);
            }
            for (system, SeededSystem { targets, .. }) in &systems {
                let mut requests = operation.requests(targets, seed(SLICES_PER_ROUND));
                result.measure_open_loop(settings, system, &mut requests).with_context(|| failed(system))?;
            }
        }
    }
    progress.finish();
    Ok(out)
}

impl OperationResult {
    fn new(operation: &Operation) -> Self {
        let (name, title) = (operation.name.to_owned(), operation.title.to_owned());
        Self {
            operation: name,
            title,
            closed: BTreeMap::new(),
            open: BTreeMap::new(),
            baselines: BTreeMap::new(),
            groups: Vec::new(),
        }
    }

    fn measure_closed_loop(
        &mut self,
        settings: &Settings,
        operation: &Operation,
        system: &System,
        requests: &mut Requests<'_>,
    ) -> anyhow::Result<()> {
        let groups = Groups::now(system)?;
        let slice = measure(system, settings.cores, settings.load(LoadModel::Closed, settings.slice), requests)?;
        let size = Groups::now(system)?.mean_since(&groups);
        self.groups.extend(size.filter(|_| operation.kind == Kind::Add));
        self.closed.entry(system.name.to_owned()).or_default().push(slice);
        Ok(())
    }

    /// The group size of the last slice, for the raw SQLite baseline.
    fn last_group_size(&self, operation: &Operation, system: &System) -> Option<usize> {
        let is_compared = operation.kind == Kind::Add && system.sqlite_file().is_some();
        self.groups.last().filter(|_| is_compared).map(|size| (size.round() as usize).max(1))
    }

    /// Measures the latency at the end of a round, in a longer slice, because high latencies are rare.
    fn measure_open_loop(
        &mut self,
        settings: &Settings,
        system: &System,
        requests: &mut Requests<'_>,
    ) -> anyhow::Result<()> {
        let closed = self.per_second(system.name);
        let round =
            Summary::of(closed[closed.len().saturating_sub(SLICES_PER_ROUND)..].iter().copied()).unwrap_or_default();
        let model = LoadModel::Open((round.median * OPEN_SHARE).max(1.0));
        let slice = measure(system, settings.cores, settings.load(model, OPEN_SLICES * settings.slice), requests)?;
        self.open.entry(system.name.to_owned()).or_default().push(slice);
        Ok(())
    }

    /// The systems in display order, with their slices.
    pub(crate) fn closed(&self) -> impl Iterator<Item = (&'static str, &[Slice])> {
        SYSTEMS.into_iter().filter_map(|name| Some((name, self.closed.get(name)?.as_slice())))
    }

    pub(crate) fn open(&self) -> impl Iterator<Item = (&'static str, &[Slice])> {
        SYSTEMS.into_iter().filter_map(|name| Some((name, self.open.get(name)?.as_slice())))
    }

    /// The current title of the operation, or the recorded one if the operation no longer exists.
    pub(crate) fn title(&self) -> &str {
        let operation = OPERATIONS.iter().find(|operation| operation.name == self.operation);
        operation.map_or(&self.title, |operation| operation.title)
    }

    /// Requests per second, by slice.
    pub(crate) fn per_second(&self, system: &str) -> Vec<f64> {
        if let Some(baselines) = self.baselines.get(system) {
            return baselines.clone();
        }
        self.closed.get(system).into_iter().flatten().map(|slice| slice.per_second).collect()
    }
}

/// A copy of the database for the raw SQLite baseline, if adds are measured.
fn raw_copy(settings: &Settings, seeded: &[SeededSystem], run: &Path) -> anyhow::Result<Option<PathBuf>> {
    let is_measured = settings.operations.iter().any(|operation| operation.kind == Kind::Add);
    let file = seeded.iter().find_map(|seeded| seeded.system.sqlite_file()).filter(|_| is_measured);
    file.map(|file| raw_sqlite::copy(&file, run)).transpose()
}

/// Records responses of a real server and starts the limit with them.
fn limit(settings: &Settings, run: &Path, seeded: &SeededSystem) -> anyhow::Result<System> {
    let mut samples = Vec::new();
    let mut client = Client::connect(seeded.system.address)?;
    for operation in settings.operations.iter().filter(|operation| operation.has_limit()) {
        let mut requests = operation.requests(&seeded.targets, settings.seed);
        // The mix has several paths.
        for _ in 0..if operation.kind == Kind::Mix { 4 * SAMPLES } else { SAMPLES } {
            let mut request = Vec::new();
            requests.write_next(&mut request);
            // A cached page is compressed better than one requested for the first time.
            client.send(&request)?;
            client.send(&request)?;
            let (response, head) = client.send(&request)?;
            anyhow::ensure!(head.status == 200, "{}", String::from_utf8_lossy(&response));
            samples.push(Sample::new(&request, &response, &head)?);
        }
    }
    let file = run.join("samples.json");
    fs::write(&file, serde_json::to_vec(&samples)?)?;
    System::limit(&file, settings.cores)
}

fn pgbench(seeded: &[SeededSystem], operation: &Operation, run: &Path) -> anyhow::Result<Option<Pgbench>> {
    match seeded.iter().find(|seeded| seeded.system.cluster.is_some()) {
        Some(seeded) if !operation.gzip => Pgbench::prepare(seeded, operation.kind, run),
        _ => Ok(None),
    }
}

/// The totals of writes and commits of the SQLite writer.
#[derive(Default)]
struct Groups {
    writes: f64,
    commits: f64,
}

impl Groups {
    fn now(system: &System) -> anyhow::Result<Self> {
        if system.sqlite_file().is_none() {
            return Ok(Self::default());
        }
        let request = b"GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
        let metrics = system.metrics().context("the server has no metrics")?;
        let (response, _) = Client::connect(metrics)?.send(request)?;
        let text = String::from_utf8_lossy(&response);
        let value =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or(0.0);
        Ok(Self {
            writes: value("wishbone_database_group_size_sum "),
            commits: value("wishbone_database_group_size_count "),
        })
    }

    fn mean_since(&self, before: &Self) -> Option<f64> {
        let commits = self.commits - before.commits;
        (commits > 0.0).then(|| (self.writes - before.writes) / commits)
    }
}
