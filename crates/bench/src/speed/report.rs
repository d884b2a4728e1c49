//! The results of a run.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::alerts::Alerts;
use super::growth::Size;
use super::machine_info::MachineInfo;
use super::overload::Overload;
use super::results::OperationResult;
use super::startup::StartupTime;
use super::two_cores::TwoCores;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) machine: MachineInfo,
    pub(crate) setup: Setup,
    pub(crate) operations: Vec<OperationResult>,
    pub(crate) databases: Vec<Database>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) two_cores: Vec<TwoCores>,
    pub(crate) overload: Vec<Overload>,
    pub(crate) growth: Vec<Size>,
    pub(crate) start: Vec<StartupTime>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) alerts: Vec<Alerts>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The arguments of `speed`.
    pub(crate) command: String,
    pub(crate) items: u64,
    pub(crate) lists: u64,
    pub(crate) shoppers: u64,
    pub(crate) variants: u64,
    pub(crate) connections: usize,
    /// The calls in the mix of a shop and their shares in percent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mix: Vec<(String, f64)>,
    pub(crate) rounds: usize,
    pub(crate) slice_seconds: f64,
    pub(crate) server_core: usize,
    pub(crate) driver_core: usize,
    pub(crate) log: String,
    pub(crate) postgres_settings: Vec<String>,
    pub(crate) postgres_connections: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Database {
    pub(crate) engine: String,
    pub(crate) bytes_per_item: f64,
}

impl Report {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is not a report of this version", path.display()))
    }

    pub(crate) fn operation(&self, name: &str) -> Option<&OperationResult> {
        self.operations.iter().find(|result| result.operation == name)
    }

    pub(crate) fn to_json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}
