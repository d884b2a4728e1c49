//! The documentation's page, made of the numbers.

use std::fmt::Write;

use super::bars;
use super::measure::{Latency, Slice};
use super::overload::Turn;
use super::progress::thousands;
use super::report::Report;
use super::rounds::{Measured, TURNS};
use super::spread::Spread;

pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a text does not fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> std::fmt::Result {
    let (machine, setup) = (&report.machine, &report.setup);
    writeln!(
        out,
        "# How fast it is

<!-- Generated: do not edit. See \"How to repeat it\". -->

Everything here was measured in one run, side by side, and generated from [its numbers](performance/latest.json). On another
machine the absolute numbers are others; the ratios are what we hold ourselves to.

## What we hold ourselves to

| Measure | Bar | Measured | |
|---|---|---|---|"
    )?;
    for bar in bars::all(report) {
        let holds = bar.holds().map_or("", |holds| if holds { "✓" } else { "✗" });
        writeln!(out, "| {} | {} | {} | {holds} |", bar.what, bar.bound(), bar.measured())?;
    }
    writeln!(
        out,
        "
*The limit* is the same HTTP stack over the same connections, answering with the same bytes from memory: no caller is checked and
nothing is looked up. *Raw SQLite* is a loop that inserts the same rows in commits as large as the server's, at the same durability.
*pgbench* runs the selects of the page, with the words of products joined, and nothing else; the server has most words in memory. Medians of {} turns of {} s each, in {} rounds in which the
subjects alternate, and their range.

Pages of any list are measured after a while of the same load. By then the server has in memory what it has room for by default: among a million
items the pages of all lists that fill one, and of most when they are asked for compressed, which takes more room. *Size*, below, tells what reading them from the database costs.

## Throughput

One core for the server (with PostgreSQL's processes, and pgbench in the server's place, on the same core), another for the load driver; {}
connections that each wait for their answer.

![Requests a second](performance/throughput.svg)

| Operation | Subject | Requests/s | Of the limit | CPU of the server | CPU of PostgreSQL | Answer |
|---|---|---:|---:|---:|---:|---:|",
        setup.rounds * TURNS, setup.slice_seconds, setup.rounds, setup.connections
    )?;
    for measured in &report.operations {
        for (subject, slices) in measured.closed() {
            throughput(out, measured, subject, slices)?;
        }
        for (subject, values) in &measured.bare {
            let per_second = Spread::of(values.iter().copied()).unwrap_or_default().median;
            writeln!(out, "| {} | {subject} | {} | | | | |", measured.title, thousands(per_second as u64))?;
        }
    }
    writeln!(
        out,
        "
## Latency

At half of that throughput, at a fixed rate: the time of a request counts from when it was due, so that a stall counts for everyone who
would have come in the meantime. Milliseconds; medians of one slice in each round.

![p99](performance/latency.svg)

| Operation | Subject | Offered/s | p50 | p90 | p99 | p99.9 | Longest |
|---|---|---:|---:|---:|---:|---:|---:|"
    )?;
    for measured in &report.operations {
        for (subject, slices) in measured.open() {
            let offered = median(slices, |slice| slice.per_second);
            let at = |field: fn(&Latency) -> f64| {
                Spread::of(slices.iter().map(|slice| field(&slice.latency))).unwrap_or_default().median
            };
            writeln!(
                out,
                "| {} | {subject} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
                measured.title,
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
    writeln!(
        out,
        "
## What it was measured on

| | |
|---|---|
| Date | {} |
| Processor | {}, {} cores |
| Memory | {:.0} GiB |
| Kernel | Linux {} |
| Disk | {}; a durable write of 4 KiB takes {:.0} µs |
| Versions | Wishbone {}; SQLite {}; {} |
| Database | {} items on {} lists of {} shoppers in 4 stores, {} variants in their catalogues |
| Cores | server, PostgreSQL and pgbench on core {}, driver on core {} |
| PostgreSQL | {} connections; {} |
| Logs | `--log {}`, to nowhere |

## How to repeat it

```
cargo run --release -p bench -- speed {}
cargo run --release -p bench -- report target/bench/latest.json
```

The first seeds the databases (once: they are kept under `target/bench`) and measures; `--help` tells of shorter runs. The second makes
this page. PostgreSQL comes from Debian's packages (`apt-get install postgresql`), in clusters of its own that are gone afterwards. Nothing
else should run on the machine.",
        machine.date, machine.processor, machine.cores, machine.memory_gib, machine.kernel, machine.disk,
        machine.fsync_micros, machine.wishbone, machine.sqlite, machine.postgres, thousands(setup.items),
        thousands(setup.lists), thousands(setup.shoppers), thousands(setup.variants), setup.server_core, setup.driver_core,
        setup.postgres_connections, setup.postgres_settings.join(", "), setup.log, setup.command
    )
}

fn median(slices: &[Slice], field: impl Fn(&Slice) -> f64) -> f64 {
    Spread::of(slices.iter().map(field)).unwrap_or_default().median
}

fn throughput(out: &mut String, measured: &Measured, subject: &str, slices: &[Slice]) -> std::fmt::Result {
    let ratio = Spread::of_ratios(&measured.per_second(subject), &measured.per_second("limit"));
    let ratio = ratio.filter(|_| subject != "limit").map_or(String::new(), |ratio| format!("{:.2}", ratio.median));
    let database = median(slices, |slice| slice.database_cpu);
    let database = if database > 0.0 { format!("{database:.0} µs") } else { String::new() };
    writeln!(
        out,
        "| {} | {subject} | {} | {ratio} | {:.0} µs | {database} | {:.1} KB |",
        measured.title,
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
            "- {}: {:.0} bytes an item with all its indexes, its list, its shopper and the catalogue.",
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

Pages and adds were measured with no pages kept (`--page-memory 0`): those of a small database all fit into memory, and what is
compared is the work for one. Memory is the most that was resident under any operation, with everything that is kept by default.

| SQLite | Bytes an item | Pages/s of any list | CPU | Adds/s | CPU | Resident, most | Of that, no file's |
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
            size.most(|slice| slice.resident),
            size.most(|slice| slice.anonymous)
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
## Twice as much as it can do

1,000 connections offer twice the throughput of the closed loop, at a fixed rate. Whoever finds all of them waiting goes away.
Medians of turns between which the peak is measured again: with the closed loop's connections, and with as many as the flood has, for
connections cost something also when nothing is refused.

| Operation | Subject | Peak/s | With 1,000 connections | Offered/s | Accepted/s | p50 | p99 | Refused/s | Until a 503: p50 | p99 | Found no connection/s |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for case in &report.overload {
        let median = |value: fn(&Turn) -> f64| case.spread(|turn| Some(value(turn))).unwrap_or_default().median;
        let number = |value: fn(&Turn) -> f64| thousands(median(value) as u64);
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {:.0} ms | {:.0} ms | {} | {:.0} ms | {:.0} ms | {} |",
            case.operation,
            case.subject,
            number(|turn| turn.peak),
            number(|turn| turn.crowded),
            number(|turn| turn.offered),
            number(|turn| turn.flood.per_second),
            median(|turn| turn.flood.latency.p50),
            median(|turn| turn.flood.latency.p99),
            number(|turn| turn.flood.refused as f64 / turn.flood.seconds),
            median(|turn| turn.flood.refusal_latency.p50),
            median(|turn| turn.flood.refusal_latency.p99),
            number(|turn| turn.flood.unsent as f64 / turn.flood.seconds)
        )?;
    }
    Ok(())
}
