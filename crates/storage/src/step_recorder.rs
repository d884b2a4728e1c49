//! For tests: counts what operations cost on SQLite, in instructions of its virtual machine. Unlike time, that is the same on
//! every machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What an operation holds meanwhile: a thread that serves others too, or the writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    Thread,
    Writer,
}

type Steps = BTreeMap<(Holds, &'static str), u64>;

/// The most instructions that each operation has taken. Long reads, which hold nobody up, are not counted. Clones share their
/// state; the default counts nothing.
#[derive(Clone, Debug, Default)]
pub struct StepRecorder(Option<Arc<Mutex<Steps>>>);

impl StepRecorder {
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Returns the counts since the last call.
    pub fn take(&self) -> Steps {
        self.0
            .as_ref()
            .map_or_else(Steps::new, |steps| std::mem::take(&mut *steps.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn record(&self, holds: Holds, operation: &'static str, steps: u64) {
        if let Some(recorded) = &self.0 {
            let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
            let most = recorded.entry((holds, operation)).or_insert(0);
            *most = steps.max(*most);
        }
    }
}
