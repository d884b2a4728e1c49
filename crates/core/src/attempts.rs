//! Repeated attempts: when the next one is due, and why the last one failed.

use crate::moment::Millis;

/// The length of a stored problem, in characters.
const MAX_PROBLEM_LENGTH: usize = 500;

/// Exponential backoff with factor 3, and up to half as much again as jitter, so that retries are spread.
pub(crate) struct Backoff {
    pub(crate) first: Millis,
    pub(crate) max: Millis,
}

impl Backoff {
    /// The pause after an attempt; the first is 1.
    pub(crate) fn pause(&self, attempt: i64, jitter: u8) -> Millis {
        let factor = 3_i64.saturating_pow(u32::try_from(attempt - 1).unwrap_or(0));
        let shortest = self.first.saturating_mul(factor).min(self.max);
        shortest + shortest / 2 * i64::from(jitter) / 255
    }
}

/// A problem as it is stored.
pub(crate) fn shorten(problem: &str) -> String {
    problem.chars().filter(|c| *c != '\0').take(MAX_PROBLEM_LENGTH).collect()
}
