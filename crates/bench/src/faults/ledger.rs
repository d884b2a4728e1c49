//! What was said and answered, one line a call, for whoever looks into a failure; and how much of it there was.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

pub(crate) struct Ledger {
    began: Instant,
    file: Mutex<BufWriter<File>>,
    problems: Mutex<Vec<String>>,
    pub(crate) answered: AtomicU64,
    pub(crate) refused: AtomicU64,
    /// Calls without an answer, by what had become of them.
    pub(crate) happened: AtomicU64,
    pub(crate) not_happened: AtomicU64,
    /// Made again under a key, which hides whether they had been.
    pub(crate) repeated: AtomicU64,
    /// Those that the server itself called unknown.
    pub(crate) admitted: AtomicU64,
}

impl Ledger {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            began: Instant::now(),
            file: Mutex::new(BufWriter::new(File::create(path)?)),
            problems: Mutex::default(),
            answered: AtomicU64::default(),
            refused: AtomicU64::default(),
            happened: AtomicU64::default(),
            not_happened: AtomicU64::default(),
            repeated: AtomicU64::default(),
            admitted: AtomicU64::default(),
        })
    }

    pub(crate) fn note(&self, worker: usize, what: &str) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A ledger that cannot be written is missed only when something else has failed.
        let _ = writeln!(file, "{:10.4} worker {worker}: {what}", self.began.elapsed().as_secs_f64());
    }

    /// The server broke its word.
    pub(crate) fn problem(&self, worker: usize, what: &str) {
        self.note(worker, &format!("PROBLEM {what}"));
        self.flush();
        eprintln!("    PROBLEM (worker {worker}) {what}");
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn flush(&self) {
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).flush();
    }

    pub(crate) fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }
}
