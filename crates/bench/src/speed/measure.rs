//! One slice: a load on a subject, and what it cost.

use serde::{Deserialize, Serialize};

use super::driver::{self, Load, Outcome, Source};
use super::machine::{self, Cores};
use super::subject::Subject;

/// What a slice showed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Slice {
    pub(crate) seconds: f64,
    pub(crate) per_second: f64,
    /// Microseconds a request of the server's processor time, of the database's and of the driver's own.
    pub(crate) server_cpu: f64,
    pub(crate) database_cpu: f64,
    pub(crate) driver_cpu: f64,
    /// The part of the time in which the driver was at work.
    pub(crate) driver_busy: f64,
    pub(crate) bytes: f64,
    pub(crate) latency: Latency,
    pub(crate) refused: u64,
    pub(crate) unsent: u64,
    pub(crate) refusal_latency: Latency,
    /// KiB of the server under this load: what is resident, and of that what is no file's.
    pub(crate) resident: u64,
    pub(crate) anonymous: u64,
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

impl Latency {
    fn of(histogram: &hdrhistogram::Histogram<u64>) -> Self {
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1_000.0;
        Self { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: histogram.max() as f64 / 1_000.0 }
    }
}

/// The driver has a thread of its own, on its core.
pub(crate) fn measure(
    subject: &Subject,
    cores: Cores,
    load: Load,
    source: &mut (dyn Source + Send),
) -> anyhow::Result<Slice> {
    let (mut marks, mut memory) = (Vec::new(), None);
    let outcome = std::thread::scope(|scope| {
        let driving = scope.spawn(|| {
            machine::pin_thread(cores.driver)?;
            driver::run(subject.address, load, source, &mut || {
                marks.push(subject.cpu_nanos());
                memory = subject.memory();
            })
        });
        driving.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the driver panicked")))
    })?;
    Ok(slice(&outcome, &marks, memory.unwrap_or_default()))
}

fn slice(outcome: &Outcome, marks: &[(u64, u64)], (resident, anonymous): (u64, u64)) -> Slice {
    let answered = (outcome.accepted + outcome.refused).max(1) as f64;
    let micros = |nanos: u64| nanos as f64 / 1_000.0 / answered;
    let (server, database) = match marks {
        [from, to] => (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1)),
        _ => (0, 0),
    };
    Slice {
        seconds: outcome.seconds,
        per_second: outcome.per_second(),
        server_cpu: micros(server),
        database_cpu: micros(database),
        driver_cpu: micros(outcome.driver_nanos),
        driver_busy: outcome.driver_nanos as f64 / 1e9 / outcome.seconds,
        bytes: outcome.bytes as f64 / answered,
        latency: Latency::of(&outcome.latency),
        refused: outcome.refused,
        unsent: outcome.unsent,
        refusal_latency: Latency::of(&outcome.refusal_latency),
        resident,
        anonymous,
    }
}
