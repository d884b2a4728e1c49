//! Twice as much as it can do: who is let in must be quick, who is not must know at once, and no throughput may be lost.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::driver::{Load, Pace};
use super::measure::{Slice, measure};
use super::operations::{OPERATIONS, Operation};
use super::subject::{Seeded, Subject};
use super::targets::Targets;

const CONNECTIONS: usize = 1_000;
const TIMES: f64 = 2.0;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Overload {
    pub(crate) operation: String,
    pub(crate) subject: String,
    pub(crate) offered: f64,
    /// The closed loop, just before.
    pub(crate) peak: f64,
    pub(crate) slice: Slice,
}

impl Overload {
    /// The throughput, of its peak.
    pub(crate) fn kept(&self) -> f64 {
        self.slice.per_second / self.peak
    }
}

pub(crate) fn run(settings: &Settings, seeded: &[Seeded]) -> anyhow::Result<Vec<Overload>> {
    let mut out = Vec::new();
    let chosen =
        |operation: &&Operation| ["page-random", "add"].contains(&operation.name) && settings.measures(operation);
    for operation in OPERATIONS.iter().filter(chosen) {
        for Seeded { subject, targets } in seeded {
            eprintln!("  overload: {} on {} …", operation.name, subject.name);
            let mut rounds = (0..settings.rounds)
                .map(|round| overload(settings, operation, subject, targets, settings.seed ^ 77 ^ (round as u64) << 32))
                .collect::<anyhow::Result<Vec<_>>>()?;
            rounds.sort_by(|a, b| a.kept().total_cmp(&b.kept()));
            out.push(rounds.swap_remove(rounds.len() / 2));
        }
    }
    Ok(out)
}

fn overload(
    settings: &Settings,
    operation: &Operation,
    subject: &Subject,
    targets: &Targets,
    seed: u64,
) -> anyhow::Result<Overload> {
    let mut requests = operation.requests(targets, seed);
    let (warm_up, duration) = (settings.slice, 3 * settings.slice);
    let closed = Load { connections: settings.connections, warm_up, duration, pace: Pace::Closed };
    let peak = measure(subject, settings.cores, closed, &mut requests)?.per_second;
    let offered = (TIMES * peak).max(1.0);
    // The gate measures for a while before it closes.
    let warm_up = warm_up.max(Duration::from_secs(1));
    let flood = Load { connections: CONNECTIONS, warm_up, duration: 2 * duration, pace: Pace::Flood(offered) };
    let slice = measure(subject, settings.cores, flood, &mut requests)?;
    Ok(Overload { operation: operation.name.to_owned(), subject: subject.name.to_owned(), offered, peak, slice })
}
