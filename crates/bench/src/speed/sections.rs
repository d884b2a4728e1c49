//! Sections of docs/performance.md on measurements other than throughput and latency.

use std::fmt::Write;

use super::configuration::title;
use super::measure::{Slice, median};
use super::operations::OPERATIONS;
use super::overload::OverloadSample;
use super::progress::thousands;
use super::report::Report;
use super::summary::Summary;

pub(crate) fn two_cores(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.two_cores.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "
## Two cores

The server on one core with the driver on the other, and the server on both cores, which it shares with the driver. The driver's
work limits what a cheap request can gain; CPU time per request shows contention.

| Operation | System | Requests/s, one core | Two cores | Gain | CPU, one core | CPU, two cores |
|---|---|---:|---:|---:|---:|---:|"
    )?;
    for result in &report.two_cores {
        let operation = OPERATIONS.iter().find(|operation| operation.name == result.operation);
        let of = |slices: &[Slice]| {
            (thousands(median(slices, |slice| slice.per_second) as u64), median(slices, |slice| slice.server_cpu))
        };
        let ((one, cpu_one), (two, cpu_two)) = (of(&result.one), of(&result.two));
        writeln!(
            out,
            "| {} | {} | {one} | {two} | {:.2} | {cpu_one:.0} µs | {cpu_two:.0} µs |",
            operation.map_or(result.operation.as_str(), |operation| operation.title),
            title(&result.system),
            Summary::of(result.gain()).unwrap_or_default().median,
        )?;
    }
    Ok(())
}

pub(crate) fn growth(out: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(out, "\n## Size\n")?;
    for database in &report.databases {
        writeln!(
            out,
            "- {}: {:.0} bytes per item, including indexes, lists, shoppers and catalogues.",
            title(&database.engine),
            database.bytes_per_item
        )?;
    }
    if report.growth.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "
![Growth](performance/growth.svg)

The warm-up is long enough to read every list once on average, because the first call of a shopper costs more. Memory is the
maximum over all operations.

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

pub(crate) fn overload(out: &mut String, report: &Report) -> std::fmt::Result {
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
            title(&case.system),
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

pub(crate) fn alerts(out: &mut String, report: &Report) -> std::fmt::Result {
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
                title(&alerts.system),
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
