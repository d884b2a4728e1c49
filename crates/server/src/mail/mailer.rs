//! Renders a queued mail, builds the message, and hands it to the mail server or writes it to the outbox folder.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use wishbone_core::mail::customization::MailContext;
use wishbone_core::mail::message::Message as Content;
use wishbone_core::mail::queue::{ClaimedMail, Delivery};
use wishbone_core::tokens::Keys;

use crate::api::server::UNSUBSCRIBE_PAGE;
use crate::mail::attempt::{Attempt, RenderedMail};
use crate::mail::letterhead::Letterhead;
use crate::mail::render;
use crate::mail::samples::render_sample;
use crate::mail::transport::{self, Transport};

pub struct Mailer {
    pub transport: Transport,
    /// The address in `From`; its display name is the store's name.
    from: Address,
    /// The public address of this server, without a trailing slash.
    public_url: String,
}

impl Mailer {
    pub fn new(transport: Transport, from: Address, public_url: &str) -> Self {
        Self { transport, from, public_url: public_url.trim_end_matches('/').to_owned() }
    }

    /// The domain of message ids.
    pub fn domain(&self) -> &str {
        self.from.domain()
    }

    /// Makes one attempt to send a mail.
    pub async fn send(&self, keys: &Keys, context: MailContext, mail: &ClaimedMail) -> Attempt {
        // A mail that cannot be composed now cannot be composed later.
        let (rendered, message) = match self.compose(keys, context, mail) {
            Ok(composed) => composed,
            Err(problem) => {
                return Attempt { delivery: Delivery::Never(problem), summary: "cannot compose the mail".to_owned() };
            }
        };
        match &self.transport {
            Transport::Smtp(server) => transport::send(server, message).await,
            Transport::Outbox(outbox) => outbox.put(mail, &rendered, &message.formatted()),
        }
    }

    fn compose(
        &self,
        keys: &Keys,
        mut context: MailContext,
        mail: &ClaimedMail,
    ) -> Result<(RenderedMail, Message), String> {
        let unsubscribe = format!("{}{UNSUBSCRIBE_PAGE}?token={}", self.public_url, mail.recipient.token(keys));
        let content = mail.message().map_err(|error| error.cause.unwrap_or(error.message))?;
        if let Content::Test(test) = &content {
            context.language.clone_from(&test.language);
        }
        let letterhead = &Letterhead::of_context(context);
        let rendered = match &content {
            Content::List(list) => render::list(letterhead, list, &unsubscribe),
            Content::Test(test) => render_sample(letterhead, &test.kind, &test.topic, &unsubscribe),
        };
        let rendered = rendered.map_err(|error| error.to_string())?;
        let to: Address = mail.address.parse().map_err(|error| format!("invalid address: {error}"))?;
        let created_at = UNIX_EPOCH + Duration::from_millis(u64::try_from(mail.created_at).unwrap_or(0));
        let mut builder = Message::builder();
        if let Some(reply_to) = rendered.reply_to.as_deref().and_then(|address| address.parse().ok()) {
            builder = builder.reply_to(Mailbox::new(None, reply_to));
        }
        let message = builder
            .from(Mailbox::new(Some(rendered.store.clone()), self.from.clone()))
            .to(Mailbox::new(None, to))
            .subject(&rendered.subject)
            .date(created_at)
            .raw_header(raw_header("Message-ID", mail.message_id.clone()))
            .raw_header(raw_header("List-Unsubscribe", format!("<{unsubscribe}>")))
            .raw_header(raw_header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()))
            .multipart(MultiPart::alternative_plain_html(rendered.text.clone(), rendered.html.clone()))
            .map_err(|error| error.to_string())?;
        Ok((rendered, message))
    }
}

/// A header with an ASCII value, which must not be folded or encoded.
fn raw_header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), value.clone(), value)
}
