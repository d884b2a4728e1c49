//! Links, comments, mail.

use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::items::input::LONGEST_NOTE;
use wishbone_core::mail::message::LONGEST_SENDER;
use wishbone_core::sharing::comments::{LONGEST_COMMENT, LONGEST_NAME};
use wishbone_core::sharing::links::LONGEST_LABEL;
use wishbone_core::sharing::reports::LONGEST_MEDIUM;

use crate::api::lists::{CHANGES, READS};
use crate::api::operation::{Answer, Description, IF_VERSION, Kind, LID, OPERATION, Parameter, form};
use crate::api::schemas::{array, object, refer, success, text, whole};

/// The largest `limit` of comments/list.
pub(crate) const MAX_COMMENTS: i64 = 1_000;

const SHARING: Description = Description { tag: "Sharing", ..OPERATION };

const FROMNAME: Parameter = form(
    "fromname",
    Kind::Text(LONGEST_SENDER),
    "Display name of the shopper. Default: the name in the profile, or the store's name.",
)
.like("Ann");
const EPI: Parameter = form("epi", Kind::ProductId, "Variant ID.");

pub(crate) const CREATE_LINK: Description = Description {
    id: "createShareLink",
    summary: "Create a share link",
    text: "The link's `key` can be used in place of a `lid` with any regid of the store, until the link expires or is revoked. \
           The scope `edit` also allows changing the items, name and note, and commenting.",
    takes: &[
        LID,
        form("scope", Kind::Word(&["view", "edit"]), "Access that the link grants.").or("view").like("edit"),
        form("expires", Kind::Time, "Expiry time in milliseconds since the Unix epoch. Must be in the future."),
        form("label", Kind::Text(LONGEST_LABEL), "Label, shown only to the owner.").like("For Ben"),
        IF_VERSION,
    ],
    needs_login: true,
    once: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict, Code::LimitReached],
    answer: Answer::Json(|| object(&[success(), ("link", refer("ShareLink"))], &[])),
    ..SHARING
};

pub(crate) const LIST_LINKS: Description = Description {
    id: "listShareLinks",
    summary: "List share links",
    text: "Returns the links of a list, oldest first. Owner only.",
    takes: &[LID],
    needs_login: true,
    errors: READS,
    answer: Answer::Json(|| object(&[success(), ("links", array(refer("ShareLink")))], &[])),
    ..SHARING
};

pub(crate) const REVOKE_LINKS: Description = Description {
    id: "revokeShareLinks",
    summary: "Revoke share links",
    text: "Send `key` for one link, or `all=true` for all links of the list. Revoked links are rejected as soon as the response is sent.",
    takes: &[
        LID,
        form("key", Kind::Token, "Key of the link to revoke."),
        form("all", Kind::Flag, "Revoke all links of the list.").or("false").like("true"),
        IF_VERSION,
    ],
    needs_login: true,
    once: true,
    errors: CHANGES,
    answer: Answer::Json(|| object(&[success(), ("revoked", whole("Number of links revoked."))], &[])),
    ..SHARING
};

pub(crate) const ADD_COMMENT: Description = Description {
    id: "addComment",
    summary: "Comment on an item",
    text: "Requires edit access to the list. A list can have up to 5,000 comments.",
    takes: &[
        LID,
        EPI.required().like("{epi}"),
        form("text", Kind::Text(LONGEST_COMMENT), "Comment text.").required().like("In blue?"),
        Parameter { kind: Kind::Text(LONGEST_NAME), text: "Display name of the author.", ..FROMNAME },
        IF_VERSION,
    ],
    once: true,
    tells_version: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict, Code::ItemNotFound, Code::LimitReached],
    answer: Answer::Json(|| commented(refer("Comment"))),
    ..SHARING
};

fn commented(comment: Value) -> Value {
    object(&[success(), ("comment", comment), ("itemcmnts", whole("Number of comments in the list."))], &[])
}

pub(crate) const LIST_COMMENTS: Description = Description {
    id: "listComments",
    summary: "List comments",
    text: "Returns the comments of a list, or of one item, grouped by item, oldest first.",
    takes: &[
        LID,
        EPI,
        form("limit", Kind::Whole(1, MAX_COMMENTS), "Maximum number of comments.").or("100"),
        form("offset", Kind::Whole(0, i64::MAX), "Number of comments to skip.").or("0"),
    ],
    errors: READS,
    answer: Answer::Json(|| {
        let numbers = [
            ("total", whole("Total number of comments.")),
            ("limit", whole("Limit of the request.")),
            ("offset", whole("Offset of the request.")),
        ];
        object(&[&[success(), ("comments", array(refer("Comment")))], &numbers[..]].concat(), &[])
    }),
    ..SHARING
};

pub(crate) const DELETE_COMMENT: Description = Description {
    id: "deleteComment",
    summary: "Delete a comment",
    text: "The author and the list's owner can delete a comment. `comment` is `null` if it did not exist.",
    takes: &[
        LID,
        form("id", Kind::Uuid(None), "Comment ID.").required().like("00000000-0000-4000-8000-000000000001"),
        IF_VERSION,
    ],
    once: true,
    tells_version: true,
    errors: CHANGES,
    answer: Answer::Json(|| commented(json!({ "anyOf": [refer("Comment"), { "type": "null" }] }))),
    ..SHARING
};

pub(crate) const EMAIL_LIST: Description = Description {
    id: "emailList",
    summary: "Email a list",
    text: "Queues an email with the list and sends it once. Owner only. By default a shopper can send 10 lists per hour, and \
           an address can receive 5 per hour from all shoppers of a store.",
    takes: &[
        LID,
        FROMNAME,
        form("toemail", Kind::Email, "Recipient.").required().like("cleo@fernweh.example"),
        form("note", Kind::Text(LONGEST_NOTE), "Personal message.").like("Any of these!"),
    ],
    needs_login: true,
    once: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::RateLimited],
    answer: Answer::Json(|| object(&[("listinfo", refer("List")), ("msg", text("Confirmation message."))], &[])),
    ..SHARING
};

pub(crate) const REPORT_SHARE: Description = Description {
    id: "reportShare",
    summary: "Report a share",
    text: "Counts a share by medium. Requires read access to the list. The name is not stored.",
    takes: &[
        LID,
        FROMNAME,
        form("medium", Kind::Text(LONGEST_MEDIUM), "Where the list was shared. Any value.").required().like("email"),
    ],
    once: true,
    errors: READS,
    answer: Answer::Json(|| object(&[("lid", text("List ID, as sent."))], &[])),
    ..SHARING
};
