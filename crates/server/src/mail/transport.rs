//! Mail transports: an SMTP server or the outbox folder.

use std::time::Duration;

use lettre::Message;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::response::{Category, Severity};
use tokio::time::timeout;
use tracing::Instrument;
use wishbone_core::mail::record::Delivery;

use crate::mail::attempt::Attempt;
use crate::mail::outbox::Outbox;
use crate::mail::smtp::{Failure, SmtpServer};
use crate::spans;

/// Timeout of a whole mail; well below the time for which a node claims one.
const SEND_TIMEOUT: Duration = Duration::from_secs(90);

pub const SMTP_RULE: &str = "smtps://user:password@host, or smtp://user:password@host?tls=required for STARTTLS; \
                             smtp://host without TLS is only accepted without a password or for localhost";

pub enum Transport {
    Smtp(SmtpServer),
    Outbox(Outbox),
}

impl Transport {
    /// Where mail goes, for the log.
    pub fn describe(&self) -> String {
        match self {
            Self::Smtp(_) => "the SMTP server".to_owned(),
            Self::Outbox(outbox) => format!("the outbox folder {} (set --smtp to send it)", outbox.folder().display()),
        }
    }

    /// The transport to an SMTP server; `None` if the URL violates [`SMTP_RULE`].
    pub fn smtp(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (password, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        let is_local = ["localhost", "127.0.0.1", "[::1]"]
            .iter()
            .any(|local| host.strip_prefix(local).is_some_and(|port| port.is_empty() || port.starts_with(':')));
        let query = rest.split_once('?').map_or("", |(_, query)| query);
        let is_encrypted = scheme == "smtps" || query.split(['&', '#']).any(|part| part == "tls=required");
        if host.is_empty() || (password.is_some() && !is_encrypted && !is_local) {
            return None;
        }
        Some(Self::Smtp(SmtpServer::parse(url)?))
    }
}

pub(super) async fn send(server: &SmtpServer, message: Message) -> Attempt {
    let mail = message.formatted();
    let span = spans::outbound("SMTP", server.host());
    let sent = timeout(SEND_TIMEOUT, server.send(message.envelope(), &mail)).instrument(span.clone()).await;
    if !matches!(sent, Ok(Ok(()))) {
        spans::record_failure(&span);
    }
    let error = match sent {
        Ok(Ok(())) => return Attempt::sent(),
        Ok(Err(Failure::Smtp(error))) => error,
        Ok(Err(Failure::Connection(problem))) => return Attempt::later(problem),
        Ok(Err(Failure::NoUnicode)) => {
            let problem = "the mail server accepts no addresses with characters outside of ASCII (SMTPUTF8)".to_owned();
            return Attempt { delivery: Delivery::Never(problem.clone()), summary: problem };
        }
        Err(_) => return Attempt::later("the mail server timed out".to_owned()),
    };
    let problem = error.to_string();
    let summary = match error.status() {
        Some(code) => format!("the mail server replied {code}"),
        None => problem.clone(),
    };
    let delivery = match is_permanent(&error) {
        true if says_no_mailbox(&problem) => Delivery::NoMailbox(problem),
        true => Delivery::Never(problem),
        false => Delivery::Later(problem),
    };
    Attempt { delivery, summary }
}

/// True if the server has permanently rejected this mail. Errors in the configuration (a wrong password, an unsupported
/// command) are for the operator to fix; mails wait in the queue until then.
fn is_permanent(error: &Error) -> bool {
    error.status().is_some_and(|code| {
        code.severity == Severity::PermanentNegativeCompletion && code.category == Category::MailSystem
    })
}

/// True if a permanent rejection says that the mailbox does not exist: by its enhanced status code (RFC 3463) or, from a
/// server without them, in words.
fn says_no_mailbox(reply: &str) -> bool {
    const CODES: &[&str] = &["5.1.1", "5.1.6", "5.1.10"];
    const WORDS: &[&str] = &["user unknown", "unknown user", "no such user", "no such mailbox", "does not exist"];
    let mut parts = reply.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let reply = reply.to_ascii_lowercase();
    parts.any(|part| CODES.contains(&part.trim_matches('.'))) || WORDS.iter().any(|words| reply.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_mailbox_is_told_from_other_rejections() {
        for missing in [
            "permanent error (550): 5.1.1 <ann@example.com> is nobody here",
            "permanent error (550): 5.1.10 recipient not found",
            "permanent error (550): No such user here",
        ] {
            assert!(says_no_mailbox(missing), "{missing}");
        }
        for other in [
            "permanent error (554): 5.7.1 message rejected as spam",
            "permanent error (552): 5.2.2 mailbox full",
            "permanent error (550): 15.1.1 rejected, see 192.5.1.1",
        ] {
            assert!(!says_no_mailbox(other), "{other}");
        }
    }

    #[tokio::test]
    async fn a_password_is_sent_to_other_hosts_over_tls_only() {
        for good in [
            "smtps://user:secret@mail.example",
            "smtps://mail.example:4465",
            "smtp://user:secret@mail.example:587?tls=required",
            "smtp://mail.example",
            "smtp://localhost",
            "smtp://user:secret@127.0.0.1:2525",
            "smtp://user:secret@[::1]:25",
        ] {
            assert!(Transport::smtp(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "mail.example",
            "http://mail.example",
            "smtp://",
            "smtp://user:secret@mail.example",
            "smtp://user:secret@mail.example?tls=opportunistic",
            "smtp://user:tls=required@mail.example",
            "smtp://user:secret@localhost.mail.example",
            "smtp://user:secret@127.0.0.1.mail.example:25",
            "smtp://mail.example?tls=maybe",
        ] {
            assert!(Transport::smtp(bad).is_none(), "{bad}");
        }
    }
}
