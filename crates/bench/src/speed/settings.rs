//! The command line of the benchmark, and the settings that follow from it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::driver::{Load, LoadModel};
use super::operations::{OPERATIONS, Operation};
use super::procfs::Cores;
use crate::processes::engine::Engine;

/// Seed databases, run servers on one core and a load driver on another, and measure all operations in interleaved
/// rounds, so that interference affects all systems alike.
///
/// Examples:
///   speed --quick                                               all throughputs, small, in two minutes
///   speed --quick --only page-random --engines sqlite           one operation, in seconds
///   speed                                                       all operations and growth up to 1 million items
///   speed --full                                                growth up to 10 million items (docs/performance.md)
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SpeedArgs {
    /// Smoke test: 2,000 items, slices of 0.1 s
    #[arg(long, conflicts_with_all = ["quick", "full"])]
    tiny: bool,

    /// All throughputs with 100,000 items, in two minutes: no latencies, overload, alerts, growth and pgbench
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Measure growth and memory up to 10 million items
    #[arg(long)]
    full: bool,

    /// Items in the database [default: 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    items: Option<u64>,

    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Operations to measure, comma-separated [default: all]
    #[arg(long, value_name = "OPERATION", value_delimiter = ',', value_parser = operation)]
    only: Vec<Operation>,

    /// Engines, comma-separated
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    engines: Vec<Engine>,

    /// Connections of the load driver
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: usize,

    /// Rounds of four slices per operation and system [default: 3]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// Duration of a slice [default: 1]
    #[arg(long, value_name = "SECONDS")]
    slice: Option<f64>,

    /// Subscriptions to send alerts for while pages are read; 0 for none [default: 100000; with --quick or --only: 0]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    alerts: Option<u64>,

    /// Log filter of the servers, whose logs are discarded
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    log: String,

    /// JSON file for the results [default: target/bench/latest.json]
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Directory of seeded databases [default: target/bench]
    #[arg(long, value_name = "FOLDER", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench"), hide_default_value = true)]
    pub(super) folder: PathBuf,
}

fn operation(name: &str) -> Result<Operation, String> {
    let names = || OPERATIONS.map(|operation| operation.name).join(", ");
    OPERATIONS.into_iter().find(|operation| operation.name == name).ok_or_else(|| format!("one of: {}", names()))
}

/// The settings of a run.
pub(crate) struct Settings {
    pub(super) items: u64,
    pub(super) seed: u64,
    pub(super) operations: Vec<Operation>,
    pub(super) engines: Vec<Engine>,
    pub(super) connections: usize,
    pub(super) rounds: usize,
    pub(super) slice: Duration,
    pub(super) log: String,
    pub(super) cores: Cores,
    /// Without latencies, overload and pgbench.
    pub(super) is_quick: bool,
    /// Subscriptions for the measurement of product alerts.
    pub(super) alerts: u64,
    /// Database sizes to compare, in items.
    pub(super) growth: Vec<u64>,
}

impl Settings {
    /// The load of a slice, with a warm-up.
    pub(super) fn load(&self, model: LoadModel, duration: Duration) -> Load {
        let warm_up = (self.slice / 5).min(Duration::from_secs(1));
        Load { connections: self.connections, warm_up, duration, model }
    }

    /// The warm-up before pages of random lists, after which most products are cached.
    pub(super) fn warm_up(&self) -> Duration {
        5 * self.slice
    }

    pub(super) fn measures(&self, operation: &Operation) -> bool {
        self.operations.iter().any(|chosen| chosen.name == operation.name)
    }
}

impl SpeedArgs {
    pub(super) fn settings(&self) -> anyhow::Result<Settings> {
        let (items, rounds, slice, alerts) = match (self.tiny, self.quick) {
            (true, _) => (2_000, 1, 0.1, 5_000),
            (_, true) => (100_000, 2, 0.2, 0),
            _ => (1_000_000, 3, 1.0, 100_000),
        };
        Ok(Settings {
            items: self.items.unwrap_or(items),
            seed: self.seed,
            operations: if self.only.is_empty() { OPERATIONS.to_vec() } else { self.only.clone() },
            engines: self.engines.clone(),
            connections: self.connections.max(1),
            rounds: self.rounds.unwrap_or(rounds).max(1),
            slice: Duration::from_secs_f64(self.slice.unwrap_or(slice).clamp(0.1, 600.0)),
            log: self.log.clone(),
            cores: Cores::choose()?,
            is_quick: self.quick,
            alerts: self.alerts.unwrap_or(if self.only.is_empty() { alerts } else { 0 }),
            growth: match (self.full, self.tiny || self.quick || !self.only.is_empty()) {
                (true, _) => vec![100_000, 1_000_000, 10_000_000],
                (false, true) => Vec::new(),
                (false, false) => vec![100_000, 1_000_000],
            },
        })
    }
}
