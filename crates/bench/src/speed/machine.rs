//! The machine: which core runs what, and what the kernel counts of processes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Which core the server has, with its database, and which one the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    pub(crate) server: usize,
    pub(crate) driver: usize,
}

impl Cores {
    /// The first and the last of those that we may use.
    pub(crate) fn choose() -> anyhow::Result<Self> {
        let allowed = sched_getaffinity(None)?;
        let mut usable = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
        let server = usable.next().context("there is a core")?;
        let driver = usable.next_back().context("two cores are needed: one for the server, one for the driver")?;
        Ok(Self { server, driver })
    }
}

/// From now on this thread runs there.
pub(crate) fn pin_thread(core: usize) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    set.set(core);
    Ok(sched_setaffinity(None, &set)?)
}

/// Pins a process and its children; those that it starts later come along.
pub(crate) fn pin_family(pid: u32, core: usize) -> anyhow::Result<()> {
    for pid in family(pid) {
        let output = Command::new("taskset").args(["-a", "-c", "-p", &core.to_string(), &pid.to_string()]).output()?;
        let gone = !Path::new(&format!("/proc/{pid}")).exists();
        ensure!(output.status.success() || gone, "taskset failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// A process and its children.
pub(crate) fn family(pid: u32) -> Vec<u32> {
    let is_child = |candidate: &u32| parent(*candidate) == Some(pid);
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    std::iter::once(pid).chain(pids.filter(is_child)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Nanoseconds that a process has run, in all its threads.
pub(crate) fn cpu_nanos(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| run_time(&task.path())).sum()
}

/// Nanoseconds that this thread has run.
pub(crate) fn own_nanos() -> u64 {
    run_time(Path::new("/proc/thread-self")).unwrap_or(0)
}

fn run_time(task: &Path) -> Option<u64> {
    fs::read_to_string(task.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
}

/// Memory of a process in KiB: all that is resident, and of that what is not pages of files.
pub(crate) fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name))?.trim().trim_end_matches(" kB").parse().ok()
    };
    Some((field("VmRSS:")?, field("RssAnon:")?))
}
