//! Renders a mail, builds the message, and hands it to the mail server or writes it to the outbox folder.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};
use wishbone_core::alerts::claim::ClaimedAlert;
use wishbone_core::error::Result;
use wishbone_core::mail::claim::ClaimedMail;
use wishbone_core::mail::customization::MailContext;
use wishbone_core::mail::message::{ConfirmationMessage, DigestMessage, ListMessage, Message as Content};
use wishbone_core::mail::record::Delivery;
use wishbone_core::mail::shared_list::SharedLink;
use wishbone_core::mail::shop_url::MailedUrl;
use wishbone_core::subscriptions::confirm::ConfirmationLink;
use wishbone_core::subscriptions::preferences::PreferencesLink;
use wishbone_core::tokens::Keys;

use crate::api::server::{CONFIRM_PAGE, PREFERENCES_PAGE, UNSUBSCRIBE_PAGE};
use crate::mail::attempt::{Attempt, Envelope, RenderedMail};
use crate::mail::budget::Budget;
use crate::mail::letterhead::Letterhead;
use crate::mail::pool::{Purpose, RenderPool};
use crate::mail::render::{self, Links};
use crate::mail::samples::{Size, render_sample};
use crate::mail::shared_urls::{list_page_url, shared_page_url};
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
    pub(crate) async fn send(
        &self,
        pool: &RenderPool,
        keys: &Keys,
        context: MailContext,
        mail: &ClaimedMail,
    ) -> Attempt {
        let mut content = match mail.message() {
            Ok(content) => content,
            Err(error) => return unusable(error.cause.unwrap_or(error.message)),
        };
        if let Content::List(ListMessage { link_id: Some(link_id), link, .. }) = &mut content {
            let shared = SharedLink::new(mail.due.store_id(), *link_id);
            let of_store = list_page_url(keys, &context.store.settings, shared);
            *link = MailedUrl::of_shop(of_store.unwrap_or_else(|| shared_page_url(keys, &self.public_url, shared)));
        }
        let unsubscribe = self.unsubscribe_url(&mail.recipient.token(keys));
        let action = match &content {
            Content::Confirmation(confirmation) => self.confirm_url(keys, mail, confirmation),
            _ => unsubscribe.clone(),
        };
        let preferences = match &content {
            Content::List(_) => PreferencesLink::of_forwarded(mail.due.store_id(), &mail.address),
            _ => PreferencesLink::new(mail.due.store_id(), &mail.address),
        };
        let links = Links { action, preferences: self.preferences_url(keys, &preferences) };
        let envelope = Envelope {
            id: mail.due.id(),
            to: mail.address.clone(),
            date: mail.created_at,
            message_id: mail.message_id.clone(),
            unsubscribe: Some(unsubscribe).filter(|_| !matches!(content, Content::Confirmation(_))),
        };
        let render = move |budget: &Arc<Budget>| render_content(budget, context, &content, &links);
        self.deliver(pool, mail.due.store_id(), envelope, render).await
    }

    /// Makes one attempt to send product alerts in one mail, as a digest if there are several.
    pub(crate) async fn send_alerts(
        &self,
        pool: &RenderPool,
        keys: &Keys,
        context: MailContext,
        alerts: &[ClaimedAlert],
    ) -> Attempt {
        let [first, others @ ..] = alerts else { return unusable("a mail without alerts".to_owned()) };
        // A digest can be about several topics: its link unsubscribes from all mail of the store.
        let token = if others.is_empty() { first.link.token(keys) } else { first.link.recipient.token(keys) };
        let unsubscribe = self.unsubscribe_url(&token);
        let store_id = context.store.store_id;
        let message = DigestMessage { alerts: alerts.iter().map(|alert| alert.message.clone()).collect() };
        let envelope = Envelope {
            id: first.message_id,
            to: first.address.clone(),
            date: first.happened_at,
            message_id: format!("<{}@{}>", first.message_id, self.domain()),
            unsubscribe: Some(unsubscribe.clone()),
        };
        let links = Links {
            action: unsubscribe,
            preferences: self.preferences_url(keys, &PreferencesLink::new(store_id, &first.address)),
        };
        let render = move |budget: &Arc<Budget>| {
            let letterhead = Letterhead::of_context(budget, context);
            match message.alerts.as_slice() {
                [alert] => render::alert(&letterhead, alert, &links),
                _ => render::digest(&letterhead, &message, &links),
            }
        };
        self.deliver(pool, store_id, envelope, render).await
    }

    /// The text of an SMS alert.
    pub(crate) async fn sms_alert(
        &self,
        pool: &RenderPool,
        keys: &Keys,
        context: MailContext,
        alert: &ClaimedAlert,
    ) -> Result<String> {
        let store_id = context.store.store_id;
        let (message, unsubscribe) = (alert.message.clone(), self.unsubscribe_url(&alert.link.token(keys)));
        let render = move |budget: &Arc<Budget>| {
            Ok(render::sms_alert(&Letterhead::of_context(budget, context), &message, &unsubscribe))
        };
        pool.run(store_id, Purpose::Mail, render).await?
    }

    /// The text of an SMS that asks to confirm a phone number; `None` for a mail that is no SMS.
    pub(crate) async fn sms_confirmation(
        &self,
        pool: &RenderPool,
        keys: &Keys,
        context: &MailContext,
        mail: &ClaimedMail,
    ) -> Result<Option<String>> {
        let Ok(Content::Confirmation(confirmation)) = mail.message() else { return Ok(None) };
        if !confirmation.is_sms {
            return Ok(None);
        }
        let (confirm, context) = (self.confirm_url(keys, mail, &confirmation), context.clone());
        let render = move |budget: &Arc<Budget>| {
            let letterhead = Letterhead::of_context(budget, context);
            Ok(Some(render::sms_confirmation(&letterhead, &confirmation, &confirm)))
        };
        pool.run(mail.due.store_id(), Purpose::Mail, render).await?
    }

    fn confirm_url(&self, keys: &Keys, mail: &ClaimedMail, confirmation: &ConfirmationMessage) -> String {
        let link = |by| ConfirmationLink::new(mail.due.store_id(), by, &mail.address, confirmation.expires_at);
        let token = mail.shopper.and_then(|by| link(by).token(keys)).unwrap_or_default();
        format!("{}{CONFIRM_PAGE}?token={token}", self.public_url)
    }

    fn unsubscribe_url(&self, token: &str) -> String {
        format!("{}{UNSUBSCRIBE_PAGE}?token={token}", self.public_url)
    }

    fn preferences_url(&self, keys: &Keys, link: &PreferencesLink) -> String {
        let token = link.token(keys).unwrap_or_default();
        format!("{}{PREFERENCES_PAGE}?token={token}", self.public_url)
    }

    /// Renders a mail on the pool and sends it.
    async fn deliver(
        &self,
        pool: &RenderPool,
        store_id: i64,
        envelope: Envelope,
        render: impl FnOnce(&Arc<Budget>) -> std::result::Result<RenderedMail, minijinja::Error> + Send + 'static,
    ) -> Attempt {
        let from = self.from.clone();
        let composed = pool.run(store_id, Purpose::Mail, move |budget| {
            let rendered = render(budget).map_err(|error| error.to_string())?;
            let message = compose(from, &envelope, &rendered)?;
            Ok::<_, String>((envelope, rendered, message))
        });
        let (envelope, rendered, message) = match composed.await {
            Ok(Ok(composed)) => composed,
            Ok(Err(problem)) => return unusable(problem),
            Err(error) => return Attempt::later(error.cause.unwrap_or(error.message)),
        };
        match &self.transport {
            Transport::Smtp(server) => transport::send(server, message).await,
            Transport::Outbox(outbox) => outbox.put(&envelope, &rendered, &message.formatted()),
        }
    }
}

/// Renders a mail of the queue.
fn render_content(
    budget: &Arc<Budget>,
    mut context: MailContext,
    content: &Content,
    links: &Links,
) -> std::result::Result<RenderedMail, minijinja::Error> {
    if let Content::Test(test) = content {
        context.language.clone_from(&test.language);
    }
    let letterhead = &Letterhead::of_context(budget, context);
    match content {
        Content::List(list) => render::list(letterhead, list, links),
        Content::Reminder(reminder) => render::reminder(letterhead, reminder, links),
        Content::Test(test) => render_sample(letterhead, Size::Ordinary, &test.kind, &test.topic, links),
        Content::Confirmation(confirmation) => render::confirmation(letterhead, confirmation, links),
    }
}

fn compose(from: Address, envelope: &Envelope, rendered: &RenderedMail) -> std::result::Result<Message, String> {
    let to: Address = ascii_domain(&envelope.to).parse().map_err(|error| format!("invalid address: {error}"))?;
    let date = UNIX_EPOCH + Duration::from_millis(u64::try_from(envelope.date).unwrap_or(0));
    let mut builder = Message::builder()
        .from(Mailbox::new(Some(rendered.store.clone()), from))
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
