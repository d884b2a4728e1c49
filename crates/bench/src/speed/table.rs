//! The result on a terminal.

use super::rounds::Measured;
use super::spread::Spread;

pub(crate) fn print(measured: &[Measured]) {
    println!(
        "{:<42} {:<9} {:>9} {:>17} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "operation", "subject", "a second", "of limit", "cpu µs", "db µs", "bytes", "p50 ms", "p99 ms", "driver"
    );
    for operation in measured {
        let limit = operation.per_second("limit");
        for (subject, slices) in &operation.closed {
            let median = |field: fn(&super::measure::Slice) -> f64| {
                Spread::of(slices.iter().map(field)).map_or(0.0, |spread| spread.median)
            };
            let open = operation.open.get(subject);
            let latency = |field: fn(&super::measure::Latency) -> f64| {
                let values = open.into_iter().flatten().map(|slice| field(&slice.latency));
                Spread::of(values).map_or(0.0, |spread| spread.median)
            };
            let ratio = Spread::of_ratios(&operation.per_second(subject), &limit).filter(|_| subject != "limit");
            let ratio = ratio
                .map_or(String::new(), |ratio| format!("{:.3} ({:.2}…{:.2})", ratio.median, ratio.least, ratio.most));
            println!(
                "{:<42} {:<9} {:>9.0} {:>17} {:>9.1} {:>9.1} {:>9.0} {:>9.2} {:>9.2} {:>8.0}%",
                operation.title,
                subject,
                median(|slice| slice.per_second),
                ratio,
                median(|slice| slice.server_cpu),
                median(|slice| slice.database_cpu),
                median(|slice| slice.bytes),
                latency(|latency| latency.p50),
                latency(|latency| latency.p99),
                100.0 * median(|slice| slice.driver_busy),
            );
        }
    }
}
