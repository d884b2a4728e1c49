//! Merging guests into logins.

use serde_json::{Value, json};
use wishbone_core::error::Code;

use crate::api::identity::{AGENT_TYPE, USEREMAIL};
use crate::api::json_schema::{array, flag, object, success, text, time, uuid, whole};
use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form};
use crate::api::schemas::credentials;

const LOGINS: Description = Description { tag: "Logging in", ..OPERATION };
const GUEST: Parameter = form("regid", Kind::Regid, "Regid of the guest.").required().like("{guest_regid}");

pub(crate) const GUEST_VALIDATE_SYNC: Description = Description {
    id: "guestValidateSync",
    summary: "Merge a guest into a shopper",
    text: "Moves the guest's lists to the shopper. Lists with the same type and name are merged; no item is lost. The guest's \
           regid is retired. The shopper's limits hold: what does not fit stays with the guest, and `leftlists`, \
           `leftitems` and `leftsubscriptions` count it. Repeating the request moves what fits by then, else it changes nothing. `dryrun=true` \
           returns a preview and changes nothing.",
    parameters: &[
        GUEST,
        USEREMAIL.required(),
        AGENT_TYPE,
        form("sessionid", Kind::Sessionid, "Session ID that the guest's browser generated and that must remain valid."),
        form("dryrun", Kind::Flag, "Return a preview without changing anything.").or("false").like("true"),
    ],
    idempotent: true,
    errors: &[Code::BadRegid, Code::Forbidden],
    answer: Answer::Json(|| json!({ "anyOf": [logged_in(), preview()] })),
    ..LOGINS
};

/// The shopper's credentials, and what stays with the guest.
fn logged_in() -> Value {
    let mut schema = credentials();
    schema["properties"]["leftlists"] = whole(
        "Number of lists that stay with the guest, completely or in part, because of the shopper's limits. Absent if there are none.",
    );
    schema["properties"]["leftitems"] = whole("Number of items in those lists.");
    schema["properties"]["leftsubscriptions"] =
        whole("Number of subscriptions that stay with the guest. Absent if there are none.");
    schema
}

fn preview() -> Value {
    let list = [
        ("lid", uuid("ID of the guest's list.")),
        ("lname", text("List name.")),
        ("lty", text("List type.")),
        ("cnt", whole("Number of items.")),
    ];
    let union = [
        ("into", uuid("ID of the list that it is merged into.")),
        ("adds", whole("Number of items to be added.")),
        ("already", whole("Number of items that the list already contains.")),
    ];
    object(
        &[
            success(),
            ("dryrun", json!({ "const": true })),
            ("moves", array(object(&list, &[]))),
            ("unites", array(object(&[&list[..], &union[..]].concat(), &[]))),
            ("subscriptions", whole("Number of subscriptions to be moved.")),
        ],
        &[("stays", array(object(&list, &[])))],
    )
}

pub(crate) const USER_VALIDATE_SYNC: Description = Description {
    id: "userValidateSync",
    summary: "Log a guest in with a signed token",
    text: "For shops whose server signs logins but does not call this API. The token is the base64url-encoded HMAC-SHA256 of \
           `pid`, `regid`, `extuid`, `useremail` and `expires`, as sent and joined with line feeds. The key is the store's \
           login secret. Merges as `guest-validate-sync` does; `lists` tells what has become of the guest's lists.",
    parameters: &[
        form("platform", Kind::AnyText, "Accepted for compatibility and ignored."),
        form("extuid", Kind::AnyText, "Customer ID in your shop.").required().like("42"),
        USEREMAIL.required(),
        form(
            "expires",
            Kind::Time,
            "Expiry time of the token, at most 24 hours ahead, in milliseconds since the Unix epoch.",
        )
        .required()
        .like("1767225600000"),
        form("token", Kind::AnyText, "HMAC signature.").required().like("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
    ],
    errors: &[Code::Forbidden, Code::OutcomeUnknown],
    answer: Answer::Json(|| {
        let list = object(
            &[
                ("lid", uuid("ID of the guest's list.")),
                ("lname", text("Name of the list that has its items now.")),
                ("cnt", whole("Number of items that the guest's list had.")),
            ],
            &[("into", uuid("ID of the shopper's list that it became part of."))],
        );
        let mut schema = logged_in();
        schema["properties"]["lists"] = array(list);
        schema["properties"]["lists"]["description"] = json!("The guest's lists. Absent if the call merged none.");
        schema
    }),
    ..LOGINS
};

pub(crate) const MERGES: Description = Description {
    id: "merges",
    summary: "List merges of the last 30 days",
    text: "Returns the guests that were merged into this shopper, newest first.",
    parameters: &[USEREMAIL.required()],
    answer: Answer::Json(|| {
        let merge = object(
            &[
                ("regid", text("Regid of the guest.")),
                ("cts", time("Time of the merge, or of the last request that moved more.")),
                ("undountil", time("Time until which the merge can be undone.")),
                ("undone", flag("`true` if the merge was undone.")),
                ("lists", whole("Number of lists that were moved or merged.")),
                ("items", whole("Number of their items.")),
            ],
            &[(
                "leftlists",
                whole(
                    "Number of lists that stay with the guest because of the shopper's limits. Absent if there are none.",
                ),
            )],
        );
        object(&[success(), ("merges", array(merge))], &[])
    }),
    ..LOGINS
};

pub(crate) const UNDO_MERGE: Description = Description {
    id: "undoMerge",
    summary: "Undo a merge",
    text: "Returns the lists to the guest. Possible for 30 days. Changes that the shopper made since are kept. `undone` is `false` if there was nothing to undo.",
    parameters: &[GUEST, USEREMAIL.required()],
    idempotent: true,
    errors: &[Code::BadRegid, Code::Forbidden],
    answer: Answer::Json(|| {
        object(
            &[success(), ("undone", flag("`true` if a merge was undone."))],
            &[
                ("regid", text("Regid of the guest.")),
                ("sessionid", text("Session ID of the guest.")),
                ("lists", whole("Number of lists returned to the guest.")),
            ],
        )
    }),
    ..LOGINS
};
