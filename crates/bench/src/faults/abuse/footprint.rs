//! Memory, disk and processor time that the server takes.

use std::fmt;
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
    /// The cluster, and the name of the database in it.
    cluster: Option<(&'a Cluster, String)>,
    disk_before: u64,
    cpu_before: u64,
    /// KiB.
    peak: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

/// What was used since the start.
pub(super) struct Used {
    /// The highest resident memory, in MiB.
    pub(super) memory: u64,
    /// Growth on disk, in MiB.
    pub(super) disk: u64,
    /// Processor time of the server, without PostgreSQL's.
    cpu: Duration,
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, disk, cpu } = self;
        write!(f, "{memory} MiB, +{disk} MiB on disk, {:.1} s CPU", cpu.as_secs_f64())
    }
}

impl<'a> Footprint<'a> {
    pub(super) fn start(
        pid: u32,
        location: &'a DataLocation,
        cluster: Option<(&'a Cluster, String)>,
    ) -> anyhow::Result<Self> {
        let (peak, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let mut out = Self { pid, location, cluster, disk_before: 0, cpu_before: cpu_ticks(pid), peak, stop };
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

    pub(super) fn now(&mut self) -> anyhow::Result<Used> {
        let memory = self.peak.load(Ordering::Relaxed) / 1_024;
        let disk = self.disk()?.saturating_sub(self.disk_before) / MIB;
        let cpu = Duration::from_millis(10 * cpu_ticks(self.pid).saturating_sub(self.cpu_before));
        Ok(Used { memory, disk, cpu })
    }

    fn disk(&self) -> anyhow::Result<u64> {
        match &self.cluster {
            None => size(&self.location.data),
            Some((cluster, name)) => {
                Ok(cluster.sql(name, &format!("select pg_database_size('{name}')"))?.trim().parse()?)
            }
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

/// Processor time in hundredths of a second, the unit of the kernel; also of threads that have ended.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The process name, in parentheses, can contain anything. User and system time are fields 14 and 15.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn size(folder: &Path) -> anyhow::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        total += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}
