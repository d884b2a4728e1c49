//! A description of the machine.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::summary::Summary;
use crate::processes::postgres;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MachineInfo {
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_gib: f64,
    pub(crate) kernel: String,
    pub(crate) disk: String,
    /// The time of a durable write of one page, in microseconds.
    pub(crate) fsync_micros: f64,
    pub(crate) wishbone: String,
    pub(crate) sqlite: String,
    pub(crate) postgres: String,
}

pub(crate) fn collect(folder: &Path) -> anyhow::Result<MachineInfo> {
    let info = fs::read_to_string("/proc/cpuinfo")?;
    let field = |name: &str| info.lines().find(|line| line.starts_with(name))?.split_once(": ").map(|(_, value)| value);
    let memory = fs::read_to_string("/proc/meminfo")?;
    let kib: f64 = memory.split_whitespace().nth(1).context("unexpected format of /proc/meminfo")?.parse()?;
    Ok(MachineInfo {
        date: output("date", &["-u", "+%Y-%m-%d"]),
        processor: field("model name").unwrap_or("unknown").to_owned(),
        cores: info.lines().filter(|line| line.starts_with("processor")).count(),
        memory_gib: kib / f64::from(1 << 20),
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease")?.trim().to_owned(),
        disk: output("df", &["--output=source,fstype", &folder.display().to_string()])
            .lines()
            .last()
            .map(join_words)
            .unwrap_or_default(),
        fsync_micros: fsync(folder)?,
        wishbone: format!("{} {}", env!("CARGO_PKG_VERSION"), output("git", &["describe", "--always", "--dirty"]))
            .trim()
            .to_owned(),
        sqlite: rusqlite::version().to_owned(),
        postgres: postgres::programs()
            .map(|folder| output(&folder.join("postgres").display().to_string(), &["--version"]))
            .unwrap_or_default(),
    })
}

fn join_words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(", ")
}

/// The output of a command; empty if it fails.
fn output(program: &str, arguments: &[&str]) -> String {
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
    Ok(Summary::of(times).map_or(0.0, |summary| summary.median))
}
