//! Mails on their way out: a letter is put into words, made a message, and handed to a mail server or laid into the
//! outbox folder.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use wishbone_core::mail::message::Message as Content;
use wishbone_core::mail::queue::{ClaimedMail, Delivery};
use wishbone_core::tokens::Keys;

use crate::api::server::UNSUBSCRIBE_PAGE;
use crate::mail::attempt::{Attempt, RenderedMail};
use crate::mail::templates;
use crate::mail::transport::{self, Transport};

pub struct Mailer {
    pub transport: Transport,
    /// The address that mails come from; the name beside it is the store's.
    from: Address,
    /// Where recipients reach this server, without a slash at its end.
    public_url: String,
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
        let (rendered, message) = match self.compose(keys, mail) {
            Ok(composed) => composed,
            Err(problem) => {
                return Attempt { delivery: Delivery::Never(problem), in_short: "it cannot be written".to_owned() };
            }
        };
        match &self.transport {
            Transport::Smtp(server) => transport::send(server, message).await,
            Transport::Outbox(outbox) => outbox.put(mail, &rendered, &message.formatted()),
        }
    }

    fn compose(&self, keys: &Keys, mail: &ClaimedMail) -> Result<(RenderedMail, Message), String> {
        let unsubscribe = format!("{}{UNSUBSCRIBE_PAGE}?token={}", self.public_url, mail.recipient.token(keys));
        let content = mail.message().map_err(|error| error.cause.unwrap_or(error.message))?;
        let Content::List(list) = &content;
        let rendered = templates::list(list, &unsubscribe).map_err(|error| error.to_string())?;
        let to: Address = mail.address.parse().map_err(|error| format!("the address: {error}"))?;
        let written_at = UNIX_EPOCH + Duration::from_millis(u64::try_from(mail.created_at).unwrap_or(0));
        let message = Message::builder()
            .from(Mailbox::new(Some(rendered.store.clone()), self.from.clone()))
            .to(Mailbox::new(None, to))
            .subject(&rendered.subject)
            .date(written_at)
            .raw_header(as_it_is("Message-ID", mail.message_id.clone()))
            .raw_header(as_it_is("List-Unsubscribe", format!("<{unsubscribe}>")))
            .raw_header(as_it_is("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()))
            .multipart(MultiPart::alternative_plain_html(rendered.text.clone(), rendered.html.clone()))
            .map_err(|error| error.to_string())?;
        Ok((rendered, message))
    }
}

/// A header whose value is made here, of plain ASCII: folding or encoding it would break it.
fn as_it_is(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), value.clone(), value)
}
