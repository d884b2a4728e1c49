//! Interleaved rounds: in each round every system is measured in several short slices per operation, in turn.
//! Interference from the machine then affects all systems alike, or only a few of many slices.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::driver::{LoadModel, Source};
use super::groups::Groups;
use super::measure::measure;
use super::operations::{Kind, Operation};
use super::pgbench::Pgbench;
use super::progress::Progress;
use super::raw_sqlite;
use super::results::OperationResult;
use super::settings::Settings;
use super::summary::Summary;
use super::system::{SeededSystem, System};
use super::targets::Targets;
use crate::http::client::Client;

/// Slices of each operation and system in a round.
pub(super) const SLICES_PER_ROUND: usize = 4;

/// The rate of the open loop, as a share of the closed loop's throughput, and its duration in slices.
const OPEN_SHARE: f64 = 0.5;
const OPEN_SLICES: u32 = 3;

/// A system that takes part in an operation. Its requests go on from slice to slice.
struct Contender<'a> {
    system: &'a System,
    requests: Box<dyn Source + 'a>,
}

/// The baselines of an operation.
struct Baselines<'a> {
    pgbench: Option<Pgbench>,
    raw: Option<&'a Path>,
}

pub(crate) fn run(
    settings: &Settings,
    run: &Path,
    seeded: &[SeededSystem],
    limit: (&System, &Targets),
) -> anyhow::Result<Vec<OperationResult>> {
    let raw = raw_copy(settings, seeded, run)?;
    let mut measurements = Vec::new();
    for operation in &settings.operations {
        let raw = raw.as_deref().filter(|_| operation.kind == Kind::Add);
        let baselines = Baselines { pgbench: pgbench(settings, seeded, operation, run)?, raw };
        let contenders = contenders(settings, operation, seeded, limit);
        measurements.push((operation, contenders, baselines, OperationResult::new(operation)));
    }
    let slices: usize = measurements.iter().map(|(_, contenders, ..)| contenders.len() * SLICES_PER_ROUND).sum();
    let mut progress = Progress::new("slices", (settings.rounds * slices) as u64);
    for _ in 0..settings.rounds {
        for (operation, contenders, baselines, result) in &mut measurements {
            measure_round(settings, operation, contenders, baselines, result, &mut progress)?;
        }
    }
    progress.finish();
    Ok(measurements.into_iter().map(|(.., result)| result).collect())
}

fn contenders<'a>(
    settings: &Settings,
    operation: &Operation,
    seeded: &'a [SeededSystem],
    (limit, targets): (&'a System, &'a Targets),
) -> Vec<Contender<'a>> {
    let mut out: Vec<Contender<'a>> = seeded
        .iter()
        .map(|SeededSystem { system, targets }| Contender {
            system,
            requests: operation.requests(targets, settings.seed),
        })
        .collect();
    if operation.has_limit() {
        out.push(Contender { system: limit, requests: operation.requests_to_limit(targets, settings.seed) });
    }
    out
}

fn measure_round(
    settings: &Settings,
    operation: &Operation,
    contenders: &mut [Contender<'_>],
    baselines: &Baselines<'_>,
    result: &mut OperationResult,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    let failed = |system: &System| format!("{} on {}", operation.name, system.name);
    for Contender { system, requests } in contenders.iter_mut() {
        if operation.kind == Kind::PageRandom && system.location().is_some() {
            let load = settings.load(LoadModel::Closed, settings.warm_up());
            measure(system, settings.cores, load, &mut **requests).with_context(|| failed(system))?;
        }
    }
    for _ in 0..SLICES_PER_ROUND {
        for Contender { system, requests } in contenders.iter_mut() {
            result.measure_closed_loop(settings, operation, system, &mut **requests).with_context(|| failed(system))?;
            baselines.measure(settings, operation, system, result)?;
            progress.add(1);
        }
        // The order changes between slices.
        contenders.rotate_left(1);
    }
    // And between rounds.
    contenders.rotate_left(1);
    if !settings.is_quick {
        for Contender { system, requests } in contenders.iter_mut() {
            result.measure_open_loop(settings, system, &mut **requests).with_context(|| failed(system))?;
        }
    }
    Ok(())
}

impl Baselines<'_> {
    /// Measures the baseline of a system after a slice of it.
    fn measure(
        &self,
        settings: &Settings,
        operation: &Operation,
        system: &System,
        result: &mut OperationResult,
    ) -> anyhow::Result<()> {
        let seconds = settings.slice.as_secs_f64();
        if let (Some(raw), Some(group)) = (self.raw, result.last_group_size(operation, system)) {
            let seed = settings.seed ^ (result.groups.len() as u64) << 32;
            let adds = raw_sqlite::measure(raw, settings.cores, group, seconds, seed)?;
            result.baselines.entry("raw".to_owned()).or_default().push(adds);
        }
        if let (Some(pgbench), Some(cluster)) = (&self.pgbench, &system.cluster) {
            let pages = pgbench.run(cluster, settings.cores, seconds)?;
            result.baselines.entry("pgbench".to_owned()).or_default().push(pages);
        }
        Ok(())
    }
}

impl OperationResult {
    fn measure_closed_loop(
        &mut self,
        settings: &Settings,
        operation: &Operation,
        system: &System,
        requests: &mut dyn Source,
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
        requests: &mut dyn Source,
    ) -> anyhow::Result<()> {
        let closed = self.per_second(system.name);
        let round =
            Summary::of(closed[closed.len().saturating_sub(SLICES_PER_ROUND)..].iter().copied()).unwrap_or_default();
        let model = LoadModel::Open((round.median * OPEN_SHARE).max(1.0));
        let slice = measure(system, settings.cores, settings.load(model, OPEN_SLICES * settings.slice), requests)?;
        self.open.entry(system.name.to_owned()).or_default().push(slice);
        Ok(())
    }
}

/// Finds the pages that the operations on long lists request.
pub(crate) fn find_deep_pages(settings: &Settings, seeded: &mut [SeededSystem]) -> anyhow::Result<()> {
    if settings.operations.iter().any(|operation| matches!(operation.kind, Kind::PageFirst | Kind::PageDeep)) {
        for SeededSystem { system, targets } in seeded {
            targets.find_deep_pages(&mut Client::connect(system.address)?, settings.items)?;
        }
    }
    Ok(())
}

/// A copy of the database for the raw SQLite baseline, if adds are measured.
fn raw_copy(settings: &Settings, seeded: &[SeededSystem], run: &Path) -> anyhow::Result<Option<PathBuf>> {
    let is_measured = settings.operations.iter().any(|operation| operation.kind == Kind::Add);
    let file = seeded.iter().find_map(|seeded| seeded.system.sqlite_file()).filter(|_| is_measured);
    file.map(|file| raw_sqlite::copy(&file, run)).transpose()
}

fn pgbench(
    settings: &Settings,
    seeded: &[SeededSystem],
    operation: &Operation,
    run: &Path,
) -> anyhow::Result<Option<Pgbench>> {
    match seeded.iter().find(|seeded| seeded.system.cluster.is_some()) {
        // It needs whole seconds.
        Some(seeded) if !operation.gzip && !settings.is_quick => Pgbench::prepare(seeded, operation.kind, run),
        _ => Ok(None),
    }
}
