//! Retries after conflicts and lost connections, with exponential backoff and jitter, counted by operation.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::trace::{self, TARGET};

/// After a conflict another transaction has made progress: a number of attempts is enough.
const MAX_CONFLICTS: u32 = 8;
/// An unavailable database is given time, because a restart or a fail-over takes a second or two. A caller who waits
/// longer is better told.
const OUTAGE_PATIENCE: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(4);
/// The longest pause is 256 ms.
const MAX_DOUBLINGS: u32 = 6;

pub(super) struct Attempts {
    operation: &'static str,
    failures: u32,
    conflicts: u32,
    /// The first failure for another reason than a conflict.
    unavailable_since: Option<Instant>,
    /// True if one of the attempts may have been committed.
    is_outcome_unknown: bool,
}

impl Attempts {
    pub(super) fn new(operation: &'static str) -> Self {
        Self { operation, failures: 0, conflicts: 0, unavailable_since: None, is_outcome_unknown: false }
    }

    /// Pauses and returns if the operation should run again; otherwise returns the failure. Only for failures after
    /// which nothing was committed, and for idempotent operations.
    pub(super) async fn retry_after(&mut self, failure: Error) -> Result<()> {
        self.failures += 1;
        self.is_outcome_unknown |= matches!(failure, Error::OutcomeUnknown(_));
        if !self.should_retry(&failure) {
            trace::record_failure(failure.kind());
            return Err(self.final_error(failure));
        }
        metrics::counter!("wishbone_database_retries_total", "operation" => self.operation).increment(1);
        tracing::debug!(operation = self.operation, failures = self.failures, %failure, "retrying");
        tracing::info!(target: TARGET, cause = failure.kind(), "retrying");
        tokio::time::sleep(pause(self.failures)).await;
        Ok(())
    }

    fn should_retry(&mut self, failure: &Error) -> bool {
        match failure {
            Error::Conflict => {
                self.conflicts += 1;
                self.conflicts < MAX_CONFLICTS
            }
            Error::Unavailable(_) | Error::OutcomeUnknown(_) => self.is_patient(),
            // Load shedding is immediate, unless an attempt may have been committed: then nobody knows, and after an
            // outage all operations want a connection at once.
            Error::Busy if self.is_outcome_unknown => self.is_patient(),
            _ => false,
        }
    }

    fn is_patient(&mut self) -> bool {
        self.unavailable_since.get_or_insert_with(Instant::now).elapsed() < OUTAGE_PATIENCE
    }

    /// The error of the operation as a whole: once the outcome of an attempt is unknown, so is that of the operation.
    fn final_error(&self, failure: Error) -> Error {
        match failure {
            Error::OutcomeUnknown(_) => failure,
            _ if self.is_outcome_unknown => failure.into_outcome_unknown(),
            _ => failure,
        }
    }
}

/// Doubles with each failure; half of it is random, so that conflicting operations do not meet again.
#[allow(clippy::disallowed_methods, reason = "jitter affects timing only, never results")]
fn pause(failures: u32) -> Duration {
    let max = FIRST_PAUSE * 2_u32.pow(failures.min(MAX_DOUBLINGS));
    let mut byte = [128];
    let _ = getrandom::fill(&mut byte);
    max / 2 + max / 2 * u32::from(byte[0]) / 256
}
