//! A webhook as the store-admin API and the command line show it.

use serde_json::{Value, json};
use wishbone_core::webhooks::endpoints::Webhook;

pub(crate) fn describe(webhook: &Webhook) -> Value {
    json!({
        "id": webhook.id.to_string(),
        "url": webhook.url,
        "events": webhook.events.names(),
        "state": if webhook.is_enabled { "enabled" } else { "disabled" },
        "failingsince": webhook.failing_since,
        "cts": webhook.created_at,
    })
}
