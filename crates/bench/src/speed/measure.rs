//! One slice: a load on a system, and its measurements.

use serde::{Deserialize, Serialize};

use super::driver::{self, Load, Outcome, Source};
use super::procfs::Cores;
use super::summary::Summary;
use super::system::System;

/// The measurements of a slice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Slice {
    pub(crate) seconds: f64,
    pub(crate) per_second: f64,
    /// CPU time per request of the server, the database and the driver, in microseconds.
    pub(crate) server_cpu: f64,
    pub(crate) database_cpu: f64,
    pub(crate) driver_cpu: f64,
    /// Utilization of the driver's core.
    pub(crate) driver_busy: f64,
    pub(crate) bytes: f64,
    pub(crate) latency: Latency,
    #[serde(rename = "refused")]
    pub(crate) rejected: u64,
    pub(crate) unsent: u64,
    #[serde(rename = "refusal_latency")]
    pub(crate) rejection_latency: Latency,
    /// Memory of the server in KiB: resident, and the anonymous part of it.
    pub(crate) resident: u64,
    pub(crate) anonymous: u64,
}

/// The median of a measurement.
pub(crate) fn median(slices: &[Slice], field: impl Fn(&Slice) -> f64) -> f64 {
    Summary::of(slices.iter().map(field)).unwrap_or_default().median
}

/// In milliseconds.
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

/// Runs the driver on a thread pinned to its core.
pub(crate) fn measure(system: &System, cores: Cores, load: Load, source: &mut dyn Source) -> anyhow::Result<Slice> {
    let (mut marks, mut memory) = (Vec::new(), None);
    let outcome = std::thread::scope(|scope| {
        let driving = scope.spawn(|| {
            cores.pin_driver()?;
            driver::run(system.address, load, source, &mut || {
                marks.push(system.cpu_nanos());
                memory = system.memory();
            })
        });
        driving.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the driver panicked")))
    })?;
    Ok(slice(&outcome, &marks, memory.unwrap_or_default()))
}

fn slice(outcome: &Outcome, marks: &[(u64, u64)], (resident, anonymous): (u64, u64)) -> Slice {
    let answered = (outcome.accepted + outcome.rejected).max(1) as f64;
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
        rejected: outcome.rejected,
        unsent: outcome.unsent,
        rejection_latency: Latency::of(&outcome.rejection_latency),
        resident,
        anonymous,
    }
}
