//! The events that webhooks receive.

use serde_json::{Map, Value, json};
use wishbone_core::webhooks::event_type::EventType;

use crate::api::json_schema::{array, object, refer, text};
use crate::api::schemas::{extended, list, store_subscription};

/// The member `webhooks` of the OpenAPI document.
pub(crate) fn webhook_events() -> Map<String, Value> {
    EventType::ALL.iter().map(|event| (event.as_str().to_owned(), json!({ "post": delivery(*event) }))).collect()
}

fn delivery(event: EventType) -> Value {
    let body = object(
        &[
            ("type", json!({ "const": event.as_str() })),
            ("timestamp", json!({ "type": "string", "format": "date-time", "description": "Time of the event." })),
            ("data", data(event)),
        ],
        &[],
    );
    json!({
        "tags": ["Webhooks"],
        "summary": when(event),
        "parameters": [
            header("webhook-id", "Event ID: the same in every attempt and replay."),
            header("webhook-timestamp", "Time of the attempt, in seconds since the Unix epoch."),
            header("webhook-signature", "Signatures, separated by spaces: `v1,` and base64 of HMAC-SHA256 over \
                                         `webhook-id.webhook-timestamp.body`."),
        ],
        "requestBody": { "required": true, "content": { "application/json": { "schema": body } } },
        "responses": { "2XX": { "description": "Received. Anything else is retried for three days." } },
    })
}

fn header(name: &str, description: &str) -> Value {
    json!({ "name": name, "in": "header", "required": true, "description": description, "schema": { "type": "string" } })
}

fn when(event: EventType) -> &'static str {
    match event {
        EventType::ListCreated => "A list was created",
        EventType::ListUpdated => "A list was changed as a whole",
        EventType::ListDeleted => "A list was deleted, with its items",
        EventType::ListShared => "A list was shared",
        EventType::ItemAdded => "An item was added",
        EventType::ItemUpdated => "An item was changed",
        EventType::ItemRemoved => "An item was removed",
        EventType::ShopperMerged => "A guest has logged in",
        EventType::SubscriptionCreated => "A subscription was created",
        EventType::SubscriptionConfirmed => "An address was confirmed",
        EventType::SubscriptionRemoved => "A subscription was removed",
        EventType::AlertSent => "An alert was sent",
        EventType::AlertFailed => "An alert failed and is not retried",
    }
}

/// The schema of the member `data`.
fn data(event: EventType) -> Value {
    match event {
        EventType::ListCreated | EventType::ListUpdated | EventType::ListDeleted => refer("List"),
        EventType::ListShared => {
            extended(list(), &[("medium", text("`public`, `email`, `link`, or what was reported."))])
        }
        EventType::ItemAdded | EventType::ItemUpdated | EventType::ItemRemoved => refer("Item"),
        EventType::ShopperMerged => {
            let united = text("List of the shopper that it was united with.");
            let merged = object(&[("lid", text("List of the guest."))], &[("into", united)]);
            object(
                &[
                    ("pid", text("Store ID.")),
                    ("uid", text("ID of the shopper.")),
                    ("guestuid", text("ID of the guest.")),
                    ("lists", array(merged)),
                ],
                &[],
            )
        }
        EventType::SubscriptionCreated
        | EventType::SubscriptionConfirmed
        | EventType::SubscriptionRemoved
        | EventType::AlertSent
        | EventType::AlertFailed => extended(store_subscription(), &[("uid", text("ID of the shopper."))]),
    }
}
