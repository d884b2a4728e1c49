//! Performance targets and their measured values.

use super::configuration::{LIMIT, POSTGRES, SQLITE};
use super::growth::Size;
use super::overload::Overload;
use super::progress::thousands;
use super::report::Report;
use super::summary::Summary;
use super::two_cores::{self, TwoCores};

/// A performance target and its measured value.
#[derive(Debug)]
pub(crate) struct Threshold {
    pub(crate) name: String,
    bound: Bound,
    unit: &'static str,
    /// `None` if this run did not measure it.
    measured: Option<Summary>,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Threshold {
    /// `None` if it was not measured.
    pub(crate) fn is_met(&self) -> Option<bool> {
        let Summary { median, .. } = self.measured?;
        Some(match self.bound {
            Bound::AtLeast(min) => median >= min,
            Bound::AtMost(max) => median <= max,
        })
    }

    pub(crate) fn bound(&self) -> String {
        match self.bound {
            Bound::AtLeast(min) => format!("≥ {}", self.number(min)),
            Bound::AtMost(max) => format!("≤ {}", self.number(max)),
        }
    }

    /// The median and the range of the measurements.
    pub(crate) fn measured(&self) -> String {
        match self.measured {
            None => "not measured".to_owned(),
            Some(Summary { median, min, max }) if min == max => self.number(median),
            Some(Summary { median, min, max }) => {
                format!("{} ({} … {})", self.number(median), self.number(min), self.number(max))
            }
        }
    }

    fn number(&self, value: f64) -> String {
        match self.unit {
            "" => format!("{value:.2}"),
            unit => format!("{value:.0} {unit}"),
        }
    }
}

#[rustfmt::skip]
pub(crate) fn all(report: &Report) -> Vec<Threshold> {
    use Bound::{AtLeast, AtMost};
    let target = |name: &str, bound, unit, measured| Threshold { name: name.to_owned(), bound, unit, measured };
    let of_limit = |operation: &str, system| report.operation(operation)?.ratio(system, LIMIT);
    let page_cost = |system: &str| {
        let of = |name| report.operation(name).map(|operation| operation.per_second(system));
        Summary::of_ratios(&of("page-1")?, &of("page-200")?)
    };
    let two_cores = |operation, measure| two_cores::of_limit(&report.two_cores, operation, measure);
    let sqlite = SQLITE.name;
    let adds = report.operation("add").and_then(|add| add.ratio(sqlite, "raw"));
    let postgres_page = report.operation("page-random").and_then(|page| page.cpu(POSTGRES.name));
    let mut targets = vec![
        target("page of 50 of any list, SQLite, relative to the limit", AtLeast(0.35), "", of_limit("page-random", sqlite)),
        target("fetch-lists, SQLite, relative to the limit", AtLeast(0.25), "", of_limit("fetch-lists", sqlite)),
        target("list with contents, SQLite, relative to the limit", AtLeast(0.35), "", of_limit("contents", sqlite)),
        target("contains, SQLite, relative to the limit", AtLeast(0.3), "", of_limit("contains", sqlite)),
        target("mix of a shop, SQLite, relative to the limit", AtLeast(0.2), "", of_limit("shop-mix", sqlite)),
        target("page of 50 of any list, PostgreSQL, CPU of server and database", AtMost(300.0), "µs", postgres_page),
        target("durable adds, SQLite, relative to raw SQLite", AtLeast(0.75), "", adds),
        target("page 200 of 10,000 items, SQLite, cost relative to page 1", AtMost(1.25), "", page_cost(sqlite)),
        target("page 200 of 10,000 items, PostgreSQL, cost relative to page 1", AtMost(1.25), "", page_cost(POSTGRES.name)),
        target("page of 50, SQLite, cost with 10 million items relative to 100,000", AtMost(1.25), "", growth(&report.growth)),
        target("two server cores against one, page of 50, of what the limit gains", AtLeast(0.9), "", two_cores("page-random", TwoCores::gain)),
        target("two server cores against one, mix of a shop, of what the limit gains", AtLeast(0.9), "", two_cores("shop-mix", TwoCores::gain)),
        target("CPU per page on two server cores against one, relative to the limit", AtMost(1.1), "", two_cores("page-random", TwoCores::cost)),
        target("CPU per request of the mix on two server cores against one, relative to the limit", AtMost(1.1), "", two_cores("shop-mix", TwoCores::cost)),
        target("resident memory under load, 10 million items", AtMost(192.0), "MiB", memory(&report.growth, |slice| slice.resident)),
    ];
    for start in &report.start {
        targets.push(target(&format!("start to first response, {}", start.system), AtMost(100.0), "ms", Some(start.millis)));
    }
    for overload in &report.overload {
        let Overload { operation, system, .. } = overload;
        let case = format!("overload ×2, {operation}, {system}");
        let accepted = overload.summary(|sample| Some(sample.flood.latency.p99));
        let rejected = overload.summary(|sample| (sample.flood.rejected > 0).then_some(sample.flood.rejection_latency.p99));
        targets.push(target(&format!("{case}: p99 of accepted requests"), AtMost(1_000.0), "ms", accepted));
        targets.push(target(&format!("{case}: p99 of rejections (503)"), AtMost(1_000.0), "ms", rejected));
        targets.push(target(&format!("{case}: throughput relative to the peak"), AtLeast(0.9), "", overload.relative_throughput()));
    }
    for alerts in &report.alerts {
        let case = format!("alerts to {}, {}", thousands(alerts.subscriptions), alerts.system);
        targets.push(target(&format!("{case}: restock to first mail"), AtMost(1_000.0), "ms", Summary::of([alerts.first_mail])));
        targets.push(target(&format!("{case}: resident memory relative to before"), AtMost(1.1), "", Summary::of([alerts.relative_memory()])));
        for reads in &alerts.reads {
            let name = format!("{case}: {} while sending, relative to without", reads.operation);
            targets.push(target(&name, AtLeast(0.9), "", reads.relative_throughput()));
        }
    }
    targets
}

const SMALL: u64 = 100_000;
const LARGE: u64 = 10_000_000;

fn growth(sizes: &[Size]) -> Option<Summary> {
    let per_second = |items| -> Option<Vec<f64>> {
        let size = sizes.iter().find(|size| size.items == items)?;
        Some(size.page_random.iter().map(|slice| slice.per_second).collect())
    };
    Summary::of_ratios(&per_second(SMALL)?, &per_second(LARGE)?)
}

/// The maximum over all operations, in MiB.
fn memory(sizes: &[Size], kib: fn(&super::measure::Slice) -> u64) -> Option<Summary> {
    let size = sizes.iter().find(|size| size.items == LARGE)?;
    (!size.per_operation.is_empty()).then(|| Summary::of([size.max(kib) as f64]))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(bound: Bound, measured: Option<f64>) -> Threshold {
        Threshold { name: String::new(), bound, unit: "", measured: measured.and_then(|value| Summary::of([value])) }
    }

    #[test]
    fn a_threshold_is_inclusive_and_unknown_without_a_measurement() {
        assert_eq!(threshold(Bound::AtLeast(0.5), Some(0.5)).is_met(), Some(true));
        assert_eq!(threshold(Bound::AtLeast(0.5), Some(0.49)).is_met(), Some(false));
        assert_eq!(threshold(Bound::AtMost(1.2), Some(1.3)).is_met(), Some(false));
        assert_eq!(threshold(Bound::AtMost(1.2), None).is_met(), None);
    }
}
