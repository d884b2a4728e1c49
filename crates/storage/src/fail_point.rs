//! For tests: a failure at a chosen point of a write, as a crash or a lost connection would bring it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Error, Result};

/// Every write passes one point before each of its statements, one before its commit, and one between
/// the commit and the answer. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct FailPoint {
    /// How many points are left, counting the one that fails; 0 when nothing is to fail.
    left: Arc<AtomicUsize>,
}

impl FailPoint {
    /// The `point`th point from now on fails, counting from 0; those after it pass again.
    pub fn set(&self, point: usize) {
        self.left.store(point + 1, Ordering::Relaxed);
    }

    /// Takes back what was set; answers whether it was never reached.
    pub fn clear(&self) -> bool {
        self.left.swap(0, Ordering::Relaxed) > 0
    }

    /// The failure is one that is not tried again.
    pub(crate) fn pass(&self) -> Result<()> {
        if self.left.load(Ordering::Relaxed) == 0 || self.left.fetch_sub(1, Ordering::Relaxed) > 1 {
            return Ok(());
        }
        Err(Error::TooLong)
    }
}
