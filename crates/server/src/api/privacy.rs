//! Personal data.

use serde_json::{Value, json};

use crate::api::identity::USEREMAIL;
use crate::api::json_schema::{array, flag, object, refer, success, text, time, whole};
use crate::api::operation::{Answer, Description, OPERATION, Parameter};
use crate::api::schemas::list_and;

const PRIVACY: Description = Description { tag: "Privacy", ..OPERATION };

pub(crate) const EXPORT: Description = Description {
    id: "exportShopper",
    summary: "Export a person's data",
    text: "Returns all data stored for an email address (GDPR Art. 15 and 20).",
    parameters: &[USEREMAIL.required()],
    answer: Answer::Json(exported),
    ..PRIVACY
};

fn exported() -> Value {
    let digest = json!({ "enum": ["daily", "off"], "description": "Whether product alerts come in a daily mail." });
    let profile = object(
        &[("userinfo", refer("UserInfo")), ("alertdigest", digest)],
        &[
            ("language", text("Language.")),
            ("region", text("Region.")),
            ("reminded", time("Time of the last reminder of a list.")),
        ],
    );
    let link = object(
        &[("scope", json!({ "enum": ["view", "edit"] })), ("cts", time("Creation time."))],
        &[
            ("label", text("Label set by the owner.")),
            ("fromname", text("Name of the owner, shown to everyone who opens the link.")),
            ("expires", time("Expiry time.")),
        ],
    );
    let list = list_and(&[("comments", array(refer("Comment"))), ("links", array(link))]);
    let mail = object(
        &[
            ("kind", text("Kind of message.")),
            ("received", flag("`true` if the message was sent to this address, `false` if it was sent on its behalf.")),
            ("sent", flag("`true` if the message was sent.")),
            ("cts", time("Creation time.")),
        ],
        &[("to", text("Recipient. Removed when the message is sent."))],
    );
    let data = json!({ "type": "object", "description": "Content of the event." });
    let event = object(&[("type", text("Event type.")), ("at", time("Time of the event.")), ("data", data)], &[]);
    object(
        &[
            success(),
            ("email", text("Email address.")),
            ("pid", text("Store ID.")),
            ("exported", time("Time of the export.")),
            ("found", flag("`true` if a shopper with this address exists.")),
            ("subscriptions", array(refer("Subscription"))),
            ("mails", array(mail)),
        ],
        &[
            ("profile", profile),
            ("lists", array(list)),
            ("comments", array(refer("Comment"))),
            ("events", array(event)),
        ],
    )
}

pub(crate) const ERASE: Description = Description {
    id: "eraseShopper",
    summary: "Erase a person's data",
    text: "Revokes the sessions of an email address and deletes its lists, comments, subscriptions, messages and events (GDPR Art. 17). \
           Runs in several steps: on HTTP 503 or `outcome-unknown`, repeat the request.",
    parameters: &[Parameter { example: Some("nobody@fernweh.example"), ..USEREMAIL }.required()],
    idempotent: true,
    answer: Answer::Json(|| {
        let names = ["shoppers", "lists", "items", "comments", "subscriptions", "mails", "answers", "events"];
        let counts: Vec<(&str, Value)> =
            names.iter().map(|name| (*name, whole("Number of records deleted."))).collect();
        object(&[success(), ("erased", object(&counts, &[]))], &[])
    }),
    ..PRIVACY
};
