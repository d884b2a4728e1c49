//! Rounds, in each of which every subject has its turns with every operation. Turns are short, so that what slows the
//! machine down slows all subjects, and many, so that what does not is no more than a few of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::client::Client;
use super::driver::{Pace, Source};
use super::limit::Sample;
use super::measure::{Slice, measure};
use super::operations::{Kind, Operation};
use super::pgbench::Pgbench;
use super::progress::Progress;
use super::requests::Requests;
use super::spread::Spread;
use super::subject::{Seeded, Subject};
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
    /// At half the throughput of the closed loop of the same round, once a round.
    open: BTreeMap<String, Vec<Slice>>,
    /// What there is beside the servers, in operations a second, round by round: `pgbench`, `raw`.
    pub(crate) bare: BTreeMap<String, Vec<f64>>,
    /// How many writes shared a commit on SQLite.
    pub(crate) groups: Vec<f64>,
}

/// In each round, with the subjects alternating.
pub(super) const TURNS: usize = 4;

/// How much of the closed loop's throughput the open loop asks for, and for how long.
const OPEN_SHARE: f64 = 0.5;
const OPEN_SLICES: u32 = 3;

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
    let raw = raw_copy(settings, seeded, run)?;
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
            // With one more for the open loop.
            let seed = |turn: usize| settings.seed ^ ((round * (TURNS + 1) + turn) as u64) << 32;
            let failed = |subject: &Subject| format!("{} on {}", operation.name, subject.name);
            for (subject, Seeded { targets, .. }) in &subjects {
                if operation.kind == Kind::PageRandom && subject.sqlite_file().is_some() {
                    let load = settings.load(Pace::Closed, settings.long_warm_up());
                    measure(subject, settings.cores, load, &mut operation.requests(targets, seed(0)))?;
                }
            }
            // Nobody is always first.
            let count = subjects.len();
            subjects.rotate_left(round % count);
            for turn in 0..TURNS {
                for (subject, Seeded { targets, .. }) in &subjects {
                    let mut requests = operation.requests(targets, seed(turn));
                    measured.take_turn(settings, operation, subject, &mut requests).with_context(|| failed(subject))?;
                    if let (Some(raw), Some(group)) = (&raw, measured.group_to_compare(operation, subject)) {
                        let seconds = settings.slice.as_secs_f64();
                        let adds = raw::measure(raw, settings.cores, group, seconds, seed(turn))?;
                        measured.bare.entry("raw".to_owned()).or_default().push(adds);
                    }
                    if let (Some(pgbench), Some(cluster)) = (pgbench, &subject.cluster) {
                        let pages = pgbench.run(cluster, settings.cores, settings.slice.as_secs_f64())?;
                        measured.bare.entry("pgbench".to_owned()).or_default().push(pages);
                    }
                    progress.add(1);
                }
                subjects.rotate_left(1);
            }
            for (subject, Seeded { targets, .. }) in &subjects {
                let mut requests = operation.requests(targets, seed(TURNS));
                measured.take_open_turn(settings, subject, &mut requests).with_context(|| failed(subject))?;
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

    fn take_turn(
        &mut self,
        settings: &Settings,
        operation: &Operation,
        subject: &Subject,
        requests: &mut Requests<'_>,
    ) -> anyhow::Result<()> {
        let groups = Groups::now(subject)?;
        let slice = measure(subject, settings.cores, settings.load(Pace::Closed, settings.slice), requests)?;
        let size = Groups::now(subject)?.mean_since(&groups);
        self.groups.extend(size.filter(|_| operation.kind == Kind::Add));
        self.closed.entry(subject.name.to_owned()).or_default().push(slice);
        Ok(())
    }

    /// How many adds shared a commit in the turn that was just taken.
    fn group_to_compare(&self, operation: &Operation, subject: &Subject) -> Option<usize> {
        let is_compared = operation.kind == Kind::Add && subject.sqlite_file().is_some();
        self.groups.last().filter(|_| is_compared).map(|size| (size.round() as usize).max(1))
    }

    /// At the end of a round. Long latencies are rare: it is a longer one.
    fn take_open_turn(
        &mut self,
        settings: &Settings,
        subject: &Subject,
        requests: &mut Requests<'_>,
    ) -> anyhow::Result<()> {
        let closed = self.per_second(subject.name);
        let round = Spread::of(closed[closed.len().saturating_sub(TURNS)..].iter().copied()).unwrap_or_default();
        let pace = Pace::Open((round.median * OPEN_SHARE).max(1.0));
        let slice = measure(subject, settings.cores, settings.load(pace, OPEN_SLICES * settings.slice), requests)?;
        self.open.entry(subject.name.to_owned()).or_default().push(slice);
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

/// For adds on SQLite, if they are measured.
fn raw_copy(settings: &Settings, seeded: &[Seeded], run: &Path) -> anyhow::Result<Option<PathBuf>> {
    let is_measured = settings.operations.iter().any(|operation| operation.kind == Kind::Add);
    let file = seeded.iter().find_map(|seeded| seeded.subject.sqlite_file()).filter(|_| is_measured);
    file.map(|file| raw::copy(&file, run)).transpose()
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
            // What is kept is compressed better than what is asked for once.
            client.send(&request)?;
            client.send(&request)?;
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
        Ok(Self {
            writes: value("wishbone_database_group_size_sum "),
            commits: value("wishbone_database_group_size_count "),
        })
    }

    fn mean_since(&self, before: &Self) -> Option<f64> {
        let commits = self.commits - before.commits;
        (commits > 0.0).then(|| (self.writes - before.writes) / commits)
    }
}
