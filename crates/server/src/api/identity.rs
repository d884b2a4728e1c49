//! Identity.

use serde_json::json;
use wishbone_core::error::Code;
use wishbone_core::stores::settings::Feature;

use crate::api::json_schema::{array, constant, flag, object, refer, success, text};
use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form};

/// Maximum length of each text of a profile.
pub(crate) const MAX_PROFILE_TEXT: usize = 200;

const IDENTITY: Description = Description { tag: "Identity", ..OPERATION };

pub(crate) const USEREMAIL: Parameter =
    form("useremail", Kind::Email, "The shopper's email address. Case-insensitive.").like("ben@fernweh.example");
pub(crate) const AGENT_TYPE: Parameter =
    form("useragenttype", Kind::AnyText, "Accepted for compatibility and ignored.");

pub(crate) const ME: Description = Description {
    id: "me",
    summary: "Check API key",
    text: "Returns the store that the API key belongs to.",
    answer: Answer::Json(|| object(&[("pid", text("Store ID.")), ("appId", constant("StoreadminApi"))], &[])),
    ..IDENTITY
};

pub(crate) const GENERATE_REGID: Description = Description {
    id: "generateRegid",
    summary: "Generate credentials for a shopper or guest",
    text: "Send `useremail` for a logged-in shopper, or `uuid` for a guest device. The same value always returns the same \
           regid, and repeating the request writes nothing.",
    parameters: &[
        USEREMAIL,
        form("uuid", Kind::Uuid(Some(4)), "Device ID: a version 4 UUID that you generate."),
        AGENT_TYPE.like("curl"),
    ],
    answer: Answer::Json(|| refer("Credentials")),
    // A device whose guest has just logged in.
    errors: &[Code::BadRegid, Code::OutcomeUnknown],
    ..IDENTITY
};

pub(crate) const REVOKE_SESSIONS: Description = Description {
    id: "revokeSessions",
    summary: "Revoke sessions",
    text: "Send `useremail` for one shopper, or `all=true` for the whole store. Session IDs are rejected immediately. Regids \
           and lists are not affected, except that browser guests need a new regid after `all=true`.",
    parameters: &[
        Parameter { example: Some("chloe@fernweh.example"), ..USEREMAIL },
        form("all", Kind::Flag, "Revoke all sessions of the store.").or("false"),
    ],
    idempotent: true,
    answer: Answer::Json(|| object(&[success(), ("revoked", flag("`true` if the shopper exists."))], &[])),
    ..IDENTITY
};

pub(crate) const REGISTER: Description = Description {
    id: "register",
    summary: "Register a browser guest",
    text: "Returns credentials for a new guest. Requires no API key and no body. The browser may replace the sessionid with one \
           of its own: 8 to 128 characters of `A-Z a-z 0-9 - _`.",
    answer: Answer::Json(|| refer("Credentials")),
    ..IDENTITY
};

pub(crate) const FEATURES: Description = Description {
    id: "features",
    summary: "List the store's features",
    text: "Returns which optional features the store has, for pages that show only what works. Requires only `pid`.",
    answer: Answer::Json(|| {
        let names = json!({ "type": "string", "enum": Feature::ALL.map(Feature::as_str) });
        object(&[success(), ("data", object(&[("features", array(names))], &[]))], &[])
    }),
    ..IDENTITY
};

const WORD: Kind = Kind::Text(MAX_PROFILE_TEXT);

pub(crate) const SAVE_USER: Description = Description {
    id: "saveUser",
    summary: "Update the shopper's profile",
    text: "Omitted fields are unchanged. The profile is returned as `userinfo`.",
    parameters: &[
        form("fname", WORD, "First name.").like("Ann"),
        form("lname", WORD, "Last name.").like("Example"),
        form("acceptMarketing", Kind::Flag, "`true` if the shopper accepts marketing messages."),
        form("language", WORD, "Language.").like("de"),
        form("region", WORD, "Region."),
        form(
            "alertdigest",
            Kind::Word(&["daily", "off"]),
            "`daily`: product alerts to the shopper's address come in at most one mail a day. Requires a logged-in shopper.",
        ),
    ],
    idempotent: true,
    errors: &[Code::UserNotLoggedIn],
    answer: Answer::Json(|| object(&[("message", constant("User saved."))], &[])),
    ..IDENTITY
};
