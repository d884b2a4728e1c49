//! Subscriptions to products.

use serde_json::{Value, json};
use wishbone_core::subscriptions::create::MAX_PRODUCTS;
use wishbone_core::subscriptions::topic::TOPICS;

use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form, header};
use crate::api::schemas::{array, array_of, object, properties, refer, subscribed_product, success, whole};

/// The largest `limit` of fetch-subs.
pub(crate) const MAX_SUBSCRIPTIONS: i64 = 1_000;

const SUBSCRIPTIONS: Description = Description { tag: "Subscriptions", ..OPERATION };
const MEDIUM: Parameter = form("medium", Kind::Word(&["email", "sms"]), "How they are told.");

pub(crate) const FETCH_SUBS: Description = Description {
    id: "fetchSubscriptions",
    summary: "My subscriptions to a topic",
    text: "Newest first. Whoever is not logged in sees `medium`, `mediumvalue`, `cby` and `uby` as `XXXXXX`.",
    takes: &[
        header("user-agent", Kind::AnyText, "What the calling app calls itself: here a header.").required(),
        form("topic", Kind::Word(TOPICS), "What they are told about.").required().like("backinstock"),
        MEDIUM,
        form("limit", Kind::Whole(1, MAX_SUBSCRIPTIONS), "At most so many.").or("10"),
        form("offset", Kind::Whole(0, i64::MAX), "So many are skipped.").or("0"),
    ],
    feature: Some("subscriptions"),
    answer: Answer::Json(|| {
        object(
            &[
                ("limit", whole("As asked.")),
                ("offset", whole("As asked.")),
                ("total", whole("How many there are of this topic and medium.")),
                ("subscriptions", array(refer("Subscription"))),
            ],
            &[],
        )
    }),
    ..SUBSCRIPTIONS
};

pub(crate) const CREATE: Description = Description {
    id: "createSubscriptions",
    summary: "Subscribe an address to products",
    text: "One subscription for each product and topic. It is unique for address, variant and topic: asking again returns \
           the one that waits, and starts one anew that was sent.",
    takes: &[
        MEDIUM.required().like("email"),
        form("mediumvalue", Kind::Address, "The e-mail address or phone number.")
            .required()
            .like("ben@fernweh.example"),
        form("products", Kind::Json(products), "Up to 100 products.")
            .required()
            .like(r#"[{"epi":{epi},"empi":{empi},"du":"{du}"}]"#),
        form("topics", Kind::Json(topics), "What to tell about.").required().like(r#"["backinstock"]"#),
        form("addtomailinglist", Kind::Flag, "Whether the address asked for more mail.").or("false"),
        form("extras", Kind::Json(|| properties("Custom fields.")), "Kept with the subscriptions."),
    ],
    once: true,
    answer: Answer::Json(|| {
        let made = array(refer("Subscription"));
        object(&[success(), ("subscriptions", made), ("failed", array(refer("FailedElement")))], &[])
    }),
    ..SUBSCRIPTIONS
};

fn products() -> Value {
    array_of(subscribed_product(), MAX_PRODUCTS)
}

fn topics() -> Value {
    array_of(json!({ "enum": TOPICS }), MAX_PRODUCTS)
}
