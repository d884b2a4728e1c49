//! The states of a subscription.

use crate::error::{Error, Result};

/// Waiting in line; or due, if the time for that is set.
pub(crate) const WAITING: i64 = 0;
pub(crate) const SENT: i64 = 1;
/// Claimed by a node.
pub(crate) const SENDING: i64 = 2;
/// Given up: in the dead-letter list.
pub(crate) const FAILED: i64 = 3;
/// The owner of the address has not confirmed it.
pub(crate) const UNCONFIRMED: i64 = 4;
/// The recipient wants no alerts, or the address does not exist.
pub(crate) const SUPPRESSED: i64 = 5;

pub const STATES: &[&str] = &["waiting", "sent", "sending", "failed", "unconfirmed", "suppressed"];

/// The name of a state, for the store.
pub(crate) fn name(status: i64) -> &'static str {
    usize::try_from(status).ok().and_then(|status| STATES.get(status)).unwrap_or(&STATES[0])
}

pub fn parse(text: &str) -> Result<i64> {
    let known = STATES.iter().position(|name| *name == text).and_then(|status| i64::try_from(status).ok());
    known.ok_or_else(|| Error::invalid("state", format!("must be one of {}", STATES.join(", "))))
}

/// The status for shoppers, who know three: 0 not sent, 1 sent, 2 being sent.
pub(crate) fn public(status: i64) -> i64 {
    if matches!(status, SENT | SENDING) { status } else { WAITING }
}
