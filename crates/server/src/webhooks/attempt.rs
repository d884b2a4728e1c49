//! One attempt to deliver an event.

use axum::http::HeaderName;
use wishbone_core::moment::Millis;
use wishbone_core::tokens::Keys;
use wishbone_core::webhooks::claim::ClaimedDelivery;
use wishbone_core::webhooks::record::AttemptResult;

use crate::outbound::client::HttpClient;

pub const ID: HeaderName = HeaderName::from_static("webhook-id");
pub const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
pub const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

pub(crate) async fn send(client: &HttpClient, keys: &Keys, delivery: &ClaimedDelivery, now: Millis) -> AttemptResult {
    let (body, timestamp) = (delivery.body(), now.div_euclid(1_000));
    let signatures = match delivery.signatures(keys, timestamp, &body) {
        Ok(signatures) => signatures,
        Err(error) => return AttemptResult { status: None, problem: error.cause.or(Some(error.message)) },
    };
    let headers = [(ID, delivery.id().to_string()), (TIMESTAMP, timestamp.to_string()), (SIGNATURE, signatures)];
    match client.post(delivery.url(), "application/json", &headers, body).await {
        Ok(status) => AttemptResult { status: Some(status), problem: problem(status) },
        Err(problem) => AttemptResult { status: None, problem: Some(problem) },
    }
}

/// Why a status is a failure.
fn problem(status: u16) -> Option<String> {
    match status {
        200..300 => None,
        300..400 => Some(format!("HTTP {status}: redirects are not followed; create a webhook with the final URL")),
        _ => Some(format!("HTTP {status}")),
    }
}
