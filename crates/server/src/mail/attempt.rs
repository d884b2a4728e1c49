//! A rendered mail, and the result of one attempt to send it.

use wishbone_core::mail::queue::Delivery;

/// A mail rendered by its template.
pub struct RenderedMail {
    pub store: String,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// The result of one attempt to send.
pub struct Attempt {
    pub delivery: Delivery,
    /// What was wrong, for the log: without the server's own words, which may hold the address.
    pub in_short: String,
}

impl Attempt {
    pub(super) fn sent() -> Self {
        Self { delivery: Delivery::Sent, in_short: String::new() }
    }

    pub(super) fn later(problem: String) -> Self {
        Self { delivery: Delivery::Later(problem.clone()), in_short: problem }
    }
}
