//! Options for sending mail.

use std::path::Path;

use clap::Args;
use lettre::message::Mailbox;

use crate::mail::mailer::Mailer;
use crate::mail::outbox::Outbox;
use crate::mail::transport::{SMTP_RULE, Transport};

const HEADING: &str = "Mail";

/// Without a mail server, mails are written to the folder `outbox` in the data folder.
#[derive(Args)]
pub(super) struct MailArgs {
    /// Mail server: smtps://user:password@host, or smtp://user:password@host?tls=required for STARTTLS; requires --mail-from
    /// and --public-url (set it in the environment: other users can read command lines)
    /// [default: write mails as .eml files to the folder outbox in the data folder]
    #[arg(long, help_heading = HEADING, value_name = "smtp://…", env = "WISHBONE_SMTP_URL", hide_env_values = true)]
    smtp: Option<String>,

    /// Sender address, such as lists@example.com; the display name is the store's name
    #[arg(long, help_heading = HEADING, value_name = "ADDRESS", env = "WISHBONE_MAIL_FROM")]
    mail_from: Option<String>,

    /// Public URL of this server, such as https://lists.example.com, for links in mails
    #[arg(long, help_heading = HEADING, value_name = "URL", env = "WISHBONE_PUBLIC_URL")]
    pub(super) public_url: Option<String>,
}

impl MailArgs {
    /// True if clients reach this server by HTTPS.
    pub(super) fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }

    /// The mailer, or the invalid settings, one sentence each. `local_url` is the default of `--public-url`.
    pub(super) fn mailer(&self, data: &Path, local_url: &str) -> Result<Mailer, Vec<String>> {
        let mut faults = Vec::new();
        let transport = match self.smtp.as_deref() {
            None => Some(Transport::Outbox(Outbox::new(data.join("outbox")))),
            Some(url) => Transport::smtp(url),
        };
        if transport.is_none() {
            faults.push(format!("--smtp (WISHBONE_SMTP_URL) must be {SMTP_RULE}"));
        }
        let from = self.mail_from.as_deref().unwrap_or("wishbone@localhost").parse::<Mailbox>().ok();
        let is_plain = |address: &str| address.len() <= 200 && address.is_ascii();
        let from = from.filter(|from| is_plain(from.email.as_ref()));
        if from.is_none() {
            faults.push(
                "--mail-from (WISHBONE_MAIL_FROM) must be an e-mail address such as lists@example.com".to_owned(),
            );
        }
        let public_url = self.public_url.as_deref().unwrap_or(local_url);
        if !is_public_url(public_url) {
            faults.push(
                "--public-url (WISHBONE_PUBLIC_URL) must be a URL without user, password and query string, such as https://lists.example.com"
                    .to_owned(),
            );
        }
        if self.smtp.is_some() && (self.mail_from.is_none() || self.public_url.is_none()) {
            faults.push(
                "--smtp requires --mail-from (WISHBONE_MAIL_FROM) for the sender and --public-url (WISHBONE_PUBLIC_URL) \
                 for the unsubscribe link"
                    .to_owned(),
            );
        }
        match (transport, from) {
            (Some(transport), Some(from)) if faults.is_empty() => Ok(Mailer::new(transport, from.email, public_url)),
            _ => Err(faults),
        }
    }
}

/// True for a URL that needs no encoding in a mail header.
fn is_public_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"<>\"?#\\@".contains(&byte);
    rest.is_some_and(|rest| (1..=200).contains(&rest.len()) && !rest.starts_with('/') && rest.bytes().all(is_plain))
}
