//! Rounds, in each of which every subject has its turns with every operation. Turns are short, so that what slows the
//! machine down slows all subjects, and many, so that what does not is no more than a few of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::client::Client;
use super::driver::{Load, Pace, Source};
use super::limit::Sample;
use super::measure::{Slice, measure};
use super::operations::{Kind, Operation};
use super::pgbench::Pgbench;
use super::progress::Progress;
use super::subject::{Seeded, Subject};
use super::targets::Targets;
use super::{Settings, raw};

const SUBJECTS: [&str; 3] = ["limit", "sqlite", "postgres"];

/// How many answers the limit has of each operation: as much as several pages of the real server's caches.
const SAMPLES: usize = 128;

/// An operation and what its rounds showed, by subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) operation: String,
    pub(crate) title: String,
    closed: BTreeMap<String, Vec<Slice>>,
    /// At half the throughput of the closed loop of the same round.
    open: BTreeMap<String, Vec<Slice>>,
    /// What there is beside the servers, in operations a second, round by round: `pgbench`, `raw`.
    pub(crate) bare: BTreeMap<String, Vec<f64>>,
    /// How many writes shared a commit on SQLite.
    pub(crate) groups: Vec<f64>,
}

/// In each round, with the subjects alternating.
pub(super) const TURNS: usize = 4;

/// How much of the closed loop's throughput the open loop asks for.
const OPEN_SHARE: f64 = 0.5;

pub(crate) fn run(settings: &Settings, run: &Path, seeded: &mut [Seeded]) -> anyhow::Result<Vec<Measured>> {
    if settings.operations.iter().any(|operation| matches!(operation.kind, Kind::PageFirst | Kind::PageDeep)) {
        for Seeded { subject, targets } in seeded.iter_mut() {
            targets.find_deep_pages(&mut Client::connect(subject.address)?, settings.items)?;
        }
    }
    let first = seeded.first().context("an engine is measured")?;
    let limit = limit(settings, run, first)?;
    let pgbench = settings
        .operations
        .iter()
        .map(|operation| pgbench(seeded, operation, run))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut out: Vec<Measured> = settings.operations.iter().map(Measured::new).collect();
    let total = settings.rounds * settings.operations.len() * (seeded.len() + 1) * TURNS;
    let mut progress = Progress::new("slices", total as u64);
    for round in 0..settings.rounds {
        for ((operation, measured), pgbench) in settings.operations.iter().zip(&mut out).zip(&pgbench) {
            let mut subjects: Vec<(&Subject, &Seeded)> =
                seeded.iter().map(|seeded| (&seeded.subject, seeded)).collect();
            if operation.has_limit() {
                subjects.push((&limit, first));
            }
            for turn in 0..TURNS {
                // Nobody is always first.
                subjects.rotate_left(1);
                for (subject, seeded) in &subjects {
                    let seed = settings.seed ^ ((round * TURNS + turn) as u64) << 32;
                    measured
                        .take_turn(settings, operation, (subject, &seeded.targets), seed, turn == 0)
                        .with_context(|| format!("{} on {}", operation.name, subject.name))?;
                    if let (Some(pgbench), Some(cluster)) = (pgbench, &subject.cluster) {
                        let pages = pgbench.run(cluster, settings.cores, settings.slice.as_secs_f64())?;
                        measured.bare.entry("pgbench".to_owned()).or_default().push(pages);
                    }
                    progress.add(1);
                }
            }
        }
    }
    progress.finish();
    Ok(out)
}

impl Measured {
    fn new(operation: &Operation) -> Self {
        let (name, title) = (operation.name.to_owned(), operation.title.to_owned());
        Self {
            operation: name,
            title,
            closed: BTreeMap::new(),
            open: BTreeMap::new(),
            bare: BTreeMap::new(),
            groups: Vec::new(),
        }
    }

    /// The first turn of a round may need to warm up for longer, and has the open loop.
    fn take_turn(
        &mut self,
        settings: &Settings,
        operation: &Operation,
        (subject, targets): (&Subject, &Targets),
        seed: u64,
        is_first: bool,
    ) -> anyhow::Result<()> {
        let mut requests = operation.requests(targets, seed);
        let groups = Groups::now(subject)?;
        let must_fill = is_first && operation.kind == Kind::PageRandom && subject.sqlite_file().is_some();
        let warm_up = if must_fill { settings.long_warm_up() } else { settings.warm_up() };
        let closed = slice(settings, subject, warm_up, Pace::Closed, &mut requests)?;
        if let Some(size) = Groups::now(subject)?.mean_since(&groups).filter(|_| operation.kind == Kind::Add) {
            self.groups.push(size);
            let file = subject.sqlite_file().context("only SQLite groups commits")?;
            let group = (size.round() as usize).max(1);
            let raw = raw::measure(&file, settings.cores, group, settings.slice.as_secs_f64(), seed)?;
            self.bare.entry("raw".to_owned()).or_default().push(raw);
        }
        if is_first {
            let rate = (closed.per_second * OPEN_SHARE).max(1.0);
            let open = slice(settings, subject, settings.warm_up(), Pace::Open(rate), &mut requests)?;
            self.open.entry(subject.name.to_owned()).or_default().push(open);
        }
        self.closed.entry(subject.name.to_owned()).or_default().push(closed);
        Ok(())
    }

    /// The servers that were measured, with their slices, in the order in which they are shown.
    pub(crate) fn closed(&self) -> impl Iterator<Item = (&'static str, &[Slice])> {
        SUBJECTS.into_iter().filter_map(|name| Some((name, self.closed.get(name)?.as_slice())))
    }

    pub(crate) fn open(&self) -> impl Iterator<Item = (&'static str, &[Slice])> {
        SUBJECTS.into_iter().filter_map(|name| Some((name, self.open.get(name)?.as_slice())))
    }

    /// Requests a second, round by round.
    pub(crate) fn per_second(&self, subject: &str) -> Vec<f64> {
        if let Some(bare) = self.bare.get(subject) {
            return bare.clone();
        }
        self.closed.get(subject).into_iter().flatten().map(|slice| slice.per_second).collect()
    }
}

fn slice(
    settings: &Settings,
    subject: &Subject,
    warm_up: Duration,
    pace: Pace,
    source: &mut (dyn Source + Send),
) -> anyhow::Result<Slice> {
    // Long latencies are rare.
    let duration = if pace == Pace::Closed { settings.slice } else { 2 * settings.slice };
    measure(subject, settings.cores, Load { connections: settings.connections, warm_up, duration, pace }, source)
}

/// The limit, with answers of a real server.
fn limit(settings: &Settings, run: &Path, seeded: &Seeded) -> anyhow::Result<Subject> {
    let mut samples = Vec::new();
    let mut client = Client::connect(seeded.subject.address)?;
    for operation in settings.operations.iter().filter(|operation| operation.has_limit()) {
        let mut requests = operation.requests(&seeded.targets, settings.seed);
        // A mix has several paths.
        for _ in 0..if operation.kind == Kind::Mix { 4 * SAMPLES } else { SAMPLES } {
            let mut request = Vec::new();
            requests.write_next(&mut request);
            let (answer, head) = client.send(&request)?;
            anyhow::ensure!(head.status == 200, "{}", String::from_utf8_lossy(&answer));
            samples.push(Sample::new(&request, &answer, &head)?);
        }
    }
    let file = run.join("samples.json");
    fs::write(&file, serde_json::to_vec(&samples)?)?;
    Subject::limit(&file, settings.cores)
}

fn pgbench(seeded: &[Seeded], operation: &Operation, run: &Path) -> anyhow::Result<Option<Pgbench>> {
    match seeded.iter().find(|seeded| seeded.subject.cluster.is_some()) {
        Some(seeded) if !operation.gzip => Pgbench::prepare(seeded, operation.kind, run),
        _ => Ok(None),
    }
}

/// How many commits SQLite's writer has made, and of how many writes.
#[derive(Default)]
struct Groups {
    writes: f64,
    commits: f64,
}

impl Groups {
    fn now(subject: &Subject) -> anyhow::Result<Self> {
        if subject.sqlite_file().is_none() {
            return Ok(Self::default());
        }
        let request = b"GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
        let (answer, _) = Client::connect(subject.address)?.send(request)?;
        let text = String::from_utf8_lossy(&answer);
        let value =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or(0.0);
        Ok(Self { writes: value("wishbone_store_group_size_sum "), commits: value("wishbone_store_group_size_count ") })
    }

    fn mean_since(&self, before: &Self) -> Option<f64> {
        let commits = self.commits - before.commits;
        (commits > 0.0).then(|| (self.writes - before.writes) / commits)
    }
}
