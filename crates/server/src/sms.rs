//! SMS through an HTTP gateway with the common form format: `To`, `From` and `Body`, with Basic authentication.

use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::outbound::client::HttpClient;

/// A message, and the gateway that sends it.
#[derive(Clone, Copy, Debug)]
pub struct Sms<'a> {
    pub url: &'a str,
    pub from: &'a str,
    /// `user:password`.
    pub auth: Option<&'a str>,
    pub to: &'a str,
    pub body: &'a str,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SmsOutcome {
    /// The gateway has accepted it.
    Sent,
    /// A temporary problem.
    Later(String),
    /// A permanent problem.
    Never(String),
}

/// Hands a message to its gateway.
pub async fn send(client: &HttpClient, sms: &Sms<'_>) -> SmsOutcome {
    let fields = [("To", sms.to), ("From", sms.from), ("Body", sms.body)];
    let form: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC))).collect();
    let login = sms.auth.map(|auth| (AUTHORIZATION, format!("Basic {}", STANDARD.encode(auth))));
    let headers: Vec<_> = login.into_iter().collect();
    let body = form.join("&").into_bytes();
    match client.post(sms.url, "application/x-www-form-urlencoded", &headers, body).await {
        Ok(status) => outcome(status),
        Err(problem) => SmsOutcome::Later(problem),
    }
}

fn outcome(status: u16) -> SmsOutcome {
    let problem = format!("the SMS gateway returned HTTP {status}");
    match status {
        200..300 => SmsOutcome::Sent,
        // Timeout, too early, too many requests.
        408 | 425 | 429 => SmsOutcome::Later(problem),
        400..500 => SmsOutcome::Never(problem),
        _ => SmsOutcome::Later(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_client_errors_are_permanent() {
        assert_eq!(outcome(201), SmsOutcome::Sent);
        for status in [400, 401, 404, 422] {
            assert!(matches!(outcome(status), SmsOutcome::Never(_)), "{status}");
        }
        for status in [301, 408, 425, 429, 500, 503] {
            assert!(matches!(outcome(status), SmsOutcome::Later(_)), "{status}");
        }
    }
}
