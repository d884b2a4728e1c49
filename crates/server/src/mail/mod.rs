//! Mails on their way out: a letter is put into words, made a message, and handed to a mail server or laid into the
//! outbox folder.

mod outbox;
mod templates;
mod transport;

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use wishbone_core::identity::Keys;
use wishbone_core::mails::{ClaimedMail, Delivery, Letter};

pub use outbox::{Outbox, Shown};
pub(crate) use templates::recipient_page;
pub use transport::{SMTP_RULE, Transport};

/// Where the link in a mail leads.
pub const RECIPIENT_PAGE: &str = "/mail/unsubscribe";

pub struct Mailer {
    pub transport: Transport,
    /// The address that mails come from; the name beside it is the store's.
    from: Address,
    /// Where recipients reach this server, without a slash at its end.
    public_url: String,
}

/// A mail in words.
pub struct Worded {
    pub store: String,
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// How a try to send went.
pub struct Attempt {
    pub delivery: Delivery,
    /// What was wrong, for the log: without the server's own words, which may hold the address.
    pub in_short: String,
}

impl Attempt {
    fn sent() -> Self {
        Self { delivery: Delivery::Sent, in_short: String::new() }
    }

    fn later(problem: String) -> Self {
        Self { delivery: Delivery::Later(problem.clone()), in_short: problem }
    }
}

impl Mailer {
    pub fn new(transport: Transport, from: Address, public_url: &str) -> Self {
        Self { transport, from, public_url: public_url.trim_end_matches('/').to_owned() }
    }

    /// What follows the `@` of message ids.
    pub fn domain(&self) -> &str {
        self.from.domain()
    }

    /// Tries to send a mail, once.
    pub async fn send(&self, keys: &Keys, mail: &ClaimedMail) -> Attempt {
        // Whatever is wrong with a mail itself will be wrong tomorrow.
        let (worded, message) = match self.compose(keys, mail) {
            Ok(composed) => composed,
            Err(problem) => {
                return Attempt { delivery: Delivery::Never(problem), in_short: "it cannot be written".to_owned() };
            }
        };
        match &self.transport {
            Transport::Smtp(server) => transport::send(server, message).await,
            Transport::Outbox(outbox) => outbox.put(mail, &worded, &message.formatted()),
        }
    }

    fn compose(&self, keys: &Keys, mail: &ClaimedMail) -> Result<(Worded, Message), String> {
        let unsubscribe = format!("{}{RECIPIENT_PAGE}?token={}", self.public_url, mail.recipient.token(keys));
        let letter = mail.letter().map_err(|error| error.cause.unwrap_or(error.message))?;
        let Letter::List(list) = &letter;
        let worded = templates::list(list, &unsubscribe).map_err(|error| error.to_string())?;
        let to: Address = mail.address.parse().map_err(|error| format!("the address: {error}"))?;
        let written_at = UNIX_EPOCH + Duration::from_millis(u64::try_from(mail.created_at).unwrap_or(0));
        let message = Message::builder()
            .from(Mailbox::new(Some(worded.store.clone()), self.from.clone()))
            .to(Mailbox::new(None, to))
            .subject(&worded.subject)
            .date(written_at)
            .raw_header(as_it_is("Message-ID", mail.message_id.clone()))
            .raw_header(as_it_is("List-Unsubscribe", format!("<{unsubscribe}>")))
            .raw_header(as_it_is("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()))
            .multipart(MultiPart::alternative_plain_html(worded.text.clone(), worded.html.clone()))
            .map_err(|error| error.to_string())?;
        Ok((worded, message))
    }
}

/// A header whose value is made here, of plain ASCII: folding or encoding it would break it.
fn as_it_is(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), value.clone(), value)
}
