//! Load shedding at twice the capacity: accepted requests must be fast, rejections immediate, and throughput near its
//! peak.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::driver::{Load, LoadModel};
use super::measure::{Slice, measure};
use super::operations::{Kind, OPERATIONS, Operation};
use super::rounds::SLICES_PER_ROUND;
use super::settings::Settings;
use super::summary::Summary;
use super::system::{SeededSystem, System};
use super::targets::Targets;

const CONNECTIONS: usize = 1_000;
const OVERLOAD_FACTOR: f64 = 2.0;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Overload {
    pub(crate) operation: String,
    #[serde(rename = "subject")]
    pub(crate) system: String,
    #[serde(rename = "turns")]
    pub(crate) samples: Vec<OverloadSample>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OverloadSample {
    /// Throughput of the closed loop, the mean before and after.
    pub(crate) peak: f64,
    /// Throughput of the closed loop with the connections of the overload, which have a cost of their own.
    #[serde(rename = "crowded")]
    pub(crate) peak_many_connections: f64,
    pub(crate) offered: f64,
    pub(crate) flood: Slice,
}

impl Overload {
    /// The throughput under overload, relative to the peak.
    pub(crate) fn relative_throughput(&self) -> Option<Summary> {
        self.summary(|sample| Some(sample.flood.per_second / sample.peak))
    }

    /// Summarizes the samples for which there is a value.
    pub(crate) fn summary(&self, value: impl Fn(&OverloadSample) -> Option<f64>) -> Option<Summary> {
        Summary::of(self.samples.iter().filter_map(value))
    }
}

pub(crate) fn run(settings: &Settings, seeded: &[SeededSystem]) -> anyhow::Result<Vec<Overload>> {
    let mut out = Vec::new();
    if settings.is_quick {
        return Ok(out);
    }
    let chosen =
        |operation: &&Operation| ["page-random", "add"].contains(&operation.name) && settings.measures(operation);
    for operation in OPERATIONS.iter().filter(chosen) {
        for SeededSystem { system, targets } in seeded {
            eprintln!("  overload: {} on {} …", operation.name, system.name);
            let samples = samples(settings, operation, system, targets)?;
            out.push(Overload { operation: operation.name.to_owned(), system: system.name.to_owned(), samples });
        }
    }
    Ok(out)
}

fn samples(
    settings: &Settings,
    operation: &Operation,
    system: &System,
    targets: &Targets,
) -> anyhow::Result<Vec<OverloadSample>> {
    let mut requests = operation.requests(targets, settings.seed ^ 77);
    let mut run = |load: Load| measure(system, settings.cores, load, &mut *requests);
    let closed = settings.load(LoadModel::Closed, settings.slice);
    if operation.kind == Kind::PageRandom {
        run(settings.load(LoadModel::Closed, settings.warm_up()))?;
    }
    let mut before = run(closed)?.per_second;
    let mut samples = Vec::new();
    for _ in 0..settings.rounds * SLICES_PER_ROUND {
        let offered = (OVERLOAD_FACTOR * before).max(1.0);
        let load = settings.load(LoadModel::OpenLossy(offered), 2 * settings.slice);
        // Admission control needs some time to react.
        let warm_up = load.warm_up.max(Duration::from_secs(1));
        let flood = run(Load { connections: CONNECTIONS, warm_up, ..load })?;
        let peak_many_connections = run(Load { connections: CONNECTIONS, ..closed })?.per_second;
        let after = run(closed)?.per_second;
        samples.push(OverloadSample { peak: (before + after) / 2.0, peak_many_connections, offered, flood });
        before = after;
    }
    Ok(samples)
}
