//! Webhooks, in JSON.

use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::webhooks::event_type::EventType;
use wishbone_core::webhooks::log::STATE_NAMES;

use crate::api::json_schema::{array, object, or_null, success, text, time, uuid, whole};
use crate::api::operation::{Answer, Description, OPERATION};

/// Deliveries per page: the largest `limit`, and its default.
pub(crate) const MAX_DELIVERIES: i64 = 500;
pub(crate) const DEFAULT_DELIVERIES: i64 = 50;

const WEBHOOKS: Description = Description { tag: "Webhooks", ..OPERATION };

const ID: &str = r#"{"id":"{webhook}"}"#;

pub(crate) const CREATE: Description = Description {
    id: "createWebhook",
    summary: "Create a webhook",
    text: "Sends events of the store to a URL from now on. Each delivery is a POST of `{\"type\", \"timestamp\", \"data\"}`, signed \
           by the Standard Webhooks convention (`webhook-id`, `webhook-timestamp`, `webhook-signature`). Any 2xx response \
           within 15 seconds is a success; anything else is retried for three days. Redirects are not followed. Events of a \
           list arrive in order. An event can arrive more than once: ignore a `webhook-id` that you have seen. The secret is \
           shown once. A store can have 20 webhooks.",
    json: Some((
        || {
            let url = json!({ "type": "string", "format": "uri", "maxLength": 2_000, "description": "URL to send events to. Private networks need `wishbone serve --allow-private-webhooks`." });
            object(&[("url", url), ("events", event_names())], &[])
        },
        r#"{"url":"https://shop.example/webhooks","events":["list.created","item.added"]}"#,
    )),
    idempotent: true,
    errors: &[Code::LimitReached],
    answer: Answer::Json(|| {
        data(object(&[&webhook()[..], &[("secret", text("Signing secret, `whsec_…`."))]].concat(), &[]))
    }),
    ..WEBHOOKS
};

pub(crate) const LIST: Description = Description {
    id: "listWebhooks",
    summary: "List webhooks",
    text: "Returns the webhooks of the store, oldest first. A webhook is disabled when every attempt of five days has failed; \
           `webhooks/replay` enables it again.",
    json: Some((|| object(&[], &[]), "{}")),
    answer: Answer::Json(|| {
        let state = json!({ "enum": ["enabled", "disabled"] });
        let since = or_null(time("Time since when all attempts have failed; `null` if the last one succeeded."));
        let more = [("state", state), ("failingsince", since), ("cts", time("Creation time."))];
        data(array(object(&[&webhook()[..], &more].concat(), &[])))
    }),
    ..WEBHOOKS
};

pub(crate) const DELETE: Description = Description {
    id: "deleteWebhook",
    summary: "Delete a webhook",
    text: "Ends deliveries to its URL, also of events that are waiting.",
    json: Some((by_id, ID)),
    idempotent: true,
    errors: &[Code::NotFound],
    answer: Answer::Json(|| data(object(&[("id", uuid("Webhook ID."))], &[]))),
    ..WEBHOOKS
};

pub(crate) const ROTATE: Description = Description {
    id: "rotateWebhookSecret",
    summary: "Rotate the secret of a webhook",
    text: "Returns a new secret. For 24 hours deliveries have two signatures, by the new secret and by the previous one.",
    json: Some((by_id, ID)),
    idempotent: true,
    errors: &[Code::NotFound],
    answer: Answer::Json(|| {
        data(object(&[("id", uuid("Webhook ID.")), ("secret", text("New signing secret, `whsec_…`."))], &[]))
    }),
    ..WEBHOOKS
};

pub(crate) const DELIVERIES: Description = Description {
    id: "listWebhookDeliveries",
    summary: "List deliveries of a webhook",
    text: "Returns deliveries of the last 30 days, newest event first. `failed` are those that were given up after three days: \
           `webhooks/replay` sends them again.",
    json: Some((
        || {
            let limit = json!({ "type": "integer", "minimum": 1, "maximum": MAX_DELIVERIES, "default": DEFAULT_DELIVERIES, "description": "Maximum number of deliveries." });
            let optional = [
                ("state", json!({ "enum": STATE_NAMES })),
                ("limit", limit),
                ("next", text("Token of the next page.")),
            ];
            object(&[("id", text("Webhook ID."))], &optional)
        },
        r#"{"id":"{webhook}","limit":10}"#,
    )),
    errors: &[Code::NotFound, Code::InvalidNextToken],
    answer: Answer::Json(|| {
        let delivery = object(
            &[
                ("id", uuid("Event ID, sent as `webhook-id`.")),
                ("type", text("Event type.")),
                ("state", json!({ "enum": STATE_NAMES })),
                ("attempts", whole("Number of attempts.")),
                ("status", or_null(whole("HTTP status of the last attempt; `null` without a response."))),
                ("at", time("Time of the event.")),
                ("lasterror", or_null(text("Why the last attempt failed; `null` if none did."))),
            ],
            &[],
        );
        let next = or_null(text("Token of the next page; `null` on the last page."));
        data(object(&[("deliveries", array(delivery)), ("next", next)], &[]))
    }),
    ..WEBHOOKS
};

pub(crate) const REPLAY: Description = Description {
    id: "replayWebhook",
    summary: "Replay events",
    text: "Sends the stored events since a time again, delivered or not, with their former `webhook-id`. Enables a webhook that \
           was disabled. Events are stored for 30 days. Runs in several steps: on HTTP 503 or `outcome-unknown`, repeat the \
           request.",
    json: Some((
        || object(&[("id", text("Webhook ID.")), ("since", time("Time of the first event to send."))], &[]),
        r#"{"id":"{webhook}","since":1767225600000}"#,
    )),
    idempotent: true,
    errors: &[Code::NotFound],
    answer: Answer::Json(|| data(object(&[("queued", whole("Number of events to be sent."))], &[]))),
    ..WEBHOOKS
};

fn data(schema: Value) -> Value {
    object(&[success(), ("data", schema)], &[])
}

fn by_id() -> Value {
    object(&[("id", text("Webhook ID."))], &[])
}

fn event_names() -> Value {
    let names = [EventType::NAMES, &["*"]].concat();
    json!({ "type": "array", "items": { "enum": names }, "minItems": 1, "maxItems": names.len(), "description": "Event types; `*` for all, also those of later versions." })
}

fn webhook() -> [(&'static str, Value); 3] {
    let events = json!({ "type": "array", "items": { "type": "string" }, "description": "Event types." });
    [("id", uuid("Webhook ID.")), ("url", text("URL.")), ("events", events)]
}
