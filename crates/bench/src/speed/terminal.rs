//! Prints the results to the terminal.

use super::measure::{Latency, Slice};
use super::report::Report;
use super::rounds::OperationResult;
use super::summary::Summary;
use super::thresholds;

pub(crate) fn print(report: &Report) {
    println!(
        "\n{:<40} {:<9} {:>9} {:>18} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "operation",
        "system",
        "per second",
        "of the limit",
        "cpu µs",
        "db µs",
        "bytes",
        "p50 ms",
        "p99 ms",
        "rejected",
        "driver"
    );
    for result in &report.operations {
        for (system, slices) in result.closed() {
            operation(result, system, slices);
        }
        for (system, values) in &result.baselines {
            let per_second = Summary::of(values.iter().copied()).unwrap_or_default().median;
            println!("{:<40} {system:<9} {per_second:>9.0}", result.title());
        }
        if let Some(groups) = Summary::of(result.groups.iter().copied()) {
            println!("{:<40} {:<9} {:>9.1} writes per commit", result.title(), "sqlite", groups.median);
        }
    }
    for size in &report.growth {
        let page = median(&size.page_random, |slice| slice.per_second);
        let cpu = median(&size.page_random, |slice| slice.server_cpu);
        println!(
            "{:<40} sqlite    {page:>9.0} pages/s, {cpu:.1} µs, {:.0} bytes per item, {} MiB resident, {} MiB anonymous",
            size.title(),
            size.bytes_per_item,
            size.max(|slice| slice.resident),
            size.max(|slice| slice.anonymous)
        );
    }
    for alerts in &report.alerts {
        println!(
            "{:<40} {:<9} {:>9.0} mails/s, first after {:.0} ms, {} → {} MiB resident",
            "alerts",
            alerts.system,
            alerts.mails_per_second,
            alerts.first_mail,
            alerts.resident_before / 1_024,
            alerts.resident_max / 1_024
        );
    }
    println!("\n{:<66} {:>10}   measured", "measure", "target");
    for threshold in thresholds::all(report) {
        let mark = threshold.is_met().map_or("  ", |is_met| if is_met { "✓ " } else { "✗ " });
        println!("{mark}{:<64} {:>10}   {}", threshold.name, threshold.bound(), threshold.measured());
    }
}

fn operation(result: &OperationResult, system: &str, slices: &[Slice]) {
    let open = result.open().find(|(name, _)| *name == system).map(|(_, slices)| slices);
    let latency = |field: fn(&Latency) -> f64| {
        let values = open.into_iter().flatten().map(|slice| field(&slice.latency));
        Summary::of(values).unwrap_or_default().median
    };
    let ratio = Summary::of_ratios(&result.per_second(system), &result.per_second("limit"));
    let ratio = ratio.filter(|_| system != "limit");
    let ratio =
        ratio.map_or(String::new(), |ratio| format!("{:.3} ({:.2} … {:.2})", ratio.median, ratio.min, ratio.max));
    println!(
        "{:<40} {system:<9} {:>9.0} {ratio:>18} {:>8.1} {:>8.1} {:>8.0} {:>8.2} {:>8.2} {:>8} {:>6.0}%",
        result.title(),
        median(slices, |slice| slice.per_second),
        median(slices, |slice| slice.server_cpu),
        median(slices, |slice| slice.database_cpu),
        median(slices, |slice| slice.bytes),
        latency(|latency| latency.p50),
        latency(|latency| latency.p99),
        slices.iter().map(|slice| slice.rejected).sum::<u64>(),
        100.0 * median(slices, |slice| slice.driver_busy),
    );
}

fn median(slices: &[Slice], field: impl Fn(&Slice) -> f64) -> f64 {
    Summary::of(slices.iter().map(field)).unwrap_or_default().median
}
