//! Output of commands: results on stdout, errors and logs on stderr.

use std::fmt::Display;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use clap::ValueEnum;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;
use wishbone_storage::trace::TARGET;

use crate::cli::log_output::{Lines, Timestamp};
use crate::traces::tracer::Tracer;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogFormat {
    Text,
    Json,
}

/// Parses a level, or `module=level`, or several separated by commas. A bare word is rejected: `tracing` would take it
/// for a module, but it is more likely a mistyped level.
pub(super) fn log_filter(text: &str) -> Option<Targets> {
    let is_level = |level: &str| !level.is_empty() && level.parse::<LevelFilter>().is_ok();
    let has_level = |part: &str| part.rsplit('=').next().is_some_and(is_level);
    text.split(',').all(has_level).then(|| text.parse().ok()).flatten()
}

/// Installs the log output. Records of the `log` crate are not included: at low levels the database driver logs the
/// parameters of every statement, with addresses and names.
pub(super) fn log_to_stderr(filter: &str, format: LogFormat) {
    log_and_trace(filter, format, None);
}

/// Installs the log output, and a tracer.
pub(super) fn log_and_trace(filter: &str, format: LogFormat, tracer: Option<&Tracer>) {
    // Unless the filter says otherwise, h2 is quiet: it warns of each connection that is reset too often, and whoever connects
    // could fill a disk with that.
    let filter = log_filter(&format!("h2=error,{filter}"));
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // Without a tracer the spans of traces are off, whatever the level of the log.
    let filter = filter.with_target(TARGET, LevelFilter::OFF);
    let lines = tracing_subscriber::fmt::layer().with_writer(Lines::start()).with_timer(Timestamp).with_target(false);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let _ = match tracer {
        None => tracing_subscriber::registry().with(lines).with(filter).try_init(),
        Some(tracer) => tracing_subscriber::registry().with(lines.with_filter(filter)).with(tracer.layer()).try_init(),
    };
}

/// The URL of a server that listens on `address`, for a browser on the same machine.
pub(super) fn url(scheme: &str, mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    format!("{scheme}://{address}")
}

/// A count with its noun: "1 store", "2 stores".
pub(super) fn plural<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// A text as one word of a POSIX shell.
pub(super) fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text that others have set, on one line and without what a terminal would obey.
pub(super) fn plain(text: &str) -> String {
    let is_bidi = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if c.is_control() || is_bidi(c) { '\u{fffd}' } else { c }).collect()
}

/// Prints a line on stdout. A closed pipe (`| head`) is not an error.
pub(super) fn print(text: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Prints a line on stderr.
pub(super) fn print_error(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
