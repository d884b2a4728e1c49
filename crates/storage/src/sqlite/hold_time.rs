//! How long operations hold what all others need: a thread of the runtime, or the writer.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use metrics::{Histogram, histogram};

/// Operations that take longer are logged: as information, since a busy machine is reason enough for one.
const SLOW: Duration = Duration::from_millis(50);

// Looked up once, when the first operation runs: a read takes microseconds.
static READS: LazyLock<Histogram> = LazyLock::new(|| histogram!("wishbone_database_read_seconds"));
static WRITES: LazyLock<Histogram> = LazyLock::new(|| histogram!("wishbone_database_write_seconds"));

/// A read runs on a thread that serves other requests too.
pub(super) fn read<T>(operation: &'static str, run: impl FnOnce() -> T) -> T {
    measured(&READS, operation, "slow read", run)
}

/// A write delays all others.
pub(super) fn write<T>(operation: &'static str, run: impl FnOnce() -> T) -> T {
    measured(&WRITES, operation, "slow write", run)
}

fn measured<T>(times: &Histogram, operation: &'static str, message: &'static str, run: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let out = run();
    let time = began.elapsed();
    times.record(time);
    if time > SLOW {
        tracing::info!(operation, millis = time.as_millis(), "{message}");
    }
    out
}
