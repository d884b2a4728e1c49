//! Retries after conflicts and lost connections, with exponential backoff and jitter, counted by operation.

use std::time::Duration;

use crate::error::{Error, Result};

const MAX_ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(4);

pub(super) struct Attempts {
    operation: &'static str,
    failures: u32,
    /// True if one of the attempts may have been committed.
    is_outcome_unknown: bool,
}

impl Attempts {
    pub(super) fn new(operation: &'static str) -> Self {
        Self { operation, failures: 0, is_outcome_unknown: false }
    }

    /// Pauses and returns if the operation should run again; otherwise returns the failure. Only for failures after
    /// which nothing was committed, and for idempotent operations.
    pub(super) async fn retry_after(&mut self, failure: Error) -> Result<()> {
        let is_retryable = matches!(failure, Error::Conflict | Error::Unavailable(_) | Error::OutcomeUnknown(_));
        self.failures += 1;
        self.is_outcome_unknown |= matches!(failure, Error::OutcomeUnknown(_));
        if !is_retryable || self.failures == MAX_ATTEMPTS {
            return Err(self.final_error(failure));
        }
        metrics::counter!("wishbone_database_retries_total", "operation" => self.operation).increment(1);
        tracing::debug!(operation = self.operation, failures = self.failures, %failure, "retrying");
        tokio::time::sleep(pause(self.failures)).await;
        Ok(())
    }

    /// The error of the operation as a whole: once the outcome of an attempt is unknown, so is that of the operation.
    pub(super) fn final_error(&self, failure: Error) -> Error {
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
    let max = FIRST_PAUSE * 2_u32.pow(failures.min(6));
    let mut byte = [128];
    let _ = getrandom::fill(&mut byte);
    max / 2 + max / 2 * u32::from(byte[0]) / 256
}
