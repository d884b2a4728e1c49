//! A run of the benchmark.

use std::path::Path;

use anyhow::Context;

use super::configuration::Configuration;
use super::dataset::Dataset;
use super::operations::OPERATIONS;
use super::report::{Database, Report, Setup};
use super::settings::{Settings, SpeedArgs};
use super::shop::shares;
use super::system::{self, SeededSystem, System};
use super::{alerts, growth, machine_info, overload, recording, rounds, startup, terminal, two_cores};

pub(crate) fn run(args: SpeedArgs) -> anyhow::Result<()> {
    let settings = args.settings()?;
    std::fs::create_dir_all(&args.folder)?;
    let root = args.folder.canonicalize()?;
    let run = tempfile::Builder::new().prefix("run-").tempdir_in(&root)?;
    // PostgreSQL runs as another user, who needs access.
    open_folder(run.path())?;
    let dataset = Dataset::new(settings.items, settings.seed);
    let mut seeded = Vec::new();
    for configuration in settings.engines.iter().copied().map(Configuration::of) {
        let (cores, log) = (settings.cores, &settings.log);
        seeded.push(SeededSystem::start(&root, run.path(), configuration, &dataset, cores, log)?);
    }
    rounds::find_deep_pages(&settings, &mut seeded)?;
    let databases = seeded.iter().map(|seeded| {
        let bytes_per_item = seeded.system.database_bytes()? as f64 / dataset.item_count() as f64;
        Ok(Database { engine: seeded.system.name.to_owned(), bytes_per_item })
    });
    let databases = databases.collect::<anyhow::Result<_>>()?;
    let first = seeded.first().context("no engine is selected")?;
    let samples = recording::record(&settings, run.path(), first).context("recording responses failed")?;
    let limit = System::limit(&samples, settings.cores)?;
    let operations =
        rounds::run(&settings, run.path(), &seeded, (&limit, &first.targets)).context("measurement failed")?;
    limit.stop()?;
    let two_cores = two_cores::run(&settings, &root, run.path(), &dataset, &samples)?;
    let is_complete = settings.operations.len() == OPERATIONS.len();
    let overload = overload::run(&settings, &seeded)?;
    let start = if is_complete { startup::run(&settings, seeded)? } else { Vec::new() };
    let (machine, setup) = (machine_info::collect(&root)?, setup(&settings, &dataset));
    let (growth, alerts) = (Vec::new(), Vec::new());
    let mut report = Report { machine, setup, operations, databases, two_cores, overload, growth, start, alerts };
    let output = args.output.unwrap_or_else(|| root.join("latest.json"));
    // Saves the results so far, in case a later step fails.
    std::fs::write(&output, report.to_json()?)?;
    report.alerts = alerts::run(&settings, &root, run.path())?;
    std::fs::write(&output, report.to_json()?)?;
    report.growth = growth::run(&settings, &root, run.path())?;
    terminal::print(&report);
    std::fs::write(&output, report.to_json()?)?;
    println!("\nResults: {}", output.display());
    Ok(())
}

fn open_folder(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?)
}

fn setup(settings: &Settings, dataset: &Dataset) -> Setup {
    Setup {
        command: std::env::args().skip(2).collect::<Vec<_>>().join(" "),
        items: dataset.item_count(),
        lists: dataset.list_count() as u64,
        shoppers: dataset.stores.iter().map(|store| store.shoppers.len() as u64).sum(),
        variants: dataset.stores.iter().map(|store| store.variants).sum(),
        connections: settings.connections,
        mix: shares::percentages(),
        rounds: settings.rounds,
        slice_seconds: settings.slice.as_secs_f64(),
        server_core: settings.cores.server,
        driver_core: settings.cores.driver,
        log: settings.log.clone(),
        postgres_settings: system::POSTGRES_SETTINGS.map(str::to_owned).to_vec(),
        postgres_connections: system::POSTGRES_CONNECTIONS,
    }
}
