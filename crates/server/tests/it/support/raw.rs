//! Raw requests, for tests of malformed ones.

use axum::Router;
use axum::body::Body;
use axum::http::Request;

use super::clients::Reply;

pub const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
pub const JSON: (&str, &str) = ("content-type", "application/json");

/// All tables that requests can change, and those of the server, which they must not.
#[rustfmt::skip]
pub const TABLES: &[&str] = &[
    "stores", "store_states", "shoppers", "lists", "items", "products", "subscriptions", "alert_events", "refused_topics",
    "share_links", "editors", "comments",
    "idempotent_responses",
    "copies", "deleted_lists", "unions", "undos", "merge_steps", "list_stamps", "wishes", "wish_transfers",
    "guest_sessions", "merges", "merged_lists", "merged_items", "merged_parts", "merged_comments",
    "mails", "recipients", "message_counters", "mail_templates", "mail_texts", "shares",
    "webhooks", "webhook_events", "webhook_deliveries", "webhook_queues",
    "server", "signing_keys",
];

pub async fn send(router: &Router, method: &str, uri: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Reply {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Reply::of(router, request.body(body.into()).unwrap()).await
}
