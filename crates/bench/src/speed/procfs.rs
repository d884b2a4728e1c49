//! CPU pinning, and CPU time and memory of processes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::processes::server::Server;

/// The cores of the server (and its database) and of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    pub(crate) server: usize,
    pub(crate) driver: usize,
    /// Whether server and driver share both cores.
    is_shared: bool,
}

impl Cores {
    /// The first and the last available core.
    pub(crate) fn choose() -> anyhow::Result<Self> {
        let allowed = sched_getaffinity(None)?;
        let mut usable = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
        let server = usable.next().context("no core is available")?;
        let driver =
            usable.next_back().context("the benchmark needs two cores: one for the server, one for the driver")?;
        Ok(Self { server, driver, is_shared: false })
    }

    /// Both cores for the server, shared with the driver.
    pub(crate) fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }

    /// The command pinned to the cores of the server. It must start there, because its threads are as many as its cores.
    pub(crate) fn pinned(&self, command: &Command) -> Command {
        let cores = if self.is_shared { format!("{},{}", self.server, self.driver) } else { self.server.to_string() };
        Server::pinned(command, &cores)
    }

    /// Pins the calling thread to the cores of the driver.
    pub(crate) fn pin_driver(&self) -> anyhow::Result<()> {
        let mut set = CpuSet::new();
        set.set(self.driver);
        if self.is_shared {
            set.set(self.server);
        }
        Ok(sched_setaffinity(None, &set)?)
    }
}

/// Pins a process and its children. Processes that it starts later inherit the setting.
pub(crate) fn pin_process_tree(pid: u32, core: usize) -> anyhow::Result<()> {
    for pid in process_tree(pid) {
        let output = Command::new("taskset").args(["-a", "-c", "-p", &core.to_string(), &pid.to_string()]).output()?;
        let has_exited = !Path::new(&format!("/proc/{pid}")).exists();
        ensure!(output.status.success() || has_exited, "taskset failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// A process and its children.
pub(crate) fn process_tree(pid: u32) -> Vec<u32> {
    let is_child = |candidate: &u32| parent(*candidate) == Some(pid);
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    std::iter::once(pid).chain(pids.filter(is_child)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The process name, in parentheses, can contain anything.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// The CPU time of all threads of a process, in nanoseconds.
pub(crate) fn cpu_nanos(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| run_time(&task.path())).sum()
}

/// The CPU time of the calling thread, in nanoseconds.
pub(crate) fn thread_cpu_nanos() -> u64 {
    run_time(Path::new("/proc/thread-self")).unwrap_or(0)
}

fn run_time(task: &Path) -> Option<u64> {
    fs::read_to_string(task.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
}

/// The memory of a process in KiB: resident, and the anonymous part of it.
pub(crate) fn memory(pid: u32) -> Option<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        status.lines().find_map(|line| line.strip_prefix(name))?.trim().trim_end_matches(" kB").parse().ok()
    };
    Some((field("VmRSS:")?, field("RssAnon:")?))
}
