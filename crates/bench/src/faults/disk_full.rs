//! The disk is full for a while: writes are rejected, nothing is lost, and writes succeed again once there is space.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::environment::{Environment, Outcome};
use crate::processes::server::DataLocation;

const WORKERS: usize = 8;
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    if !rustix::process::getuid().is_root() {
        return Ok(Outcome::skipped("needs root, to mount a small tmpfs"));
    }
    let disk = SmallDisk::mount(&env.folder.join("disk"))?;
    let location = DataLocation { data: disk.0.join("data"), database: None };
    let mut server = env.serve(&location, 0, &[])?;
    let port = server.address.port();
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    for round in 0..env.times {
        env.wait_for_writes(&load, 100)?;
        let rejected = || load.ledger.rejected.load(Ordering::Relaxed);
        let (before, began) = (rejected(), Instant::now());
        let filler = disk.fill()?;
        while rejected() < before + 20 && load.ledger.violations().is_empty() {
            ensure!(began.elapsed() < TIMEOUT, "the disk is full, but no write is rejected");
            std::thread::sleep(Duration::from_millis(10));
        }
        if round % 2 == 1 {
            server.kill()?;
            server = match env.serve(&location, port, &[]) {
                Ok(server) => {
                    env.log_progress("disk full; server killed and restarted on the full disk");
                    fs::remove_file(&filler)?;
                    server
                }
                Err(error) => {
                    env.log_progress(&format!("disk full; server killed, did not start on the full disk ({error:#})"));
                    fs::remove_file(&filler)?;
                    env.serve(&location, port, &[])?
                }
            };
        } else {
            fs::remove_file(&filler)?;
            env.log_progress(&format!("disk full and emptied; {} calls acknowledged", load.ledger.acknowledged()));
        }
    }
    env.wait_for_writes(&load, 100)?;
    let outcome = Outcome::of(load, &location, env.times);
    server.kill()?;
    outcome
}

struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir(folder)?;
        let mut mount = Command::new("mount");
        let status = mount.args(["-t", "tmpfs", "-o", "size=48m", "wishbone-faults"]).arg(folder).status()?;
        ensure!(status.success(), "mount failed: {mount:?}");
        Ok(Self(folder.to_owned()))
    }

    /// Writes a file that takes all free space; returns its path.
    fn fill(&self) -> anyhow::Result<PathBuf> {
        let path = self.0.join("filler");
        let mut file = File::create(&path)?;
        let block = [7; 4096];
        while file.write_all(&block).is_ok() {}
        Ok(path)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
