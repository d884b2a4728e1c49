//! What people may ask a store for.

use serde_json::{Value, json};

use crate::api::identity::USEREMAIL;
use crate::api::operation::{Answer, Description, OPERATION, Parameter};
use crate::api::schemas::{array, flag, list_and, object, refer, success, text, time, whole};

const PRIVACY: Description = Description { tag: "Privacy", ..OPERATION };

pub(crate) const EXPORT: Description = Description {
    id: "exportShopper",
    summary: "Everything that is kept of an address",
    takes: &[USEREMAIL.required()],
    answer: Answer::Json(exported),
    ..PRIVACY
};

fn exported() -> Value {
    let words = [("language", text("Language.")), ("region", text("Region."))];
    let link = object(
        &[("scope", json!({ "enum": ["view", "edit"] })), ("cts", time("When it was made."))],
        &[("label", text("The owner's words for it.")), ("expires", time("When it ends."))],
    );
    let list = list_and(&[("comments", array(refer("Comment"))), ("links", array(link))]);
    let mail = object(
        &[
            ("kind", text("What it was about.")),
            ("received", flag("Whether it was to this address; else it was sent for it.")),
            ("sent", flag("Whether it has left.")),
            ("cts", time("When it was made.")),
        ],
        &[("to", text("Its recipient, until it is sent."))],
    );
    object(
        &[
            success(),
            ("email", text("The address.")),
            ("pid", text("The store's id.")),
            ("exported", time("When this was made.")),
            ("found", flag("Whether a shopper has this address.")),
            ("subscriptions", array(refer("Subscription"))),
            ("mails", array(mail)),
        ],
        &[
            ("profile", object(&[("userinfo", refer("UserInfo"))], &words)),
            ("lists", array(list)),
            ("comments", array(refer("Comment"))),
        ],
    )
}

pub(crate) const ERASE: Description = Description {
    id: "eraseShopper",
    summary: "Forget an address",
    text: "Ends its sessions and removes its lists, comments, subscriptions and mails. It is done in steps: when the answer \
           is 503 or `outcome-unknown`, call again.",
    takes: &[Parameter { example: Some("nobody@fernweh.example"), ..USEREMAIL }.required()],
    once: true,
    answer: Answer::Json(|| {
        let names = ["shoppers", "lists", "items", "comments", "subscriptions", "mails", "answers"];
        let counts: Vec<(&str, Value)> = names.iter().map(|name| (*name, whole("How many were removed."))).collect();
        object(&[success(), ("erased", object(&counts, &[]))], &[])
    }),
    ..PRIVACY
};
