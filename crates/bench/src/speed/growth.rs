//! What more items cost: the same operations on databases of several sizes, round by round, on SQLite.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Settings;
use super::client::Client;
use super::driver::Pace;
use super::measure::{Slice, measure};
use super::operations::OPERATIONS;
use super::progress::{Progress, thousands};
use super::rounds::TURNS;
use super::shape::Shape;
use super::subject::{Engine, Seeded};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) items: u64,
    pub(crate) bytes_per_item: f64,
    pub(crate) page_random: Vec<Slice>,
    pub(crate) add: Vec<Slice>,
    /// One of every operation, with all that is kept in memory by default.
    #[serde(default)]
    pub(crate) every: Vec<Slice>,
}

impl Size {
    pub(crate) fn title(&self) -> String {
        format!("{} items", thousands(self.items))
    }

    /// The most that was resident, in MiB.
    pub(crate) fn most(&self, kib: fn(&Slice) -> u64) -> u64 {
        self.every.iter().map(kib).max().unwrap_or(0) / 1_024
    }
}

pub(crate) fn run(settings: &Settings, root: &Path, run: &Path) -> anyhow::Result<Vec<Size>> {
    if settings.growth.is_empty() {
        return Ok(Vec::new());
    }
    let mut sizes = Vec::new();
    for items in &settings.growth {
        let shape = Shape::new(*items, settings.seed);
        let folder = run.join("growth");
        // Finished pages of a small database all fit into memory: what is to be compared is the work that is done for one.
        let arguments = ["--log", &settings.log, "--page-memory", "0"];
        let seeded = Seeded::start(root, &folder, Engine::Sqlite, &shape, settings.cores, &arguments)?;
        let bytes_per_item = seeded.subject.database_bytes()? as f64 / shape.item_count() as f64;
        sizes.push((
            seeded,
            Size { items: *items, bytes_per_item, page_random: Vec::new(), add: Vec::new(), every: Vec::new() },
        ));
    }
    let turns = settings.rounds * TURNS;
    let mut progress = Progress::new("growth", (2 * turns * sizes.len()) as u64);
    // Adds make a small database larger: after all pages.
    for operation in OPERATIONS.iter().filter(|operation| ["page-random", "add"].contains(&operation.name)) {
        let is_add = operation.name == "add";
        for (Seeded { subject, targets }, _) in sizes.iter().filter(|_| !is_add) {
            let load = settings.load(Pace::Closed, settings.long_warm_up());
            measure(subject, settings.cores, load, &mut operation.requests(targets, settings.seed))?;
        }
        for turn in 0..turns {
            for (Seeded { subject, targets }, size) in &mut sizes {
                let mut requests = operation.requests(targets, settings.seed ^ (turn as u64) << 32);
                let load = settings.load(Pace::Closed, settings.slice);
                let slice = measure(subject, settings.cores, load, &mut requests)?;
                let slices = if is_add { &mut size.add } else { &mut size.page_random };
                slices.push(slice);
                progress.add(1);
            }
            // None is always first.
            sizes.rotate_left(1);
        }
    }
    sizes.sort_by_key(|(_, size)| size.items);
    progress.finish();
    let mut progress = Progress::new("memory", (sizes.len() * OPERATIONS.len()) as u64);
    let mut out = Vec::new();
    for (Seeded { subject, mut targets }, mut size) in sizes {
        let subject = subject.restarted(settings.cores, &["--log", &settings.log])?;
        targets.find_deep_pages(&mut Client::connect(subject.address)?, size.items)?;
        for operation in &OPERATIONS {
            let mut requests = operation.requests(&targets, settings.seed);
            // Long enough for what is kept to grow.
            let load = settings.load(Pace::Closed, 3 * settings.slice);
            size.every.push(measure(&subject, settings.cores, load, &mut requests)?);
            progress.add(1);
        }
        subject.stop()?;
        out.push(size);
    }
    progress.finish();
    fs::remove_dir_all(run.join("growth"))?;
    Ok(out)
}
