//! How long operations hold what all others need: a thread of the runtime, or the writer.

use std::time::{Duration, Instant};

/// Operations that take longer are logged.
const SLOW: Duration = Duration::from_millis(50);

/// A read runs on a thread that serves other requests too.
pub(super) fn read<T>(operation: &'static str, run: impl FnOnce() -> T) -> T {
    let (out, time) = timed(run);
    metrics::histogram!("wishbone_database_read_seconds").record(time);
    warn(operation, time, "slow read");
    out
}

/// A write delays all others.
pub(super) fn write<T>(operation: &'static str, run: impl FnOnce() -> T) -> T {
    let (out, time) = timed(run);
    metrics::histogram!("wishbone_database_write_seconds").record(time);
    warn(operation, time, "slow write");
    out
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let out = run();
    (out, began.elapsed())
}

fn warn(operation: &'static str, time: Duration, message: &'static str) {
    if time > SLOW {
        tracing::warn!(operation, millis = time.as_millis(), "{message}");
    }
}
