//! Product alerts: one restock that many shoppers wait for, and pages of lists that are read meanwhile.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use super::configuration::Configuration;
use super::dataset::Dataset;
use super::driver::LoadModel;
use super::measure::measure;
use super::operations::{OPERATIONS, Operation};
use super::progress::{Progress, thousands};
use super::rounds::SLICES_PER_ROUND;
use super::seed::subscriptions;
use super::settings::Settings;
use super::summary::Summary;
use super::system::{SeededSystem, System};
use super::targets::Targets;
use crate::alert_store::AlertStore;
use crate::processes::engine::Engine;
use crate::processes::smtp;
use crate::processes::smtp_sink::SmtpSink;

/// Without a mail for this long, sending has stopped.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Slices that measure the mails per second without other load.
const SENDING_SLICES: u32 = 3;

/// The results of one engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Alerts {
    pub(crate) system: String,
    pub(crate) subscriptions: u64,
    /// From the restock to the first mail, in milliseconds.
    pub(crate) first_mail: f64,
    /// Without other load.
    pub(crate) mails_per_second: f64,
    /// Resident memory of the server in KiB before most of the mails are sent, without other load, and the maximum until the
    /// last.
    pub(crate) resident_before: u64,
    pub(crate) resident_max: u64,
    pub(crate) reads: Vec<ReadsWhileSending>,
}

/// Reads per second of an operation, by slice, with and without alerts being sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReadsWhileSending {
    pub(crate) operation: String,
    pub(crate) without: Vec<f64>,
    pub(crate) with: Vec<f64>,
    /// Mails per second beside the reads.
    pub(crate) mails_per_second: Vec<f64>,
}

impl Alerts {
    pub(crate) fn relative_memory(&self) -> f64 {
        self.resident_max as f64 / self.resident_before.max(1) as f64
    }
}

impl ReadsWhileSending {
    fn new(operation: &Operation) -> Self {
        let operation = operation.name.to_owned();
        Self { operation, without: Vec::new(), with: Vec::new(), mails_per_second: Vec::new() }
    }

    pub(crate) fn relative_throughput(&self) -> Option<Summary> {
        Summary::of_ratios(&self.with, &self.without)
    }
}

pub(crate) fn run(settings: &Settings, root: &Path, run: &Path) -> anyhow::Result<Vec<Alerts>> {
    if settings.alerts == 0 {
        return Ok(Vec::new());
    }
    let folder = run.join("alerts");
    let dataset = Dataset::new(settings.items, settings.seed);
    let mut out = Vec::new();
    for engine in &settings.engines {
        out.push(run_engine(settings, root, &folder, *engine, &dataset)?);
    }
    fs::remove_dir_all(folder)?;
    Ok(out)
}

fn run_engine(
    settings: &Settings,
    root: &Path,
    folder: &Path,
    engine: Engine,
    dataset: &Dataset,
) -> anyhow::Result<Alerts> {
    let cores = settings.cores;
    let log = ["--log", &settings.log];
    let SeededSystem { system, targets } =
        SeededSystem::start(root, folder, Configuration::of(engine), dataset, cores, &settings.log)?;
    let store = AlertStore::create(system.location().context("no database")?, system.address, 1)?;
    store.subscribe(system.address, &["template@waiting.example".to_owned()])?;
    // Only the speed depends on the core.
    let pin = move || drop(cores.pin_driver());
    let sink = SmtpSink::start(pin)?;
    let arguments = smtp::arguments(sink.port);
    let arguments: Vec<&str> = log.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    eprintln!("  alerts: {} subscriptions on {} …", thousands(settings.alerts), system.name);
    let system = system.restarted_after(cores, &arguments, |location, cluster| {
        // The template is one of them.
        subscriptions::copy(location, cluster, settings.alerts - 1, settings.seed)
    })?;
    let measured: Vec<&Operation> = OPERATIONS.iter().filter(|operation| operation.name == "page-random").collect();
    for operation in &measured {
        read(settings, &system, &targets, operation, settings.warm_up(), 0)?;
    }

    let began = Instant::now();
    store.restock(system.address)?;
    wait_for(&sink, 1)?;
    let first_mail = began.elapsed().as_secs_f64() * 1_000.0;
    let mails_per_second = sending_rate(&sink, SENDING_SLICES * settings.slice);

    let mut reads: Vec<ReadsWhileSending> =
        measured.iter().map(|operation| ReadsWhileSending::new(operation)).collect();
    let slices = settings.rounds * SLICES_PER_ROUND;
    let mut progress = Progress::new("slices while alerts are sent", (slices * measured.len()) as u64);
    for slice in 1..=slices {
        for (operation, reads) in measured.iter().zip(&mut reads) {
            let (mut without, mut with, mut mails) = (0.0, 0.0, 0.0);
            // The order changes between slices: the second of a pair finds warmer caches.
            let order = if slice % 2 == 0 { [true, false] } else { [false, true] };
            for is_sending in order {
                sink.pause(!is_sending);
                let (from, began) = (sink.accepted(), Instant::now());
                let per_second = read(settings, &system, &targets, operation, settings.slice, slice)?;
                if is_sending {
                    with = per_second;
                    mails = (sink.accepted() - from) as f64 / began.elapsed().as_secs_f64();
                } else {
                    without = per_second;
                }
            }
            sink.pause(false);
            progress.add(1);
            // Otherwise the last alert was sent during the slice.
            if sink.accepted() < settings.alerts {
                reads.without.push(without);
                reads.with.push(with);
                reads.mails_per_second.push(mails);
            }
        }
    }
    progress.finish();
    let mut progress = Progress::new("alerts sent", settings.alerts);
    progress.add(sink.accepted());
    let resident_before = resident(&system);
    let mut resident_max = resident_before;
    while sink.accepted() < settings.alerts {
        let from = sink.accepted();
        wait_for(&sink, (from + settings.alerts / 100).min(settings.alerts))?;
        progress.add(sink.accepted() - from);
        resident_max = resident_max.max(resident(&system));
    }
    progress.finish();
    let name = system.name.to_owned();
    system.stop()?;
    Ok(Alerts {
        system: name,
        subscriptions: settings.alerts,
        first_mail,
        mails_per_second,
        resident_before,
        resident_max,
        reads,
    })
}

/// Reads pages in a closed loop; returns the reads per second.
fn read(
    settings: &Settings,
    system: &System,
    targets: &Targets,
    operation: &Operation,
    duration: Duration,
    slice: usize,
) -> anyhow::Result<f64> {
    let mut requests = operation.requests(targets, settings.seed ^ (slice as u64) << 32);
    let slice = measure(system, settings.cores, settings.load(LoadModel::Closed, duration), &mut *requests)?;
    Ok(slice.per_second)
}

fn resident(system: &System) -> u64 {
    system.memory().map_or(0, |(resident, _)| resident)
}

fn sending_rate(sink: &SmtpSink, duration: Duration) -> f64 {
    let (from, began) = (sink.accepted(), Instant::now());
    std::thread::sleep(duration);
    (sink.accepted() - from) as f64 / began.elapsed().as_secs_f64()
}

fn wait_for(sink: &SmtpSink, count: u64) -> anyhow::Result<()> {
    let (mut seen, mut seen_at) = (sink.accepted(), Instant::now());
    while seen < count {
        ensure!(seen_at.elapsed() < TIMEOUT, "no mail for {TIMEOUT:?} after the first {seen}");
        std::thread::sleep(Duration::from_millis(1));
        if sink.accepted() > seen {
            (seen, seen_at) = (sink.accepted(), Instant::now());
        }
    }
    Ok(())
}
