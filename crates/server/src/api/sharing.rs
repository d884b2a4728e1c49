//! Share links, comments, mail and share reports.

use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::items::input::MAX_NOTE_LENGTH;
use wishbone_core::mail::message::MAX_SENDER_LENGTH;
use wishbone_core::sharing::comments::{MAX_COMMENT_LENGTH, MAX_NAME_LENGTH};
use wishbone_core::sharing::links::MAX_LABEL_LENGTH;
use wishbone_core::sharing::reports::MAX_MEDIUM_LENGTH;

use crate::api::json_schema::{array, object, refer, success, text, whole};
use crate::api::lists::{CHANGES, READS};
use crate::api::operation::{Answer, Description, IF_VERSION, Kind, LID, OPERATION, Parameter, form};

/// The largest `limit` of comments/list.
pub(crate) const MAX_COMMENTS: i64 = 1_000;

const SHARING: Description = Description { tag: "Sharing", ..OPERATION };

const FROMNAME: Parameter = form(
    "fromname",
    Kind::Text(MAX_SENDER_LENGTH),
    "Display name of the shopper. Defaults to the saved name, else the name of the store.",
)
.like("Ann");
const EPI: Parameter = form("epi", Kind::ProductId, "Variant ID.");

pub(crate) const CREATE_LINK: Description = Description {
    id: "createShareLink",
    summary: "Create a share link",
    text: "The link's `key` can be used in place of a `lid` with any regid of the store, until the link expires or is revoked. \
           The scope `edit` also allows changing the items, name and note, and commenting. The link's `url` is a page of this \
           server with the list, with a preview for messengers.",
    parameters: &[
        LID,
        form("scope", Kind::Word(&["view", "edit"]), "Access that the link grants.").or("view").like("edit"),
        form("expires", Kind::Time, "Expiry time in milliseconds since the Unix epoch. Must be in the future."),
        form("label", Kind::Text(MAX_LABEL_LENGTH), "Label, shown only to the owner.").like("For Ben"),
        Parameter { text: "Name of the owner, shown to everyone who opens the link. Default: none.", ..FROMNAME },
        IF_VERSION,
    ],
    needs_login: true,
    idempotent: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict, Code::LimitReached],
    answer: Answer::Json(|| object(&[success(), ("link", refer("ShareLink"))], &[])),
    ..SHARING
};

pub(crate) const LIST_LINKS: Description = Description {
    id: "listShareLinks",
    summary: "List share links",
    text: "Returns the links of a list, oldest first. Owner only.",
    parameters: &[LID],
    needs_login: true,
    errors: READS,
    answer: Answer::Json(|| object(&[success(), ("links", array(refer("ShareLink")))], &[])),
    ..SHARING
};

pub(crate) const REVOKE_LINKS: Description = Description {
    id: "revokeShareLinks",
    summary: "Revoke share links",
    text: "Send `key` for one link, or `all=true` for all links of the list. Revoked links are rejected as soon as the response is sent.",
    parameters: &[
        LID,
        form("key", Kind::Token, "Key of the link to revoke."),
        form("all", Kind::Flag, "Revoke all links of the list.").or("false").like("true"),
        IF_VERSION,
    ],
    needs_login: true,
    idempotent: true,
    errors: CHANGES,
    answer: Answer::Json(|| object(&[success(), ("revoked", whole("Number of links revoked."))], &[])),
    ..SHARING
};

pub(crate) const ADD_COMMENT: Description = Description {
    id: "addComment",
    summary: "Comment on an item",
    text: "Requires edit access to the list. A list can have up to 1,000 comments.",
    parameters: &[
        LID,
        EPI.required().like("{epi}"),
        form("text", Kind::Text(MAX_COMMENT_LENGTH), "Comment text.").required().like("In blue?"),
        Parameter { kind: Kind::Text(MAX_NAME_LENGTH), text: "Display name of the author.", ..FROMNAME },
        IF_VERSION,
    ],
    idempotent: true,
    returns_version: true,
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
    text: "Returns the comments of a list, or of one item, grouped by item, oldest first. A response has at most 1 MiB: if \
           fewer comments than `limit` fit, it has `nextoffset`, with which the next call continues.",
    parameters: &[
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
        let next = whole("Offset with which the next call continues. Absent unless the response was cut.");
        let required = [&[success(), ("comments", array(refer("Comment")))], &numbers[..]].concat();
        object(&required, &[("nextoffset", next)])
    }),
    ..SHARING
};

pub(crate) const DELETE_COMMENT: Description = Description {
    id: "deleteComment",
    summary: "Delete a comment",
    text: "The author and the list's owner can delete a comment. `comment` is `null` if it did not exist.",
    parameters: &[
        LID,
        form("id", Kind::Uuid(None), "Comment ID.").required().like("00000000-0000-4000-8000-000000000001"),
        IF_VERSION,
    ],
    idempotent: true,
    returns_version: true,
    errors: CHANGES,
    answer: Answer::Json(|| commented(json!({ "anyOf": [refer("Comment"), { "type": "null" }] }))),
    ..SHARING
};

pub(crate) const EMAIL_LIST: Description = Description {
    id: "emailList",
    summary: "Email a list",
    text: "Queues an email with the list and sends it once. Owner only. By default a shopper can send 10 lists per hour, and \
           an address can receive 5 per hour from all shoppers of a store. The mail leads to the list, with a share link of \
           its own that is valid for a year and can be revoked: to the store's page for shared lists (`--list-url`), else to \
           that of this server. `fromname` is shown there too, if it was sent. Products link to the shop only, and texts \
           are written so that mail programs find no links in them.",
    parameters: &[
        LID,
        FROMNAME,
        form("toemail", Kind::Email, "Recipient.").required().like("cleo@fernweh.example"),
        form("note", Kind::Text(MAX_NOTE_LENGTH), "Personal message.").like("Any of these!"),
    ],
    needs_login: true,
    idempotent: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::RateLimited],
    answer: Answer::Json(|| object(&[("listinfo", refer("List")), ("msg", text("Confirmation message."))], &[])),
    ..SHARING
};

pub(crate) const REPORT_SHARE: Description = Description {
    id: "reportShare",
    summary: "Report a share",
    text: "Counts a share by medium. Requires read access to the list. The name is not stored.",
    parameters: &[
        LID,
        FROMNAME,
        form("medium", Kind::Text(MAX_MEDIUM_LENGTH), "Where the list was shared. Any value.").required().like("email"),
    ],
    idempotent: true,
    errors: READS,
    answer: Answer::Json(|| object(&[("lid", text("List ID, as sent."))], &[])),
    ..SHARING
};
