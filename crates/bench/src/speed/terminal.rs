//! Prints the results to the terminal.

use super::configuration::{LIMIT, SQLITE, title};
use super::measure::{Latency, Slice, median};
use super::report::Report;
use super::results::OperationResult;
use super::summary::Summary;
use super::thresholds;

pub(crate) fn print(report: &Report) {
    println!(
        "\n{:<32} {:<23} {:>9} {:>18} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "operation",
        "system",
        "per second",
        "of the limit",
        "by cpu",
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
            println!("{:<32} {:<23} {per_second:>9.0}", result.title(), title(system));
        }
        if let Some(groups) = Summary::of(result.groups.iter().copied()) {
            println!("{:<32} {:<23} {:>9.1} writes per commit", result.title(), title(SQLITE.name), groups.median);
        }
    }
    for size in &report.growth {
        let page = median(&size.page_random, |slice| slice.per_second);
        let cpu = median(&size.page_random, |slice| slice.server_cpu);
        println!(
            "{:<32} {:<23} {page:>9.0} pages/s, {cpu:.1} µs, {:.0} bytes per item, {} MiB resident, {} MiB anonymous",
            size.title(),
            title(SQLITE.name),
            size.bytes_per_item,
            size.max(|slice| slice.resident),
            size.max(|slice| slice.anonymous)
        );
    }
    for alerts in &report.alerts {
        println!(
            "{:<32} {:<23} {:>9.0} mails/s, first after {:.0} ms, {} → {} MiB resident",
            "alerts",
            title(&alerts.system),
            alerts.mails_per_second,
            alerts.first_mail,
            alerts.resident_before / 1_024,
            alerts.resident_max / 1_024
        );
    }
    two_cores(report);
    println!("\n{:<86} {:>9}   measured", "measure", "target");
    for threshold in thresholds::all(report) {
        let mark = threshold.is_met().map_or("  ", |is_met| if is_met { "✓ " } else { "✗ " });
        println!("{mark}{:<84} {:>9}   {}", threshold.name, threshold.bound(), threshold.measured());
    }
}

fn operation(result: &OperationResult, system: &str, slices: &[Slice]) {
    let open = result.open().find(|(name, _)| *name == system).map(|(_, slices)| slices);
    // Short runs have none.
    let latency = |field: fn(&Latency) -> f64| {
        let summary = open.and_then(|slices| Summary::of(slices.iter().map(|slice| field(&slice.latency))));
        summary.map_or(String::new(), |summary| format!("{:.2}", summary.median))
    };
    let ratio = result.ratio(system, LIMIT).filter(|_| system != LIMIT);
    let ratio =
        ratio.map_or(String::new(), |ratio| format!("{:.3} ({:.2} … {:.2})", ratio.median, ratio.min, ratio.max));
    // On a busy machine, CPU time is more reliable than throughput.
    let by_cpu = result.cpu(LIMIT).zip(result.cpu(system)).filter(|_| system != LIMIT);
    let by_cpu = by_cpu.map_or(String::new(), |(limit, system)| format!("{:.3}", limit.median / system.median));
    println!(
        "{:<32} {:<23} {:>9.0} {ratio:>18} {by_cpu:>6} {:>8.1} {:>8.1} {:>8.0} {:>8} {:>8} {:>8} {:>6.0}%",
        result.title(),
        title(system),
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

fn two_cores(report: &Report) {
    if report.two_cores.is_empty() {
        return;
    }
    println!(
        "\n{:<32} {:<23} {:>9} {:>9} {:>6} {:>8} {:>8}",
        "server cores", "system", "one", "two", "gain", "cpu µs", "cpu µs"
    );
    for result in &report.two_cores {
        let gain = Summary::of(result.gain()).unwrap_or_default().median;
        println!(
            "{:<32} {:<23} {:>9.0} {:>9.0} {gain:>6.2} {:>8.1} {:>8.1}",
            result.operation,
            title(&result.system),
            median(&result.one, |slice| slice.per_second),
            median(&result.two, |slice| slice.per_second),
            median(&result.one, |slice| slice.server_cpu),
            median(&result.two, |slice| slice.server_cpu)
        );
    }
}
