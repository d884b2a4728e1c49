//! Conflicts and lost connections are tried again: a few times, with growing, jittered pauses,
//! counted by operation.

use std::time::Duration;

use crate::{Error, Result};

const TRIES: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(4);

pub(super) struct Attempts {
    operation: &'static str,
    failures: u32,
    /// One of the tries may have been kept.
    in_doubt: bool,
}

impl Attempts {
    pub(super) fn new(operation: &'static str) -> Self {
        Self { operation, failures: 0, in_doubt: false }
    }

    /// Returns when the operation should run again; hands the failure back when it should not. Only
    /// for failures after which nothing was kept (then a lost connection is like a conflict), and for
    /// operations that find out by themselves whether something was.
    pub(super) async fn again(&mut self, failure: Error) -> Result<()> {
        let retryable = matches!(failure, Error::Conflict | Error::Unavailable(_) | Error::OutcomeUnknown(_));
        self.failures += 1;
        self.in_doubt |= matches!(failure, Error::OutcomeUnknown(_));
        if !retryable || self.failures == TRIES {
            return Err(self.verdict(failure));
        }
        metrics::counter!("wishbone_store_retries_total", "operation" => self.operation).increment(1);
        tracing::debug!(operation = self.operation, failures = self.failures, %failure, "trying again");
        tokio::time::sleep(pause(self.failures)).await;
        Ok(())
    }

    /// What a failure means for the operation as a whole: after a try that may have been kept, "not now" would be a lie.
    pub(super) fn verdict(&self, failure: Error) -> Error {
        match failure {
            Error::OutcomeUnknown(_) => failure,
            _ if self.in_doubt => failure.in_commit(),
            _ => failure,
        }
    }
}

/// Doubles each time; half of it is random so that two rivals do not meet again.
#[allow(clippy::disallowed_methods, reason = "jitter decides when something happens, never what")]
fn pause(failures: u32) -> Duration {
    let longest = FIRST_PAUSE * 2_u32.pow(failures.min(6));
    let mut byte = [128];
    let _ = getrandom::fill(&mut byte);
    longest / 2 + longest / 2 * u32::from(byte[0]) / 256
}
