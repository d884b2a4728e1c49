use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::progress::ProgressReporter;

/// Virtual machine instructions between two progress reports.
const INSTRUCTIONS_PER_REPORT: i32 = 1_000_000;

/// Runs SQLite's integrity check, whose total is unknown; returns the faults found.
pub(super) fn check(
    connection: &mut Connection,
    phase: &'static str,
    progress: &ProgressReporter,
) -> Result<Vec<String>> {
    progress.report(phase, 0, 0)?;
    let reporter = progress.clone();
    let is_cancelled = move || reporter.report(phase, 0, 0).is_err();
    connection.progress_handler(INSTRUCTIONS_PER_REPORT, Some(is_cancelled))?;
    let mut statement = connection.prepare("pragma integrity_check")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>();
    let lines = lines.map_err(|error| match error.into() {
        Error::Timeout => Error::Cancelled,
        error => error,
    })?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}
