use std::sync::Arc;

use crate::{Error, Result};

/// How far long work is: so much of so much, in a unit of the work's own. A total of zero means that nobody can tell.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub doing: &'a str,
    pub done: u64,
    pub total: u64,
}

/// Whoever waits for long work (a backup, a check, a move): is told how far it is, and says whether it should go on.
#[derive(Clone)]
pub struct Watch(Arc<dyn Fn(Progress<'_>) -> bool + Send + Sync>);

impl Watch {
    pub fn new(goes_on: impl Fn(Progress<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(goes_on))
    }

    /// Nobody waits for it.
    pub fn nobody() -> Self {
        Self::new(|_| true)
    }

    /// Fails with [`Error::Stopped`] when the work is no longer wanted.
    pub fn tell(&self, doing: &str, done: u64, total: u64) -> Result<()> {
        if (self.0)(Progress { doing, done, total }) { Ok(()) } else { Err(Error::Stopped) }
    }
}
