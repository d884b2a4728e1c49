//! Who is who.

use wishbone_core::error::Code;

use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form};
use crate::api::schemas::{constant, flag, object, refer, success, text};

/// The longest part of a profile.
pub(crate) const MAX_PROFILE_TEXT: usize = 200;

const IDENTITY: Description = Description { tag: "Identity", ..OPERATION };

pub(crate) const USEREMAIL: Parameter =
    form("useremail", Kind::Email, "The shopper's e-mail address, in any case.").like("ben@fernweh.example");
pub(crate) const AGENT_TYPE: Parameter =
    form("useragenttype", Kind::AnyText, "Part of the wire format; not looked at.");

pub(crate) const ME: Description = Description {
    id: "me",
    summary: "Whether the API key works",
    answer: Answer::Json(|| object(&[("pid", text("The store's id.")), ("appId", constant("StoreadminApi"))], &[])),
    ..IDENTITY
};

pub(crate) const GENERATE_REGID: Description = Description {
    id: "generateRegid",
    summary: "An identity for a shopper or a guest",
    text: "Send `useremail` for someone who is logged in, or `uuid` for a device that you made one up for. The same one \
           always gives the same regid, and asking again writes nothing.",
    takes: &[USEREMAIL, form("uuid", Kind::Uuid(Some(4)), "A version 4 UUID of the device."), AGENT_TYPE.like("curl")],
    answer: Answer::Json(|| refer("Credentials")),
    // A device whose guest has just become somebody.
    errors: &[Code::BadRegid, Code::OutcomeUnknown],
    ..IDENTITY
};

pub(crate) const REVOKE_SESSIONS: Description = Description {
    id: "revokeSessions",
    summary: "End sessions",
    text: "Send `useremail` for one shopper, or `all=true` for the whole store. Sessionids stop working at once; regids and \
           lists stay, but browser guests need a new regid when a whole store is revoked.",
    takes: &[
        Parameter { example: Some("chloe@fernweh.example"), ..USEREMAIL },
        form("all", Kind::Flag, "Every session of the store.").or("false"),
    ],
    once: true,
    answer: Answer::Json(|| object(&[success(), ("revoked", flag("Whether there was such a shopper."))], &[])),
    ..IDENTITY
};

pub(crate) const REGISTER: Description = Description {
    id: "register",
    summary: "An identity for a new guest of a browser",
    text: "Needs no key and no body. Such a guest may also make up a sessionid, of 8 to 128 characters of `A-Z a-z 0-9 - _`.",
    answer: Answer::Json(|| refer("Credentials")),
    ..IDENTITY
};

const WORD: Kind = Kind::Text(MAX_PROFILE_TEXT);

pub(crate) const SAVE_USER: Description = Description {
    id: "saveUser",
    summary: "Save the shopper's profile",
    text: "What is absent stays. It is shown as `userinfo`.",
    takes: &[
        form("fname", WORD, "First name.").like("Ann"),
        form("lname", WORD, "Last name.").like("Example"),
        form("acceptMarketing", Kind::Flag, "Whether marketing is welcome."),
        form("language", WORD, "Language.").like("de"),
        form("region", WORD, "Region."),
    ],
    once: true,
    answer: Answer::Json(|| object(&[("message", constant("User saved."))], &[])),
    ..IDENTITY
};
