//! Progress reports and cancellation of long-running tasks: backups, checks, moves.

use std::sync::Arc;

use crate::error::{Error, Result};

/// The progress of a task, in a unit of its own. A total of zero means unknown.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub phase: &'a str,
    pub done: u64,
    pub total: u64,
}

/// A callback that receives the progress of a task and returns false to cancel it.
#[derive(Clone)]
pub struct ProgressReporter(Arc<dyn Fn(Progress<'_>) -> bool + Send + Sync>);

impl ProgressReporter {
    pub fn new(callback: impl Fn(Progress<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(callback))
    }

    /// Ignores reports and never cancels.
    pub fn none() -> Self {
        Self::new(|_| true)
    }

    /// Reports progress; fails with [`Error::Cancelled`] if the task should stop.
    pub fn report(&self, phase: &str, done: u64, total: u64) -> Result<()> {
        if (self.0)(Progress { phase, done, total }) { Ok(()) } else { Err(Error::Cancelled) }
    }
}
