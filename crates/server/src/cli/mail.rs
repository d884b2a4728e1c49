//! Settings of mail.

use std::path::Path;

use clap::Args;
use lettre::message::Mailbox;

use crate::mail::mailer::Mailer;
use crate::mail::outbox::Outbox;
use crate::mail::transport::{SMTP_RULE, Transport};

const HEADING: &str = "Mail";

/// Without a mail server, mails are laid as files into the folder `outbox` of the data folder.
#[derive(Args)]
pub(super) struct MailArgs {
    /// Mail server: smtps://user:password@host, or smtp://user:password@host?tls=required for STARTTLS; needs --mail-from
    /// and --public-url. Without one, mails go to the folder outbox in the data folder, as .eml files
    /// (give it in the environment: a command line can be read by others)
    #[arg(long, help_heading = HEADING, value_name = "smtp://…", env = "WISHBONE_SMTP_URL", hide_env_values = true)]
    smtp: Option<String>,

    /// Address that mails come from, such as lists@example.com; the name beside it is the store's
    #[arg(long, help_heading = HEADING, value_name = "ADDRESS", env = "WISHBONE_MAIL_FROM")]
    mail_from: Option<String>,

    /// Where people reach this server from outside, such as https://lists.example.com: the links in mails lead there
    #[arg(long, help_heading = HEADING, value_name = "URL", env = "WISHBONE_PUBLIC_URL")]
    pub(super) public_url: Option<String>,
}

impl MailArgs {
    /// The mailer, or sentences about what is wrong. `here` is where this server listens.
    pub(super) fn mailer(&self, data: &Path, here: &str) -> Result<Mailer, Vec<String>> {
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
        let public_url = self.public_url.as_deref().unwrap_or(here);
        if !is_public_url(public_url) {
            faults.push(
                "--public-url (WISHBONE_PUBLIC_URL) must be an address without a query, such as https://lists.example.com"
                    .to_owned(),
            );
        }
        if self.smtp.is_some() && (self.mail_from.is_none() || self.public_url.is_none()) {
            faults.push(
                "--smtp needs --mail-from (WISHBONE_MAIL_FROM) and --public-url (WISHBONE_PUBLIC_URL): a mail says who \
                 sends it, and has a link to unsubscribe"
                    .to_owned(),
            );
        }
        match (transport, from) {
            (Some(transport), Some(from)) if faults.is_empty() => Ok(Mailer::new(transport, from.email, public_url)),
            _ => Err(faults),
        }
    }
}

/// An address that can be put into a header as it is.
fn is_public_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"<>\"?#\\".contains(&byte);
    rest.is_some_and(|rest| (1..=200).contains(&rest.len()) && !rest.starts_with('/') && rest.bytes().all(is_plain))
}
