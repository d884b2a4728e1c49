//! The disk is full for a while: writes are refused, nothing is lost, and it goes on when there is room again.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::bed::{Outcome, Stage};
use crate::parts::server::Place;

const WORKERS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    if !rustix::process::getuid().is_root() {
        return Ok(Outcome::skipped("a disk that can be filled is a small tmpfs, and only root can mount one"));
    }
    let disk = SmallDisk::mount(&stage.folder.join("disk"))?;
    let place = Place { data: disk.0.join("data"), database: None };
    let mut server = stage.serve(&place, 0, &[])?;
    let port = server.address.port();
    let mut load = stage.load(&place, &server, WORKERS)?;
    load.begin();
    for round in 0..stage.times {
        stage.wait_for_answers(&load, 100)?;
        let refused = || load.ledger.refused.load(Ordering::Relaxed);
        let (before, began) = (refused(), Instant::now());
        let filler = disk.fill()?;
        while refused() < before + 20 && load.ledger.problems().is_empty() {
            ensure!(began.elapsed() < PATIENCE, "the disk is full, and nobody is refused");
            std::thread::sleep(Duration::from_millis(10));
        }
        if round % 2 == 1 {
            server.kill()?;
            server = match stage.serve(&place, port, &[]) {
                Ok(server) => {
                    stage.say("full, killed, and started on the full disk");
                    fs::remove_file(&filler)?;
                    server
                }
                Err(error) => {
                    stage.say(&format!("full, killed, and not started before there was room ({error:#})"));
                    fs::remove_file(&filler)?;
                    stage.serve(&place, port, &[])?
                }
            };
        } else {
            fs::remove_file(&filler)?;
            stage.say(&format!("full, and not any more; {} calls answered", load.ledger.answered()));
        }
    }
    stage.wait_for_answers(&load, 100)?;
    let outcome = Outcome::of(load, &place, stage.times);
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

    /// Takes all the room that there is.
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
