//! A rendered mail, and the result of one attempt to send it.

use wishbone_core::mail::queue::Delivery;

/// A mail rendered by its templates.
#[derive(Clone, Debug)]
pub struct RenderedMail {
    /// The display name of the sender.
    pub store: String,
    pub reply_to: Option<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// The result of one attempt to send.
pub struct Attempt {
    pub delivery: Delivery,
    /// The problem, for the log. Does not quote the mail server, whose reply may contain the address.
    pub summary: String,
}

impl Attempt {
    pub(super) fn sent() -> Self {
        Self { delivery: Delivery::Sent, summary: String::new() }
    }

    pub(super) fn later(problem: String) -> Self {
        Self { delivery: Delivery::Later(problem.clone()), summary: problem }
    }
}
