//! Generates docs/performance.md.

use std::fmt::Write;

use super::measure::{Latency, Slice};
use super::overload::OverloadSample;
use super::progress::thousands;
use super::report::Report;
use super::rounds::{OperationResult, SLICES_PER_ROUND};
use super::summary::Summary;
use super::thresholds;

pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> std::fmt::Result {
    let (machine, setup) = (&report.machine, &report.setup);
    writeln!(
        out,
        "# Performance

<!-- Generated: do not edit. See \"Reproduce\". -->

All results come from one run in which the systems were measured interleaved
([raw data](performance/latest.json)). Absolute numbers depend on the machine; the targets are mostly ratios.

## Targets

| Measure | Target | Measured | |
|---|---|---|---|"
    )?;
    for threshold in thresholds::all(report) {
        let mark = threshold.is_met().map_or("", |is_met| if is_met { "✓" } else { "✗" });
        writeln!(out, "| {} | {} | {} | {mark} |", threshold.name, threshold.bound(), threshold.measured())?;
    }
    writeln!(
        out,
        "
- **Limit**: the same HTTP stack over the same connections, with recorded responses from memory, without authentication
  and lookups.
- **Raw SQLite**: a loop that inserts the same rows with the group size and durability of the server.
- **pgbench**: the selects of a page, including the join of product fields, which the server mostly has in memory.

Values are medians of {} slices of {} s in {} interleaved rounds, with their range.

Pages of random lists are measured after a warm-up with the same load. The default caches then hold the pages of all page-sized
lists among one million items, and most of their compressed forms. For uncached pages see [Size](#size).

## Throughput

Closed loop with {} connections. The server, PostgreSQL and pgbench run on one core, the load driver on another.

![Requests per second](performance/throughput.svg)

| Operation | System | Requests/s | Of the limit | CPU, server | CPU, PostgreSQL | Response size |
|---|---|---:|---:|---:|---:|---:|",
        setup.rounds * SLICES_PER_ROUND, setup.slice_seconds, setup.rounds, setup.connections
    )?;
    for result in &report.operations {
        for (system, slices) in result.closed() {
            throughput(out, result, system, slices)?;
        }
        for (system, values) in &result.baselines {
            let per_second = Summary::of(values.iter().copied()).unwrap_or_default().median;
            writeln!(out, "| {} | {system} | {} | | | | |", result.title(), thousands(per_second as u64))?;
        }
    }
    writeln!(
        out,
        "
## Latency

Open loop at half of that throughput, in milliseconds. Latency is measured from the time a request was due, which avoids
coordinated omission. Medians of one slice per round.

![p99 latency](performance/latency.svg)

| Operation | System | Offered/s | p50 | p90 | p99 | p99.9 | Max |
|---|---|---:|---:|---:|---:|---:|---:|"
    )?;
    for result in &report.operations {
        for (system, slices) in result.open() {
            let offered = median(slices, |slice| slice.per_second);
            let at = |field: fn(&Latency) -> f64| {
                Summary::of(slices.iter().map(|slice| field(&slice.latency))).unwrap_or_default().median
            };
            writeln!(
                out,
                "| {} | {system} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                result.title(),
                thousands(offered as u64),
                at(|latency| latency.p50),
                at(|latency| latency.p90),
                at(|latency| latency.p99),
                at(|latency| latency.p999),
                at(|latency| latency.max)
            )?;
        }
    }
    growth(out, report)?;
    overload(out, report)?;
    alerts(out, report)?;
    writeln!(
        out,
        "
## Environment

| | |
|---|---|
| Date | {} |
| Processor | {}, {} cores |
| Memory | {:.0} GiB |
| Kernel | Linux {} |
| Disk | {}; fsync of 4 KiB: {:.0} µs |
| Versions | Wishbone {}; SQLite {}; {} |
| Database | {} items on {} lists of {} shoppers in 4 stores, {} variants in catalogues |
| Cores | server, PostgreSQL and pgbench on core {}, driver on core {} |
| PostgreSQL | {} connections; {} |
| Logs | `--log {}`, discarded |

## Reproduce

```
cargo run --release -p bench -- speed {}
cargo run --release -p bench -- report target/bench/latest.json
```

The first command seeds the databases, which are cached in `target/bench`, and measures; see `--help` for shorter runs. The second
command generates this page. PostgreSQL comes from Debian's packages (`apt-get install postgresql`) and runs in temporary clusters.
Nothing else should run on the machine.",
        machine.date, machine.processor, machine.cores, machine.memory_gib, machine.kernel, machine.disk,
        machine.fsync_micros, machine.wishbone, machine.sqlite, machine.postgres, thousands(setup.items),
        thousands(setup.lists), thousands(setup.shoppers), thousands(setup.variants), setup.server_core, setup.driver_core,
        setup.postgres_connections, setup.postgres_settings.join(", "), setup.log, setup.command
    )
}

fn median(slices: &[Slice], field: impl Fn(&Slice) -> f64) -> f64 {
    Summary::of(slices.iter().map(field)).unwrap_or_default().median
}

fn throughput(out: &mut String, result: &OperationResult, system: &str, slices: &[Slice]) -> std::fmt::Result {
    let ratio = Summary::of_ratios(&result.per_second(system), &result.per_second("limit"));
    let ratio = ratio.filter(|_| system != "limit").map_or(String::new(), |ratio| format!("{:.2}", ratio.median));
    let database = median(slices, |slice| slice.database_cpu);
    let database = if database > 0.0 { format!("{database:.0} µs") } else { String::new() };
    writeln!(
        out,
        "| {} | {system} | {} | {ratio} | {:.0} µs | {database} | {:.1} KB |",
        result.title(),
        thousands(median(slices, |slice| slice.per_second) as u64),
        median(slices, |slice| slice.server_cpu),
        median(slices, |slice| slice.bytes) / 1_000.0
    )
}

fn growth(out: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(out, "\n## Size\n")?;
    for database in &report.databases {
        writeln!(
            out,
            "- {}: {:.0} bytes per item, including indexes, lists, shoppers and catalogues.",
            database.engine, database.bytes_per_item
        )?;
    }
    if report.growth.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "
![Growth](performance/growth.svg)

Pages and adds were measured without the page cache (`--page-memory 0`), which could hold all pages of a small database. Memory is
the maximum over all operations with the default caches.

| SQLite | Bytes per item | Random pages/s | CPU | Adds/s | CPU | Max resident | Max anonymous |
|---|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for size in &report.growth {
        writeln!(
            out,
            "| {} | {:.0} | {} | {:.0} µs | {} | {:.0} µs | {} MiB | {} MiB |",
            size.title(),
            size.bytes_per_item,
            thousands(median(&size.page_random, |slice| slice.per_second) as u64),
            median(&size.page_random, |slice| slice.server_cpu),
            thousands(median(&size.add, |slice| slice.per_second) as u64),
            median(&size.add, |slice| slice.server_cpu),
            size.max(|slice| slice.resident),
            size.max(|slice| slice.anonymous)
        )?;
    }
    Ok(())
}

fn overload(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.overload.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "
## Overload

1,000 connections offer twice the throughput of the closed loop, at a fixed rate. A request is dropped by the driver if no connection
is idle. Medians of slices between which the peak is measured again, with the connections of the closed loop and with 1,000.

| Operation | System | Peak/s | Peak/s, 1,000 connections | Offered/s | Accepted/s | p50 | p99 | Rejected/s | 503 p50 | 503 p99 | Dropped/s |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for case in &report.overload {
        let median =
            |value: fn(&OverloadSample) -> f64| case.summary(|sample| Some(value(sample))).unwrap_or_default().median;
        let number = |value: fn(&OverloadSample) -> f64| thousands(median(value) as u64);
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {:.0} ms | {:.0} ms | {} | {:.0} ms | {:.0} ms | {} |",
            case.operation,
            case.system,
            number(|sample| sample.peak),
            number(|sample| sample.peak_many_connections),
            number(|sample| sample.offered),
            number(|sample| sample.flood.per_second),
            median(|sample| sample.flood.latency.p50),
            median(|sample| sample.flood.latency.p99),
            number(|sample| sample.flood.rejected as f64 / sample.flood.seconds),
            median(|sample| sample.flood.rejection_latency.p50),
            median(|sample| sample.flood.rejection_latency.p99),
            number(|sample| sample.flood.unsent as f64 / sample.flood.seconds)
        )?;
    }
    Ok(())
}

fn alerts(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.alerts.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "
## Product alerts

One restock makes an alert due for everybody who waits for the product. Mails go to an SMTP server on the driver's core, which
discards them. Pages are read in a closed loop, in slices with and without alerts being sent, in turn. While the server
answers requests, it sends alerts at a slower pace. Then the rest is
sent without other load; resident memory is that before, and the maximum until the last mail.

| System | Alerts | First mail | Mails/s | Resident before | Max resident | Operation | Reads/s without | Reads/s with | Ratio | Mails/s beside |
|---|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|"
    )?;
    for alerts in &report.alerts {
        for reads in &alerts.reads {
            let median = |values: &[f64]| Summary::of(values.iter().copied()).unwrap_or_default().median;
            writeln!(
                out,
                "| {} | {} | {:.0} ms | {} | {} MiB | {} MiB | {} | {} | {} | {:.2} | {} |",
                alerts.system,
                thousands(alerts.subscriptions),
                alerts.first_mail,
                thousands(alerts.mails_per_second as u64),
                alerts.resident_before / 1_024,
                alerts.resident_max / 1_024,
                reads.operation,
                thousands(median(&reads.without) as u64),
                thousands(median(&reads.with) as u64),
                reads.relative_throughput().unwrap_or_default().median,
                thousands(median(&reads.mails_per_second) as u64)
            )?;
        }
    }
    Ok(())
}
