//! What we hold ourselves to, each with what was measured.

use super::growth::Size;
use super::overload::Overload;
use super::report::Report;
use super::spread::Spread;

/// A requirement and what was measured of it.
#[derive(Debug)]
pub(crate) struct Bar {
    pub(crate) what: String,
    bound: Bound,
    unit: &'static str,
    /// `None` when this run did not measure it.
    measured: Option<Spread>,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bar {
    /// `None` when it was not measured.
    pub(crate) fn holds(&self) -> Option<bool> {
        let Spread { median, .. } = self.measured?;
        Some(match self.bound {
            Bound::AtLeast(least) => median >= least,
            Bound::AtMost(most) => median <= most,
        })
    }

    pub(crate) fn bound(&self) -> String {
        match self.bound {
            Bound::AtLeast(least) => format!("≥ {}", self.number(least)),
            Bound::AtMost(most) => format!("≤ {}", self.number(most)),
        }
    }

    /// The median of the rounds, and their range where there are several.
    pub(crate) fn measured(&self) -> String {
        match self.measured {
            None => "not measured".to_owned(),
            Some(Spread { median, least, most }) if least == most => self.number(median),
            Some(Spread { median, least, most }) => {
                format!("{} ({} … {})", self.number(median), self.number(least), self.number(most))
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
pub(crate) fn all(report: &Report) -> Vec<Bar> {
    use Bound::{AtLeast, AtMost};
    let bar = |what: &str, bound, unit, measured| Bar { what: what.to_owned(), bound, unit, measured };
    let ratio = |operation: &str, of: &str, to: &str| {
        let operation = report.operation(operation)?;
        Spread::of_ratios(&operation.per_second(of), &operation.per_second(to))
    };
    let page_cost = |subject: &str| {
        let of = |name| report.operation(name).map(|operation| operation.per_second(subject));
        Spread::of_ratios(&of("page-1")?, &of("page-200")?)
    };
    let mut bars = vec![
        bar("page of 50 of any list, SQLite, of the limit", AtLeast(0.5), "", ratio("page-random", "sqlite", "limit")),
        bar("lists read again and again, SQLite, of the limit", AtLeast(0.85), "", ratio("page-hot", "sqlite", "limit")),
        bar("the same with gzip, of the limit", AtLeast(0.85), "", ratio("page-hot-gzip", "sqlite", "limit")),
        bar("page 200 of 10,000 items, SQLite, times page 1", AtMost(1.2), "", page_cost("sqlite")),
        bar("page 200 of 10,000 items, PostgreSQL, times page 1", AtMost(1.2), "", page_cost("postgres")),
        bar("page of 50 among 10 million items, SQLite, times 100 thousand", AtMost(1.2), "", growth(&report.growth)),
        bar("durable adds, SQLite, of raw SQLite", AtLeast(0.5), "", ratio("add", "sqlite", "raw")),
        bar("page of 50 of any list, PostgreSQL, of pgbench", AtLeast(0.7), "", ratio("page-random", "postgres", "pgbench")),
        bar("resident memory with 10 million items, under load", AtMost(256.0), "MiB", memory(&report.growth, |slice| slice.resident)),
        bar("of that, not pages of files", AtMost(256.0), "MiB", memory(&report.growth, |slice| slice.anonymous)),
    ];
    for start in &report.start {
        bars.push(bar(&format!("start to first answer, {}", start.subject), AtMost(100.0), "ms", Some(start.millis)));
    }
    for overload in &report.overload {
        let Overload { operation, subject, .. } = overload;
        let case = format!("twice the load, {operation}, {subject}");
        let accepted = overload.spread(|turn| Some(turn.flood.latency.p99));
        let refused = overload.spread(|turn| (turn.flood.refused > 0).then_some(turn.flood.refusal_latency.p99));
        bars.push(bar(&format!("{case}: p99 of the accepted"), AtMost(1_000.0), "ms", accepted));
        bars.push(bar(&format!("{case}: p99 until a 503"), AtMost(1_000.0), "ms", refused));
        bars.push(bar(&format!("{case}: throughput of the peak"), AtLeast(0.9), "", overload.kept()));
    }
    bars
}

const FEW: u64 = 100_000;
const MANY: u64 = 10_000_000;

fn growth(sizes: &[Size]) -> Option<Spread> {
    let per_second = |items| -> Option<Vec<f64>> {
        let size = sizes.iter().find(|size| size.items == items)?;
        Some(size.page_random.iter().map(|slice| slice.per_second).collect())
    };
    Spread::of_ratios(&per_second(FEW)?, &per_second(MANY)?)
}

/// The most of any slice, in MiB.
fn memory(sizes: &[Size], kib: fn(&super::measure::Slice) -> u64) -> Option<Spread> {
    let size = sizes.iter().find(|size| size.items == MANY)?;
    (!size.every.is_empty()).then(|| Spread::of([size.most(kib) as f64]))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(bound: Bound, measured: Option<f64>) -> Bar {
        Bar { what: String::new(), bound, unit: "", measured: measured.and_then(|value| Spread::of([value])) }
    }

    #[test]
    fn a_bar_holds_on_its_own_side_and_says_nothing_unmeasured() {
        assert_eq!(bar(Bound::AtLeast(0.5), Some(0.5)).holds(), Some(true));
        assert_eq!(bar(Bound::AtLeast(0.5), Some(0.49)).holds(), Some(false));
        assert_eq!(bar(Bound::AtMost(1.2), Some(1.3)).holds(), Some(false));
        assert_eq!(bar(Bound::AtMost(1.2), None).holds(), None);
    }
}
