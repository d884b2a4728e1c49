//! Memory and disk that the server takes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::processes::postgres::Cluster;
use crate::processes::server::DataLocation;

const INTERVAL: Duration = Duration::from_millis(50);
const MIB: u64 = 1 << 20;

pub(super) struct Footprint<'a> {
    pid: u32,
    location: &'a DataLocation,
    cluster: Option<&'a Cluster>,
    disk_before: u64,
    /// KiB.
    peak: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl<'a> Footprint<'a> {
    pub(super) fn start(pid: u32, location: &'a DataLocation, cluster: Option<&'a Cluster>) -> anyhow::Result<Self> {
        let (peak, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let mut out = Self { pid, location, cluster, disk_before: 0, peak, stop };
        out.disk_before = out.disk()?;
        let (peak, stop) = (Arc::clone(&out.peak), Arc::clone(&out.stop));
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                peak.fetch_max(resident(pid), Ordering::Relaxed);
                thread::sleep(INTERVAL);
            }
        });
        Ok(out)
    }

    /// Resident memory and growth on disk, in MiB.
    pub(super) fn now(&mut self) -> anyhow::Result<(u64, u64)> {
        Ok((resident(self.pid) / 1_024, self.disk()?.saturating_sub(self.disk_before) / MIB))
    }

    /// The highest resident memory so far, in MiB.
    pub(super) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed) / 1_024
    }

    fn disk(&self) -> anyhow::Result<u64> {
        match self.cluster {
            None => size(&self.location.data),
            Some(cluster) => Ok(cluster.sql("wishbone", "select pg_database_size('wishbone')")?.trim().parse()?),
        }
    }
}

impl Drop for Footprint<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// KiB, or 0 if the process has ended.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

fn size(folder: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        total += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}
