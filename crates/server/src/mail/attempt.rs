//! A rendered mail, its envelope, and the result of one attempt to send it.

use uuid::Uuid;
use wishbone_core::mail::record::Delivery;
use wishbone_core::moment::Millis;

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

/// What is on the outside of a mail.
pub(super) struct Envelope {
    /// Names the file in the outbox.
    pub(super) id: Uuid,
    pub(super) to: String,
    pub(super) date: Millis,
    pub(super) message_id: String,
    /// `None` for a mail that was requested and comes once.
    pub(super) unsubscribe: Option<String>,
}

/// The result of one attempt to send.
pub struct Attempt {
    pub delivery: Delivery,
    /// The problem, for the log. Does not quote the mail server, whose reply may contain the address.
    pub summary: String,
}

impl Attempt {
    pub(crate) fn sent() -> Self {
        Self { delivery: Delivery::Sent, summary: String::new() }
    }

    pub(crate) fn later(problem: String) -> Self {
        Self { delivery: Delivery::Later(problem.clone()), summary: problem }
    }
}
