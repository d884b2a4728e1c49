//! How long the database has been unusable, for `/readyz`.

use std::sync::{Mutex, PoisonError};

use wishbone_core::moment::{MINUTE, Millis};

/// With a database that other nodes share, an outage that is shorter takes no node out of the load balancer: its callers
/// get the same response from all of them, and a recovered database is used at once.
const SHARED_TOLERANCE: Millis = MINUTE / 2;

/// What is wrong with the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseProblem {
    pub text: String,
    /// False if a part of the calls still succeeds, so that the node stays ready.
    pub is_outage: bool,
}

pub(crate) struct Outage {
    tolerance: Millis,
    /// When a probe first found the database unusable, since it last was usable.
    since: Mutex<Option<Millis>>,
}

impl Outage {
    /// `jitter` makes nodes give up at different times: at most as much again as the tolerance.
    pub(crate) fn new(is_shared: bool, jitter: u8) -> Self {
        let tolerance = if is_shared { SHARED_TOLERANCE + SHARED_TOLERANCE * Millis::from(jitter) / 255 } else { 0 };
        Self { tolerance, since: Mutex::default() }
    }

    /// Records that the database is usable.
    pub(crate) fn end(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Records a probe of the database. Returns true if it has been unusable for longer than the node tolerates.
    pub(crate) fn is_too_long(&self, is_unusable: bool, now: Millis) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_unusable {
            *since = None;
            return false;
        }
        now - *since.get_or_insert(now) >= self.tolerance
    }
}
