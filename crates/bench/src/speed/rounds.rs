//! Rounds, in each of which every subject has its slice of every operation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::Settings;
use super::client::Client;
use super::driver::{Load, Pace, Source};
use super::limit::Sample;
use super::measure::{Slice, measure};
use super::operations::{Kind, Operation};
use super::progress::Progress;
use super::subject::{Seeded, Subject};

/// How many answers the limit has of each operation: as much as several pages of the real server's caches.
const SAMPLES: usize = 128;

/// An operation and what its rounds showed, by subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) operation: String,
    pub(crate) title: String,
    pub(crate) closed: BTreeMap<String, Vec<Slice>>,
    /// At half the throughput of the closed loop of the same round.
    pub(crate) open: BTreeMap<String, Vec<Slice>>,
}

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
    let mut out: Vec<Measured> = settings.operations.iter().map(Measured::new).collect();
    let total = settings.rounds * settings.operations.len() * (seeded.len() + 1);
    let mut progress = Progress::new("slices", total as u64);
    for round in 0..settings.rounds {
        for (operation, measured) in settings.operations.iter().zip(&mut out) {
            let mut subjects: Vec<(&Subject, &Seeded)> =
                seeded.iter().map(|seeded| (&seeded.subject, seeded)).collect();
            if operation.has_limit() {
                subjects.push((&limit, first));
            }
            // Nobody is always first.
            let count = subjects.len();
            subjects.rotate_left(round % count);
            for (subject, Seeded { targets, .. }) in subjects {
                let seed = settings.seed ^ (round as u64) << 32;
                let mut requests = operation.requests(targets, seed);
                let closed = slice(settings, subject, Pace::Closed, &mut requests)
                    .with_context(|| format!("{} on {}", operation.name, subject.name))?;
                let rate = (closed.per_second * OPEN_SHARE).max(1.0);
                let open = slice(settings, subject, Pace::Open(rate), &mut requests)
                    .with_context(|| format!("{} on {}", operation.name, subject.name))?;
                measured.closed.entry(subject.name.to_owned()).or_default().push(closed);
                measured.open.entry(subject.name.to_owned()).or_default().push(open);
                progress.add(1);
            }
        }
    }
    progress.finish();
    Ok(out)
}

impl Measured {
    fn new(operation: &Operation) -> Self {
        let (name, title) = (operation.name.to_owned(), operation.title.to_owned());
        Self { operation: name, title, closed: BTreeMap::new(), open: BTreeMap::new() }
    }

    /// Requests a second, round by round.
    pub(crate) fn per_second(&self, subject: &str) -> Vec<f64> {
        self.closed.get(subject).into_iter().flatten().map(|slice| slice.per_second).collect()
    }
}

fn slice(
    settings: &Settings,
    subject: &Subject,
    pace: Pace,
    source: &mut (dyn Source + Send),
) -> anyhow::Result<Slice> {
    let warm_up = (settings.slice / 5).min(Duration::from_secs(1));
    let duration = if pace == Pace::Closed { settings.slice } else { settings.slice / 2 };
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
