//! Guests become shoppers.

use serde_json::{Value, json};
use wishbone_core::error::Code;

use crate::api::identity::{AGENT_TYPE, USEREMAIL};
use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form};
use crate::api::schemas::{array, flag, object, refer, success, text, time, uuid, whole};

const LOGINS: Description = Description { tag: "Logging in", ..OPERATION };
const GUEST: Parameter = form("regid", Kind::Regid, "The guest's regid.").required().like("{guest_regid}");

pub(crate) const GUEST_VALIDATE_SYNC: Description = Description {
    id: "guestValidateSync",
    summary: "Make a guest's lists a shopper's",
    text: "One transaction, and saying it again changes nothing. Lists of the same type and name become one; no item is \
           lost. Afterwards the guest's regid is retired. `dryrun=true` does nothing, and answers what would be done.",
    takes: &[
        GUEST,
        USEREMAIL.required(),
        AGENT_TYPE,
        form("sessionid", Kind::Sessionid, "One that the guest's browser made up and that is to go on working."),
        form("dryrun", Kind::Flag, "Whether only to say what would be done.").or("false").like("true"),
    ],
    once: true,
    errors: &[Code::BadRegid, Code::Forbidden],
    answer: Answer::Json(|| json!({ "anyOf": [refer("Credentials"), preview()] })),
    ..LOGINS
};

fn preview() -> Value {
    let list = [
        ("lid", uuid("The guest's list.")),
        ("lname", text("Its name.")),
        ("lty", text("Its type.")),
        ("cnt", whole("How many items it has.")),
    ];
    let union = [
        ("into", uuid("The list that it becomes part of.")),
        ("adds", whole("How many items are new to it.")),
        ("already", whole("How many it has.")),
    ];
    object(
        &[
            success(),
            ("dryrun", json!({ "const": true })),
            ("moves", array(object(&list, &[]))),
            ("unites", array(object(&[&list[..], &union[..]].concat(), &[]))),
            ("subscriptions", whole("How many go along.")),
        ],
        &[],
    )
}

pub(crate) const USER_VALIDATE_SYNC: Description = Description {
    id: "userValidateSync",
    summary: "Log a guest in with a signed token",
    text: "For pages whose server only signs. The token is base64url of HMAC-SHA256, with the store's login secret, over \
           `pid`, `regid`, `extuid`, `useremail` and `expires`, as they are sent, with line feeds between them.",
    takes: &[
        form("platform", Kind::AnyText, "Part of the wire format; not looked at."),
        form("extuid", Kind::AnyText, "Your own id of the customer.").required().like("42"),
        USEREMAIL.required(),
        form("expires", Kind::Time, "When the token ends, at most 24 hours ahead.").required().like("1767225600000"),
        form("token", Kind::AnyText, "The signature.").required().like("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
    ],
    errors: &[Code::Forbidden, Code::OutcomeUnknown],
    answer: Answer::Json(|| refer("Credentials")),
    ..LOGINS
};

pub(crate) const MERGES: Description = Description {
    id: "merges",
    summary: "The logins of the last 30 days",
    text: "Newest first: which guests became this shopper.",
    takes: &[USEREMAIL.required()],
    answer: Answer::Json(|| {
        let merge = object(
            &[
                ("regid", text("The guest's.")),
                ("cts", time("When it was.")),
                ("undountil", time("Until when it can be undone.")),
                ("undone", flag("Whether it was.")),
                ("lists", whole("How many lists the guest had.")),
                ("items", whole("How many items they had.")),
            ],
            &[],
        );
        object(&[success(), ("merges", array(merge))], &[])
    }),
    ..LOGINS
};

pub(crate) const UNDO_MERGE: Description = Description {
    id: "undoMerge",
    summary: "Give a guest's lists back",
    text: "Possible for 30 days. What the shopper did since is not lost. `undone` is `false` when there was nothing to undo.",
    takes: &[GUEST, USEREMAIL.required()],
    once: true,
    errors: &[Code::BadRegid, Code::Forbidden],
    answer: Answer::Json(|| {
        object(
            &[success(), ("undone", flag("Whether there was something to undo."))],
            &[
                ("regid", text("The guest's.")),
                ("sessionid", text("The guest's.")),
                ("lists", whole("How many lists the guest has again.")),
            ],
        )
    }),
    ..LOGINS
};
