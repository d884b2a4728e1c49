//! How fast the server is: beside the limit of the same HTTP stack, on both engines, in one run.

mod answer;
mod bars;
mod client;
mod describe;
mod dice;
mod document;
mod driver;
mod growth;
pub(crate) mod limit;
mod machine;
mod measure;
mod operations;
mod overload;
mod pgbench;
mod plots;
mod progress;
pub(crate) mod raw;
pub(crate) mod report;
mod requests;
mod rounds;
mod seed;
mod shape;
mod spread;
mod start;
mod subject;
mod table;
mod targets;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use driver::{Load, Pace};
use machine::Cores;
use operations::{OPERATIONS, Operation};
use report::{Database, Report, Setup};
use shape::Shape;
use subject::{Engine, Seeded};

/// Seeds databases, starts servers on one core and a load driver on another, and measures every operation in
/// rounds in which each subject has its turn, so that a machine which slows down slows all of them.
///
/// Examples:
///   speed --quick                                               everything, small, in a minute or two
///   speed --quick --only page-random --engines sqlite           one operation, while tuning it
///   speed                                                       what docs/performance.md is made of
///   speed --full                                                the same with growth up to 10 million items
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SpeedArgs {
    /// 2,000 items and slices of a moment: to see that it works
    #[arg(long, conflicts_with_all = ["quick", "full"])]
    tiny: bool,

    /// 100,000 items, short slices, few rounds
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Also growth up to 10 million items, and memory there
    #[arg(long)]
    full: bool,

    /// Items in the database [default: 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1_000..=20_000_000))]
    items: Option<u64>,

    /// Seed of all that is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Operations to measure, comma-separated [default: all]
    #[arg(long, value_name = "OPERATION", value_delimiter = ',', value_parser = operation)]
    only: Vec<Operation>,

    /// Engines, comma-separated
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', default_values = ["sqlite", "postgres"])]
    engines: Vec<Engine>,

    /// Connections that the driver keeps busy
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: usize,

    /// Rounds of four slices of every operation and subject [default: 3]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// Seconds of a slice [default: 1]
    #[arg(long, value_name = "SECONDS")]
    slice: Option<f64>,

    /// What the servers log (to nowhere): the default of `wishbone serve` is info, a line for each request
    #[arg(long, value_name = "FILTER", default_value = "warn")]
    log: String,

    /// Where the numbers go, as JSON [default: target/bench/latest.json]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where seeded databases are kept [default: target/bench]
    #[arg(long, value_name = "FOLDER", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench"), hide_default_value = true)]
    folder: PathBuf,
}

fn operation(name: &str) -> Result<Operation, String> {
    let names = || OPERATIONS.map(|operation| operation.name).join(", ");
    OPERATIONS.into_iter().find(|operation| operation.name == name).ok_or_else(|| format!("one of: {}", names()))
}

/// What the arguments come to.
pub(crate) struct Settings {
    items: u64,
    seed: u64,
    operations: Vec<Operation>,
    engines: Vec<Engine>,
    connections: usize,
    rounds: usize,
    slice: Duration,
    log: String,
    cores: Cores,
    /// Sizes to compare, in items.
    growth: Vec<u64>,
}

impl Settings {
    fn setup(&self, shape: &Shape) -> Setup {
        Setup {
            command: std::env::args().skip(2).collect::<Vec<_>>().join(" "),
            items: shape.item_count(),
            lists: shape.list_count() as u64,
            shoppers: shape.stores.iter().map(|store| store.shoppers.len() as u64).sum(),
            variants: shape.stores.iter().map(|store| store.variants).sum(),
            connections: self.connections,
            rounds: self.rounds,
            slice_seconds: self.slice.as_secs_f64(),
            server_core: self.cores.server,
            driver_core: self.cores.driver,
            log: self.log.clone(),
            postgres_settings: subject::POSTGRES_SETTINGS.map(str::to_owned).to_vec(),
            postgres_connections: pgbench::POOL,
        }
    }

    /// For a slice, after a moment of warming up.
    fn load(&self, pace: Pace, duration: Duration) -> Load {
        let warm_up = (self.slice / 5).min(Duration::from_secs(1));
        Load { connections: self.connections, warm_up, duration, pace }
    }

    /// Before pages of any list. By then most were asked for often enough to be kept, if there is room for them, and most
    /// callers are known.
    fn long_warm_up(&self) -> Duration {
        20 * self.slice
    }

    fn measures(&self, operation: &Operation) -> bool {
        self.operations.iter().any(|chosen| chosen.name == operation.name)
    }
}

impl SpeedArgs {
    fn settings(&self) -> anyhow::Result<Settings> {
        let (items, rounds, slice) = match (self.tiny, self.quick) {
            (true, _) => (2_000, 1, 0.1),
            (_, true) => (100_000, 3, 0.2),
            _ => (1_000_000, 3, 1.0),
        };
        Ok(Settings {
            items: self.items.unwrap_or(items),
            seed: self.seed,
            operations: if self.only.is_empty() { OPERATIONS.to_vec() } else { self.only.clone() },
            engines: self.engines.clone(),
            connections: self.connections.max(1),
            rounds: self.rounds.unwrap_or(rounds).max(1),
            slice: Duration::from_secs_f64(self.slice.unwrap_or(slice).clamp(0.1, 600.0)),
            log: self.log.clone(),
            cores: Cores::choose()?,
            growth: match (self.full, self.tiny || self.quick || !self.only.is_empty()) {
                (true, _) => vec![100_000, 1_000_000, 10_000_000],
                (false, true) => Vec::new(),
                (false, false) => vec![100_000, 1_000_000],
            },
        })
    }
}

pub(crate) fn run(args: SpeedArgs) -> anyhow::Result<()> {
    let settings = args.settings()?;
    std::fs::create_dir_all(&args.folder)?;
    let root = args.folder.canonicalize()?;
    let run = tempfile::Builder::new().prefix("run-").tempdir_in(&root)?;
    // PostgreSQL runs as another user, and must be able to get in.
    open_folder(run.path())?;
    let shape = Shape::new(settings.items, settings.seed);
    let mut seeded = Vec::new();
    for engine in &settings.engines {
        let started = Seeded::start(&root, run.path(), *engine, &shape, settings.cores, &["--log", &settings.log])?;
        seeded.push(started);
    }
    let databases = seeded.iter().map(|seeded| {
        let bytes_per_item = seeded.subject.database_bytes()? as f64 / shape.item_count() as f64;
        Ok(Database { engine: seeded.subject.name.to_owned(), bytes_per_item })
    });
    let databases = databases.collect::<anyhow::Result<_>>()?;
    let operations = rounds::run(&settings, run.path(), &mut seeded).context("while measuring")?;
    let whole = settings.operations.len() == OPERATIONS.len();
    let overload = overload::run(&settings, &seeded)?;
    let start = if whole { start::run(&settings, seeded)? } else { Vec::new() };
    let (machine, setup) = (describe::machine(&root)?, settings.setup(&shape));
    let mut report = Report { machine, setup, operations, databases, overload, growth: Vec::new(), start };
    let output = args.output.unwrap_or_else(|| root.join("latest.json"));
    // What was measured by now is not to be lost with the rest.
    std::fs::write(&output, report.to_json()?)?;
    report.growth = growth::run(&settings, &root, run.path())?;
    table::print(&report);
    std::fs::write(&output, report.to_json()?)?;
    println!("\nThe numbers are in {}.", output.display());
    Ok(())
}

fn open_folder(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?)
}
