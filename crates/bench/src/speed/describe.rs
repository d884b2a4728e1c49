//! What the numbers were measured on.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::spread::Spread;
use crate::parts::postgres;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_gib: f64,
    pub(crate) kernel: String,
    pub(crate) disk: String,
    /// Microseconds of a durable write of one page.
    pub(crate) fsync_micros: f64,
    pub(crate) wishbone: String,
    pub(crate) sqlite: String,
    pub(crate) postgres: String,
}

pub(crate) fn machine(folder: &Path) -> anyhow::Result<Machine> {
    let info = fs::read_to_string("/proc/cpuinfo")?;
    let field = |name: &str| info.lines().find(|line| line.starts_with(name))?.split_once(": ").map(|(_, value)| value);
    let memory = fs::read_to_string("/proc/meminfo")?;
    let kib: f64 = memory.split_whitespace().nth(1).context("a number")?.parse()?;
    Ok(Machine {
        date: said("date", &["-u", "+%Y-%m-%d"]),
        processor: field("model name").unwrap_or("unknown").to_owned(),
        cores: info.lines().filter(|line| line.starts_with("processor")).count(),
        memory_gib: kib / f64::from(1 << 20),
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned(),
        disk: said("df", &["--output=source,fstype", &folder.display().to_string()])
            .lines()
            .last()
            .map(words)
            .unwrap_or_default(),
        fsync_micros: fsync(folder)?,
        wishbone: format!("{} {}", env!("CARGO_PKG_VERSION"), said("git", &["describe", "--always", "--dirty"]))
            .trim()
            .to_owned(),
        sqlite: rusqlite::version().to_owned(),
        postgres: postgres::programs()
            .map(|folder| said(&folder.join("postgres").display().to_string(), &["--version"]))
            .unwrap_or_default(),
    })
}

fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(", ")
}

/// What a command prints, or nothing.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_owned()
}

fn fsync(folder: &Path) -> anyhow::Result<f64> {
    let mut file: File = tempfile::tempfile_in(folder)?;
    let mut times = Vec::new();
    for _ in 0..50 {
        let began = Instant::now();
        file.write_all(&[7; 4_096])?;
        file.sync_data()?;
        times.push(began.elapsed().as_secs_f64() * 1e6);
    }
    Ok(Spread::of(times).map_or(0.0, |spread| spread.median))
}
