//! Subscriptions to products.

use serde_json::{Value, json};
use wishbone_core::catalog::fields::MAX_URL_LENGTH;
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::error::Code;
use wishbone_core::subscriptions::create::MAX_PRODUCTS;
use wishbone_core::subscriptions::product::MAX_QUANTITY;

use crate::api::json_schema::{array, array_of, object, refer, success, whole};
use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form, header};
use crate::api::schemas::{properties, subscribed_product};

/// The largest `limit` of fetch-subs.
pub(crate) const MAX_SUBSCRIPTIONS: i64 = 1_000;

const SUBSCRIPTIONS: Description = Description { tag: "Subscriptions", ..OPERATION };
const MEDIUM: Parameter = form("medium", Kind::Word(&["email", "sms"]), "Notification channel.");

pub(crate) const FETCH_SUBS: Description = Description {
    id: "fetchSubscriptions",
    summary: "Fetch the shopper's subscriptions",
    text: "Returns the subscriptions to a topic, newest first. For guests, `medium`, `mediumvalue`, `cby` and `uby` are masked as `XXXXXX`.",
    parameters: &[
        header("user-agent", Kind::AnyText, "Name of the calling application. A header here, not a form field.")
            .required(),
        TOPIC,
        MEDIUM,
        form("limit", Kind::Whole(1, MAX_SUBSCRIPTIONS), "Maximum number of subscriptions.").or("10"),
        form("offset", Kind::Whole(0, i64::MAX), "Number of subscriptions to skip.").or("0"),
    ],
    feature: Some("subscriptions"),
    answer: Answer::Json(|| {
        object(
            &[
                ("limit", whole("Limit of the request.")),
                ("offset", whole("Offset of the request.")),
                ("total", whole("Total number of subscriptions for the topic and medium.")),
                ("subscriptions", array(refer("Subscription"))),
            ],
            &[],
        )
    }),
    ..SUBSCRIPTIONS
};

const TOPIC: Parameter = form("topic", Kind::Word(TOPICS), "Event to be alerted of.").required().like("backinstock");
const EPI: Parameter = form("epi", Kind::ProductId, "Variant ID.").required().like("{epi}");

pub(crate) const ADD: Description = Description {
    id: "addSubscription",
    summary: "Subscribe to a variant",
    text: "Subscribes an address to alerts about a variant, on behalf of the shopper. Unless the shopper is logged in with that \
           address, its owner gets an email with a link that confirms it; until then the subscription has `status` 0 and \
           `unconfirmed`, and no alert is sent. Repeating a pending request returns it, and sends the email again if it is not \
           confirmed; repeating a sent one re-arms it. A request that is not confirmed is seen and changed only by the \
           shopper who made it, and the link confirms only that shopper's requests. Confirmations are limited: 5 per day and \
           recipient, 10 per hour and shopper, 60 per hour for guests at one client address, and by the store's limits per \
           hour.",
    parameters: &[
        TOPIC,
        MEDIUM.required().like("email"),
        form(
            "mediumvalue",
            Kind::Address,
            "Email address or phone number. Optional for `email` if the shopper is logged in.",
        )
        .like("ben@fernweh.example"),
        EPI,
        form("empi", Kind::ProductId, "Product ID.").required().like("{empi}"),
        form("du", Kind::Text(MAX_URL_LENGTH), "Product URL.").required().like("{du}"),
        form("targetprice", Kind::Price, "For `pricedrop`: alert at this price or less, not at any lower price."),
        form("quantity", Kind::Whole(1, MAX_QUANTITY), "For `backinstock`: alert when this many units are in stock."),
    ],
    idempotent: true,
    errors: &[Code::LimitReached, Code::RateLimited],
    returns_rate_limit: true,
    answer: Answer::Json(|| object(&[success(), ("subscriptions", array(refer("Subscription")))], &[])),
    ..SUBSCRIPTIONS
};

pub(crate) const REMOVE: Description = Description {
    id: "removeSubscription",
    summary: "Unsubscribe from a variant",
    text: "Removes the shopper's subscriptions to a topic about a variant, and returns them.",
    parameters: &[EPI, TOPIC, MEDIUM],
    idempotent: true,
    answer: Answer::Json(|| object(&[success(), ("subscriptions", array(refer("Subscription")))], &[])),
    ..SUBSCRIPTIONS
};

pub(crate) const CREATE: Description = Description {
    id: "createSubscriptions",
    summary: "Create subscriptions",
    text: "Creates one subscription for each product and topic. Subscriptions are unique by address, variant and topic. \
           Repeating a pending request returns it; repeating a sent one re-arms it. A shopper has at most 1,000.",
    parameters: &[
        MEDIUM.required().like("email"),
        form("mediumvalue", Kind::Address, "Email address or phone number.").required().like("ben@fernweh.example"),
        form("products", Kind::Json(products), "Up to 100 products.")
            .required()
            .like(r#"[{"epi":{epi},"empi":{empi},"du":"{du}"}]"#),
        form("topics", Kind::Json(topics), "Events to subscribe to.").required().like(r#"["backinstock"]"#),
        form("addtomailinglist", Kind::Flag, "`true` if the person opted in to marketing messages.").or("false"),
        form("extras", Kind::Json(|| properties("Custom fields.")), "Custom fields stored with the subscriptions."),
    ],
    idempotent: true,
    errors: &[Code::LimitReached],
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
