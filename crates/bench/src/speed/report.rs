//! All that a run has shown, and the files that are made of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::describe::Machine;
use super::growth::Size;
use super::overload::Overload;
use super::rounds::Measured;
use super::start::Start;
use super::{document, plots};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    pub(crate) setup: Setup,
    pub(crate) operations: Vec<Measured>,
    pub(crate) databases: Vec<Database>,
    pub(crate) overload: Vec<Overload>,
    pub(crate) growth: Vec<Size>,
    pub(crate) start: Vec<Start>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// What was typed after `speed`.
    pub(crate) command: String,
    pub(crate) items: u64,
    pub(crate) lists: u64,
    pub(crate) shoppers: u64,
    pub(crate) variants: u64,
    pub(crate) connections: usize,
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
        serde_json::from_slice(&text).with_context(|| format!("{} is no report of this version", path.display()))
    }

    pub(crate) fn operation(&self, name: &str) -> Option<&Measured> {
        self.operations.iter().find(|measured| measured.operation == name)
    }

    pub(crate) fn to_json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// What is to be in the project's documentation, by path.
    pub(crate) fn files(&self) -> anyhow::Result<Vec<(PathBuf, String)>> {
        let mut out = vec![
            (PathBuf::from("performance.md"), document::text(self)),
            (PathBuf::from("performance/latest.json"), self.to_json()?),
        ];
        out.extend(plots::all(self).into_iter().map(|(name, svg)| (Path::new("performance").join(name), svg)));
        Ok(out)
    }
}

/// The project's documentation.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Makes the documentation's page and plots of a result.
pub(crate) fn publish(result: &Path) -> anyhow::Result<()> {
    for (path, text) in Report::read(result)?.files()? {
        let path = docs().join(path);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.canonicalize()?.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_plots_are_what_the_numbers_say() {
        let report = Report::read(&docs().join("performance/latest.json")).unwrap();
        for (path, text) in report.files().unwrap() {
            let found = fs::read_to_string(docs().join(&path)).unwrap();
            let remedy = "cargo run --release -p bench -- report docs/performance/latest.json";
            assert!(found == text, "docs/{} is not what the numbers say. Next step:  {remedy}", path.display());
        }
    }
}
