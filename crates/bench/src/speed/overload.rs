//! Twice as much as it can do: who is let in must be quick, who is not must know at once, and no throughput may be lost.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::driver::{Load, Pace};
use super::measure::{Slice, measure};
use super::operations::{Kind, OPERATIONS, Operation};
use super::rounds::TURNS;
use super::spread::Spread;
use super::subject::{Seeded, Subject};
use super::targets::Targets;

const CONNECTIONS: usize = 1_000;
const TIMES: f64 = 2.0;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Overload {
    pub(crate) operation: String,
    pub(crate) subject: String,
    pub(crate) turns: Vec<Turn>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// Of the closed loop, the mean of just before and just after.
    pub(crate) peak: f64,
    /// The same with as many connections as the flood has: what is lost to their number, and not to the load.
    pub(crate) crowded: f64,
    pub(crate) offered: f64,
    pub(crate) flood: Slice,
}

impl Overload {
    /// The throughput, of its peak.
    pub(crate) fn kept(&self) -> Option<Spread> {
        self.spread(|turn| Some(turn.flood.per_second / turn.peak))
    }

    /// Of the turns of which there is something to say.
    pub(crate) fn spread(&self, value: impl Fn(&Turn) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.turns.iter().filter_map(value))
    }
}

pub(crate) fn run(settings: &Settings, seeded: &[Seeded]) -> anyhow::Result<Vec<Overload>> {
    let mut out = Vec::new();
    let chosen =
        |operation: &&Operation| ["page-random", "add"].contains(&operation.name) && settings.measures(operation);
    for operation in OPERATIONS.iter().filter(chosen) {
        for Seeded { subject, targets } in seeded {
            eprintln!("  overload: {} on {} …", operation.name, subject.name);
            let turns = turns(settings, operation, subject, targets)?;
            out.push(Overload { operation: operation.name.to_owned(), subject: subject.name.to_owned(), turns });
        }
    }
    Ok(out)
}

fn turns(
    settings: &Settings,
    operation: &Operation,
    subject: &Subject,
    targets: &Targets,
) -> anyhow::Result<Vec<Turn>> {
    let mut requests = operation.requests(targets, settings.seed ^ 77);
    let mut take = |load: Load| measure(subject, settings.cores, load, &mut requests);
    let closed = settings.load(Pace::Closed, settings.slice);
    if operation.kind == Kind::PageRandom {
        take(settings.load(Pace::Closed, settings.long_warm_up()))?;
    }
    let mut before = take(closed)?.per_second;
    let mut turns = Vec::new();
    for _ in 0..settings.rounds * TURNS {
        let offered = (TIMES * before).max(1.0);
        let load = settings.load(Pace::Flood(offered), 2 * settings.slice);
        // The gate measures for a while before it closes.
        let warm_up = load.warm_up.max(Duration::from_secs(1));
        let flood = take(Load { connections: CONNECTIONS, warm_up, ..load })?;
        let crowded = take(Load { connections: CONNECTIONS, ..closed })?.per_second;
        let after = take(closed)?.per_second;
        turns.push(Turn { peak: (before + after) / 2.0, crowded, offered, flood });
        before = after;
    }
    Ok(turns)
}
