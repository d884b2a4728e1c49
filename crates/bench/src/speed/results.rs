//! The results of an operation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::configuration::SYSTEMS;
use super::measure::Slice;
use super::operations::{OPERATIONS, Operation};
use super::summary::Summary;

/// The results of an operation by system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OperationResult {
    pub(crate) operation: String,
    title: String,
    pub(super) closed: BTreeMap<String, Vec<Slice>>,
    /// One slice per round, at half the throughput of the closed loop in the same round.
    pub(super) open: BTreeMap<String, Vec<Slice>>,
    /// Operations per second of the baselines `pgbench` and `raw`, by slice.
    #[serde(rename = "bare")]
    pub(crate) baselines: BTreeMap<String, Vec<f64>>,
    /// The mean number of writes per commit on SQLite, by slice.
    pub(crate) groups: Vec<f64>,
}

impl OperationResult {
    pub(super) fn new(operation: &Operation) -> Self {
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

    /// The systems in display order, with their slices.
    pub(crate) fn closed(&self) -> impl Iterator<Item = (&'static str, &[Slice])> {
        slices(&self.closed)
    }

    /// Empty in short runs.
    pub(crate) fn open(&self) -> impl Iterator<Item = (&'static str, &[Slice])> {
        slices(&self.open)
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

    /// A system's requests per second, relative to another's.
    pub(crate) fn ratio(&self, of: &str, to: &str) -> Option<Summary> {
        Summary::of_ratios(&self.per_second(of), &self.per_second(to))
    }

    /// The CPU time per request of a server and its database, in microseconds.
    pub(crate) fn cpu(&self, system: &str) -> Option<Summary> {
        let slices = self.closed.get(system)?;
        Summary::of(slices.iter().map(|slice| slice.server_cpu + slice.database_cpu))
    }
}

/// The systems in display order, with their slices.
fn slices(of: &BTreeMap<String, Vec<Slice>>) -> impl Iterator<Item = (&'static str, &[Slice])> {
    SYSTEMS.iter().filter_map(|(name, _)| Some((*name, of.get(*name)?.as_slice())))
}
