//! A log of all calls and responses for the analysis of failures, and counters of their outcomes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) struct Ledger {
    began: Instant,
    file: Mutex<BufWriter<File>>,
    violations: Mutex<Vec<String>>,
    /// All requests, also repeated ones and reads.
    pub(crate) requests: AtomicU64,
    pub(crate) acknowledged: AtomicU64,
    pub(crate) rejected: AtomicU64,
    /// Calls without a response that turned out to be applied, or not.
    pub(crate) applied: AtomicU64,
    pub(crate) not_applied: AtomicU64,
    /// Calls without a response that were retried with an idempotency key.
    pub(crate) retried: AtomicU64,
    /// Calls with the error `outcome-unknown`.
    pub(crate) reported_unknown: AtomicU64,
    /// The longest call, in microseconds.
    longest: AtomicU64,
}

impl Ledger {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            began: Instant::now(),
            file: Mutex::new(BufWriter::new(File::create(path)?)),
            violations: Mutex::default(),
            requests: AtomicU64::default(),
            acknowledged: AtomicU64::default(),
            rejected: AtomicU64::default(),
            applied: AtomicU64::default(),
            not_applied: AtomicU64::default(),
            retried: AtomicU64::default(),
            reported_unknown: AtomicU64::default(),
            longest: AtomicU64::default(),
        })
    }

    pub(crate) fn record(&self, worker: usize, what: &str) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // The ledger is only needed after another failure.
        let _ = writeln!(file, "{:10.4} worker {worker}: {what}", self.began.elapsed().as_secs_f64());
    }

    /// Records a violated guarantee.
    pub(crate) fn violation(&self, worker: usize, what: &str) {
        self.record(worker, &format!("VIOLATION {what}"));
        self.flush();
        eprintln!("    VIOLATION (worker {worker}) {what}");
        self.violations.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.violations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn flush(&self) {
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).flush();
    }

    pub(crate) fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    pub(crate) fn reported_unknown(&self) -> u64 {
        self.reported_unknown.load(Ordering::Relaxed)
    }

    /// Records the duration of a call, whatever its outcome.
    pub(crate) fn call_took(&self, time: Duration) {
        self.longest.fetch_max(time.as_micros() as u64, Ordering::Relaxed);
    }

    /// The longest call since this was last asked.
    pub(crate) fn take_longest(&self) -> Duration {
        Duration::from_micros(self.longest.swap(0, Ordering::Relaxed))
    }
}
