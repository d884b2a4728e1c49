//! The result on a terminal.

use super::bars;
use super::measure::{Latency, Slice};
use super::report::Report;
use super::rounds::Measured;
use super::spread::Spread;

pub(crate) fn print(report: &Report) {
    println!(
        "\n{:<40} {:<9} {:>9} {:>18} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "operation",
        "subject",
        "a second",
        "of the limit",
        "cpu µs",
        "db µs",
        "bytes",
        "p50 ms",
        "p99 ms",
        "refused",
        "driver"
    );
    for measured in &report.operations {
        for (subject, slices) in measured.closed() {
            operation(measured, subject, slices);
        }
        for (subject, values) in &measured.bare {
            let per_second = Spread::of(values.iter().copied()).unwrap_or_default().median;
            println!("{:<40} {subject:<9} {per_second:>9.0}", measured.title);
        }
        if let Some(groups) = Spread::of(measured.groups.iter().copied()) {
            println!("{:<40} {:<9} {:>9.1} writes in a commit", measured.title, "sqlite", groups.median);
        }
    }
    for size in &report.growth {
        let page = median(&size.page_random, |slice| slice.per_second);
        let cpu = median(&size.page_random, |slice| slice.server_cpu);
        println!(
            "{:<40} sqlite    {page:>9.0} pages/s, {cpu:.1} µs, {:.0} bytes an item, {} MiB resident, {} MiB of them no file's",
            size.title(),
            size.bytes_per_item,
            size.most(|slice| slice.resident),
            size.most(|slice| slice.anonymous)
        );
    }
    println!("\n{:<66} {:>10}   measured", "what we hold ourselves to", "bar");
    for bar in bars::all(report) {
        let verdict = bar.holds().map_or("  ", |holds| if holds { "✓ " } else { "✗ " });
        println!("{verdict}{:<64} {:>10}   {}", bar.what, bar.bound(), bar.measured());
    }
}

fn operation(measured: &Measured, subject: &str, slices: &[Slice]) {
    let open = measured.open().find(|(name, _)| *name == subject).map(|(_, slices)| slices);
    let latency = |field: fn(&Latency) -> f64| {
        let values = open.into_iter().flatten().map(|slice| field(&slice.latency));
        Spread::of(values).unwrap_or_default().median
    };
    let ratio = Spread::of_ratios(&measured.per_second(subject), &measured.per_second("limit"));
    let ratio = ratio.filter(|_| subject != "limit");
    let ratio =
        ratio.map_or(String::new(), |ratio| format!("{:.3} ({:.2} … {:.2})", ratio.median, ratio.least, ratio.most));
    println!(
        "{:<40} {subject:<9} {:>9.0} {ratio:>18} {:>8.1} {:>8.1} {:>8.0} {:>8.2} {:>8.2} {:>8} {:>6.0}%",
        measured.title,
        median(slices, |slice| slice.per_second),
        median(slices, |slice| slice.server_cpu),
        median(slices, |slice| slice.database_cpu),
        median(slices, |slice| slice.bytes),
        latency(|latency| latency.p50),
        latency(|latency| latency.p99),
        slices.iter().map(|slice| slice.refused).sum::<u64>(),
        100.0 * median(slices, |slice| slice.driver_busy),
    );
}

fn median(slices: &[Slice], field: impl Fn(&Slice) -> f64) -> f64 {
    Spread::of(slices.iter().map(field)).unwrap_or_default().median
}
