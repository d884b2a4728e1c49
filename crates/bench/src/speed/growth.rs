//! The cost of more items: the same operations on SQLite databases of several sizes, interleaved.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::configuration::SQLITE;
use super::dataset::Dataset;
use super::driver::LoadModel;
use super::measure::{Slice, measure};
use super::operations::OPERATIONS;
use super::progress::{Progress, thousands};
use super::rounds::SLICES_PER_ROUND;
use super::settings::Settings;
use super::system::SeededSystem;
use crate::http::client::Client;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) items: u64,
    pub(crate) bytes_per_item: f64,
    pub(crate) page_random: Vec<Slice>,
    pub(crate) add: Vec<Slice>,
    /// One slice per operation, with the default caches.
    #[serde(default, rename = "every")]
    pub(crate) per_operation: Vec<Slice>,
}

/// Items whose lists are read in one second (estimate).
const LISTED_PER_SECOND: u64 = 500_000;

impl Size {
    pub(crate) fn title(&self) -> String {
        format!("{} items", thousands(self.items))
    }

    /// Long enough for a list to be read once on average: to authenticate a shopper for the first time costs more, and a
    /// large database has more shoppers. Not all of them stay in memory.
    fn warm_up(&self) -> Duration {
        Duration::from_secs(self.items / LISTED_PER_SECOND)
    }

    /// The maximum over all operations, in MiB.
    pub(crate) fn max(&self, kib: fn(&Slice) -> u64) -> u64 {
        self.per_operation.iter().map(kib).max().unwrap_or(0) / 1_024
    }
}

pub(crate) fn run(settings: &Settings, root: &Path, run: &Path) -> anyhow::Result<Vec<Size>> {
    if settings.growth.is_empty() {
        return Ok(Vec::new());
    }
    let mut sizes = Vec::new();
    for items in &settings.growth {
        let dataset = Dataset::new(*items, settings.seed);
        let folder = run.join("growth");
        let seeded = SeededSystem::start(root, &folder, SQLITE, &dataset, settings.cores, &settings.log)?;
        let bytes_per_item = seeded.system.database_bytes()? as f64 / dataset.item_count() as f64;
        sizes.push((
            seeded,
            Size { items: *items, bytes_per_item, page_random: Vec::new(), add: Vec::new(), per_operation: Vec::new() },
        ));
    }
    let slices_per_size = settings.rounds * SLICES_PER_ROUND;
    let mut progress = Progress::new("growth", (2 * slices_per_size * sizes.len()) as u64);
    // Adds come last, because they grow the database.
    for operation in OPERATIONS.iter().filter(|operation| ["page-random", "add"].contains(&operation.name)) {
        let is_add = operation.name == "add";
        for (SeededSystem { system, targets }, size) in sizes.iter().filter(|_| !is_add) {
            let load = settings.load(LoadModel::Closed, settings.warm_up().max(size.warm_up()));
            measure(system, settings.cores, load, &mut *operation.requests(targets, settings.seed))?;
        }
        for slice_number in 0..slices_per_size {
            for (SeededSystem { system, targets }, size) in &mut sizes {
                let mut requests = operation.requests(targets, settings.seed ^ (slice_number as u64) << 32);
                let load = settings.load(LoadModel::Closed, settings.slice);
                let slice = measure(system, settings.cores, load, &mut *requests)?;
                let slices = if is_add { &mut size.add } else { &mut size.page_random };
                slices.push(slice);
                progress.add(1);
            }
            // The order changes between slices.
            sizes.rotate_left(1);
        }
    }
    sizes.sort_by_key(|(_, size)| size.items);
    progress.finish();
    let mut progress = Progress::new("memory", (sizes.len() * OPERATIONS.len()) as u64);
    let mut out = Vec::new();
    for (SeededSystem { system, mut targets }, mut size) in sizes {
        let system = system.restarted(settings.cores, &["--log", &settings.log])?;
        targets.find_deep_pages(&mut Client::connect(system.address)?, size.items)?;
        for operation in &OPERATIONS {
            let mut requests = operation.requests(&targets, settings.seed);
            // Long enough for the caches to fill.
            let load = settings.load(LoadModel::Closed, 3 * settings.slice);
            size.per_operation.push(measure(&system, settings.cores, load, &mut *requests)?);
            progress.add(1);
        }
        system.stop()?;
        out.push(size);
    }
    progress.finish();
    fs::remove_dir_all(run.join("growth"))?;
    Ok(out)
}
