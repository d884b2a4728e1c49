//! Fault injection for tests: makes a write fail at a chosen point, as a crash or a lost connection would.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// A countdown over the fail points of writes: one before each statement, one before the commit, and one between the
/// commit and the response. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct FailPoint {
    /// Points left, including the one that fails; 0 if disabled.
    remaining: Arc<AtomicUsize>,
}

impl FailPoint {
    /// Makes the `point`th point from now fail, counting from 0. Later points pass again.
    pub fn set(&self, point: usize) {
        self.remaining.store(point + 1, Ordering::Relaxed);
    }

    /// Disables the fail point; returns true if it was never reached.
    pub fn clear(&self) -> bool {
        self.remaining.swap(0, Ordering::Relaxed) > 0
    }

    /// Fails with an error that is not retried.
    pub(crate) fn pass(&self) -> Result<()> {
        if self.remaining.load(Ordering::Relaxed) == 0 || self.remaining.fetch_sub(1, Ordering::Relaxed) > 1 {
            return Ok(());
        }
        Err(Error::Timeout)
    }
}
