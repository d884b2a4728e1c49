//! The store's view of its alerts.

use serde_json::{Value, json};
use wishbone_core::alerts::retry::MAX_RETRIES;
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::error::Code;
use wishbone_core::subscriptions::status::STATES;

use crate::api::json_schema::{array, id, id_input, object, refer, success, text, whole};
use crate::api::operation::{Answer, Description, OPERATION};

pub(crate) const MAX_PAGE: i64 = 1_000;
pub(crate) const DEFAULT_PAGE: i64 = 100;

const ALERTS: Description = Description { tag: "Alerts", ..OPERATION };

pub(crate) const LIST: Description = Description {
    id: "listSubscriptions",
    summary: "List subscriptions with the state of their alerts",
    text: "Returns the store's subscriptions, all or those that match. `waiting` is in line for an event of its variant, \
           `unconfirmed` awaits the confirmation of its address, `failed` was given up and can be retried, `suppressed` \
           belongs to a recipient who unsubscribed or to an address that does not exist.",
    json: Some((filter, r#"{"topic":"backinstock","state":"waiting"}"#)),
    errors: &[Code::InvalidNextToken],
    answer: Answer::Json(|| {
        let page = object(
            &[
                ("subscriptions", array(refer("StoreSubscription"))),
                (
                    "next",
                    json!({ "type": ["string", "null"], "description": "Token of the next page; `null` on the last." }),
                ),
            ],
            &[],
        );
        object(&[success(), ("data", page)], &[])
    }),
    ..ALERTS
};

fn filter() -> Value {
    object(
        &[],
        &[
            ("topic", json!({ "enum": TOPICS })),
            ("medium", json!({ "enum": ["email", "sms"] })),
            ("epi", id_input("Variant ID.")),
            ("empi", id_input("Product ID.")),
            ("state", json!({ "enum": STATES })),
            ("limit", limit()),
            ("next", text("Token from the previous page, for the same filter.")),
        ],
    )
}

fn limit() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": DEFAULT_PAGE })
}

pub(crate) const SUMMARY: Description = Description {
    id: "summarizeSubscriptions",
    summary: "Count subscriptions by variant and topic",
    text: "Returns the variants and topics with subscriptions, those with the most waiting shoppers first.",
    json: Some((|| object(&[], &[("limit", limit())]), r#"{"limit":10}"#)),
    answer: Answer::Json(|| {
        let one = object(
            &[
                ("epi", id("Variant ID.")),
                ("empi", id("Product ID.")),
                ("dt", text("Product title.")),
                ("topic", json!({ "enum": TOPICS })),
                ("waiting", whole("Shoppers who wait, and alerts being sent.")),
                ("sent", whole("Alerts sent.")),
                ("failed", whole("Alerts given up.")),
            ],
            &[],
        );
        object(&[success(), ("data", array(one))], &[])
    }),
    ..ALERTS
};

pub(crate) const RETRY: Description = Description {
    id: "retrySubscriptions",
    summary: "Retry failed alerts",
    text: "Makes failed alerts due again, by ID or all of them. A suppressed subscription waits again unless its recipient \
           unsubscribed; mail to its address is no longer suppressed. Alerts that are no longer true wait for the next event.",
    json: Some((
        || {
            let ids = json!({ "type": "array", "items": { "type": "string", "format": "uuid" }, "minItems": 1, "maxItems": MAX_RETRIES });
            object(&[], &[("ids", ids), ("state", json!({ "enum": ["failed"] }))])
        },
        r#"{"state":"failed"}"#,
    )),
    errors: &[Code::OutcomeUnknown],
    answer: Answer::Json(|| {
        let data = object(&[("retried", whole("Number of subscriptions."))], &[]);
        object(&[success(), ("data", data)], &[])
    }),
    ..ALERTS
};
