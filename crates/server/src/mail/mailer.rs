//! Renders a mail, builds the message, and hands it to the mail server or writes it to the outbox folder.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use wishbone_core::alerts::claim::ClaimedAlert;
use wishbone_core::mail::claim::ClaimedMail;
use wishbone_core::mail::customization::MailContext;
use wishbone_core::mail::message::{ConfirmationMessage, DigestMessage, Message as Content};
use wishbone_core::mail::record::Delivery;
use wishbone_core::subscriptions::confirm::ConfirmationLink;
use wishbone_core::tokens::Keys;

use crate::api::server::{CONFIRM_PAGE, UNSUBSCRIBE_PAGE};
use crate::mail::attempt::{Attempt, Envelope, RenderedMail};
use crate::mail::letterhead::Letterhead;
use crate::mail::render;
use crate::mail::samples::render_sample;
use crate::mail::slots::Slots;
use crate::mail::transport::{self, Transport};

pub struct Mailer {
    pub transport: Transport,
    pub(crate) slots: Slots,
    /// The address in `From`; its display name is the store's name.
    from: Address,
    /// The public address of this server, without a trailing slash.
    public_url: String,
}

impl Mailer {
    pub fn new(transport: Transport, from: Address, public_url: &str) -> Self {
        Self { transport, slots: Slots::default(), from, public_url: public_url.trim_end_matches('/').to_owned() }
    }

    /// The domain of message ids.
    pub fn domain(&self) -> &str {
        self.from.domain()
    }

    /// Makes one attempt to send a mail of the queue.
    pub async fn send(&self, keys: &Keys, mut context: MailContext, mail: &ClaimedMail) -> Attempt {
        let content = match mail.message() {
            Ok(content) => content,
            Err(error) => return unusable(error.cause.unwrap_or(error.message)),
        };
        if let Content::Test(test) = &content {
            context.language.clone_from(&test.language);
        }
        let letterhead = &Letterhead::of_context(context);
        let unsubscribe = self.unsubscribe_url(&mail.recipient.token(keys));
        let (rendered, unsubscribe) = match &content {
            Content::List(list) => (render::list(letterhead, list, &unsubscribe), Some(unsubscribe)),
            Content::Reminder(reminder) => (render::reminder(letterhead, reminder, &unsubscribe), Some(unsubscribe)),
            Content::Test(test) => {
                (render_sample(letterhead, &test.kind, &test.topic, &unsubscribe), Some(unsubscribe))
            }
            Content::Confirmation(confirmation) => {
                let confirm = self.confirm_url(keys, mail, confirmation);
                (render::confirmation(letterhead, confirmation, &confirm), None)
            }
        };
        let (id, to, date) = (mail.due.id(), &mail.address, mail.created_at);
        let envelope = Envelope { id, to, date, message_id: mail.message_id.clone(), unsubscribe };
        self.deliver(&envelope, rendered).await
    }

    /// Makes one attempt to send product alerts in one mail, as a digest if there are several.
    pub async fn send_alerts(&self, keys: &Keys, letterhead: &Letterhead, alerts: &[ClaimedAlert]) -> Attempt {
        let [first, others @ ..] = alerts else { return unusable("a mail without alerts".to_owned()) };
        if others.is_empty() {
            return self.send_alert(keys, letterhead, first).await;
        }
        // A digest can be about several topics: its link unsubscribes from all mail of the store.
        let unsubscribe = self.unsubscribe_url(&first.link.recipient.token(keys));
        let message = DigestMessage { alerts: alerts.iter().map(|alert| alert.message.clone()).collect() };
        let rendered = render::digest(letterhead, &message, &unsubscribe);
        self.deliver_alert(first, unsubscribe, rendered).await
    }

    async fn send_alert(&self, keys: &Keys, letterhead: &Letterhead, alert: &ClaimedAlert) -> Attempt {
        let unsubscribe = self.unsubscribe_url(&alert.link.token(keys));
        let rendered = render::alert(letterhead, &alert.message, &unsubscribe);
        self.deliver_alert(alert, unsubscribe, rendered).await
    }

    async fn deliver_alert(
        &self,
        alert: &ClaimedAlert,
        unsubscribe: String,
        rendered: Result<RenderedMail, minijinja::Error>,
    ) -> Attempt {
        let message_id = format!("<{}@{}>", alert.message_id, self.domain());
        let (id, to, date) = (alert.message_id, &alert.address, alert.happened_at);
        let envelope = Envelope { id, to, date, message_id, unsubscribe: Some(unsubscribe) };
        self.deliver(&envelope, rendered).await
    }

    /// The text of an SMS alert.
    pub fn sms_alert(&self, keys: &Keys, letterhead: &Letterhead, alert: &ClaimedAlert) -> String {
        render::sms_alert(letterhead, &alert.message, &self.unsubscribe_url(&alert.link.token(keys)))
    }

    /// The text of an SMS that asks to confirm a phone number; `None` for a mail that is no SMS.
    pub fn sms_confirmation(&self, keys: &Keys, context: &MailContext, mail: &ClaimedMail) -> Option<String> {
        match mail.message().ok()? {
            Content::Confirmation(confirmation) if confirmation.is_sms => {
                let confirm = self.confirm_url(keys, mail, &confirmation);
                let letterhead = Letterhead::of_context(context.clone());
                Some(render::sms_confirmation(&letterhead, &confirmation, &confirm))
            }
            _ => None,
        }
    }

    fn confirm_url(&self, keys: &Keys, mail: &ClaimedMail, confirmation: &ConfirmationMessage) -> String {
        let link = ConfirmationLink::new(mail.due.store_id(), &mail.address, confirmation.expires_at);
        format!("{}{CONFIRM_PAGE}?token={}", self.public_url, link.token(keys).unwrap_or_default())
    }

    fn unsubscribe_url(&self, token: &str) -> String {
        format!("{}{UNSUBSCRIBE_PAGE}?token={token}", self.public_url)
    }

    async fn deliver(&self, envelope: &Envelope<'_>, rendered: Result<RenderedMail, minijinja::Error>) -> Attempt {
        let composed = rendered.map_err(|error| error.to_string()).and_then(|rendered| {
            let message = self.compose(envelope, &rendered)?;
            Ok((rendered, message))
        });
        let (rendered, message) = match composed {
            Ok(composed) => composed,
            Err(problem) => return unusable(problem),
        };
        match &self.transport {
            Transport::Smtp(server) => transport::send(server, message).await,
            Transport::Outbox(outbox) => outbox.put(envelope, &rendered, &message.formatted()),
        }
    }

    fn compose(&self, envelope: &Envelope<'_>, rendered: &RenderedMail) -> Result<Message, String> {
        let to: Address = ascii_domain(envelope.to).parse().map_err(|error| format!("invalid address: {error}"))?;
        let date = UNIX_EPOCH + Duration::from_millis(u64::try_from(envelope.date).unwrap_or(0));
        let mut builder = Message::builder()
            .from(Mailbox::new(Some(rendered.store.clone()), self.from.clone()))
            .to(Mailbox::new(None, to))
            .subject(&rendered.subject)
            .date(date)
            .raw_header(raw_header("Message-ID", envelope.message_id.clone()));
        if let Some(reply_to) = rendered.reply_to.as_deref().and_then(|address| address.parse().ok()) {
            builder = builder.reply_to(Mailbox::new(None, reply_to));
        }
        if let Some(unsubscribe) = &envelope.unsubscribe {
            builder = builder
                .raw_header(raw_header("List-Unsubscribe", format!("<{unsubscribe}>")))
                .raw_header(raw_header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
        }
        builder
            .multipart(MultiPart::alternative_plain_html(rendered.text.clone(), rendered.html.clone()))
            .map_err(|error| error.to_string())
    }
}

/// A mail that cannot be composed now cannot be composed later.
fn unusable(problem: String) -> Attempt {
    Attempt { delivery: Delivery::Never(problem), summary: "cannot compose the mail".to_owned() }
}

/// A header with an ASCII value, which must not be folded or encoded.
fn raw_header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), value.clone(), value)
}

/// An address with its domain as it is in the DNS: not every mail server knows others.
fn ascii_domain(address: &str) -> String {
    let ascii = address.rsplit_once('@').and_then(|(local, domain)| Some((local, idna::domain_to_ascii(domain).ok()?)));
    ascii.map_or_else(|| address.to_owned(), |(local, domain)| format!("{local}@{domain}"))
}
