//! The mail server.

use crate::cli::doctor::finding::Finding;
use crate::mail::mailer::Mailer;
use crate::mail::transport::Transport;

const CHECK: &str = "mail";

/// Connects and logs in, and sends nothing.
pub(super) async fn check(mailer: &Mailer) -> Finding {
    match &mailer.transport {
        Transport::Outbox(outbox) => {
            let fact = format!("mail is written to {}, and not sent", outbox.folder().display());
            Finding::warning(CHECK, fact, "set --smtp (WISHBONE_SMTP_URL) to send it")
        }
        Transport::Smtp(server) => match server.check().await {
            Ok(()) => {
                Finding::ok(CHECK, format!("{} accepts this server, sender domain {}", server.name(), mailer.domain()))
            }
            Err(problem) => {
                let fact = format!("{} cannot be used ({problem})", server.name());
                Finding::error(CHECK, fact, "check host, port, tls=, user and password in --smtp (WISHBONE_SMTP_URL)")
            }
        },
    }
}
