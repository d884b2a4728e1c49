//! Generates docs/performance.md.

use std::fmt::Write;

use super::configuration::{LIMIT, title};
use super::measure::{Latency, Slice, median};
use super::progress::thousands;
use super::report::Report;
use super::results::OperationResult;
use super::rounds::SLICES_PER_ROUND;
use super::summary::Summary;
use super::{sections, thresholds};

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

Pages of any list are measured after a warm-up with the same load.
",
        setup.rounds * SLICES_PER_ROUND,
        setup.slice_seconds,
        setup.rounds
    )?;
    mix(out, report)?;
    writeln!(
        out,
        "## Throughput

Closed loop with {} connections. The server, PostgreSQL and pgbench run on one core, the load driver on another.

![Requests per second](performance/throughput.svg)

| Operation | System | Requests/s | Of the limit | CPU, server | CPU, PostgreSQL | Response size |
|---|---|---:|---:|---:|---:|---:|",
        setup.connections
    )?;
    for result in &report.operations {
        for (system, slices) in result.closed() {
            throughput(out, result, system, slices)?;
        }
        for (system, values) in &result.baselines {
            let per_second = Summary::of(values.iter().copied()).unwrap_or_default().median;
            let system = title(system);
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
                "| {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                result.title(),
                title(system),
                thousands(offered as u64),
                at(|latency| latency.p50),
                at(|latency| latency.p90),
                at(|latency| latency.p99),
                at(|latency| latency.p999),
                at(|latency| latency.max)
            )?;
        }
    }
    sections::two_cores(out, report)?;
    sections::growth(out, report)?;
    sections::overload(out, report)?;
    sections::alerts(out, report)?;
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

fn throughput(out: &mut String, result: &OperationResult, system: &str, slices: &[Slice]) -> std::fmt::Result {
    let ratio = result.ratio(system, LIMIT).filter(|_| system != LIMIT);
    let ratio = ratio.map_or(String::new(), |ratio| format!("{:.2}", ratio.median));
    let database = median(slices, |slice| slice.database_cpu);
    let database = if database > 0.0 { format!("{database:.0} µs") } else { String::new() };
    writeln!(
        out,
        "| {} | {} | {} | {ratio} | {:.0} µs | {database} | {:.1} KB |",
        result.title(),
        title(system),
        thousands(median(slices, |slice| slice.per_second) as u64),
        median(slices, |slice| slice.server_cpu),
        median(slices, |slice| slice.bytes) / 1_000.0
    )
}

/// What the mix of a shop consists of.
fn mix(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.setup.mix.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "## The mix of a shop

Every listing page asks once which of its products have a heart, and shoppers see far more listing pages than lists. Few visitors
add an item, and fewer register or log in. Feeds bring what changed. After every add, removal and login, the same
connection reads the list; the run fails if the read is stale.

| Call | Share |
|---|---:|"
    )?;
    for (call, percent) in &report.setup.mix {
        writeln!(out, "| {call} | {percent:.1} % |")?;
    }
    writeln!(out)
}
