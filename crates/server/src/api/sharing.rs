//! Links, comments, mail.

use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::items::input::MAX_NOTE_LENGTH;
use wishbone_core::mail::message::MAX_SENDER_LENGTH;
use wishbone_core::sharing::comments::{MAX_COMMENT_LENGTH, MAX_NAME_LENGTH};
use wishbone_core::sharing::links::MAX_LABEL_LENGTH;
use wishbone_core::sharing::reports::MAX_MEDIUM_LENGTH;

use crate::api::lists::{CHANGES, READS};
use crate::api::operation::{Answer, Description, IF_VERSION, Kind, LID, OPERATION, Parameter, form};
use crate::api::schemas::{array, object, refer, success, text, whole};

/// The largest `limit` of comments/list.
pub(crate) const MAX_COMMENTS: i64 = 1_000;

const SHARING: Description = Description { tag: "Sharing", ..OPERATION };

const FROMNAME: Parameter =
    form("fromname", Kind::Text(MAX_SENDER_LENGTH), "The name that the shopper goes by.").like("Ann");
const EPI: Parameter = form("epi", Kind::ProductId, "The variant.");

pub(crate) const CREATE_LINK: Description = Description {
    id: "createShareLink",
    summary: "Give someone a link to a list",
    text: "The link's `key` stands wherever a call takes a `lid`, for anyone with any regid of the store, until it \
           expires or is taken back. With the scope `edit` they also change items, name and note, and comment.",
    takes: &[
        LID,
        form("scope", Kind::Word(&["view", "edit"]), "What the link lets people do.").or("view").like("edit"),
        form("expires", Kind::Time, "When it ends; it must be a time to come."),
        form("label", Kind::Text(MAX_LABEL_LENGTH), "Your own words for it.").like("For Ben"),
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
    summary: "The links to a list",
    text: "Oldest first, for the list's owner.",
    takes: &[LID],
    needs_login: true,
    errors: READS,
    answer: Answer::Json(|| object(&[success(), ("links", array(refer("ShareLink")))], &[])),
    ..SHARING
};

pub(crate) const REVOKE_LINKS: Description = Description {
    id: "revokeShareLinks",
    summary: "Take links back",
    text: "Send `key` for one link, or `all=true`. Nothing is read or written through a link once this has been answered.",
    takes: &[
        LID,
        form("key", Kind::Token, "The link to take back."),
        form("all", Kind::Flag, "Every link of the list.").or("false").like("true"),
        IF_VERSION,
    ],
    needs_login: true,
    once: true,
    errors: CHANGES,
    answer: Answer::Json(|| object(&[success(), ("revoked", whole("How many were taken back."))], &[])),
    ..SHARING
};

pub(crate) const ADD_COMMENT: Description = Description {
    id: "addComment",
    summary: "Comment on an item",
    text: "Needs the right to change the list. A list has at most 5,000 comments.",
    takes: &[
        LID,
        EPI.required().like("{epi}"),
        form("text", Kind::Text(MAX_COMMENT_LENGTH), "What to say.").required().like("In blue?"),
        Parameter { kind: Kind::Text(MAX_NAME_LENGTH), ..FROMNAME },
        IF_VERSION,
    ],
    once: true,
    tells_version: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict, Code::ItemNotFound, Code::LimitReached],
    answer: Answer::Json(|| commented(refer("Comment"))),
    ..SHARING
};

fn commented(comment: Value) -> Value {
    object(&[success(), ("comment", comment), ("itemcmnts", whole("How many comments the list has now."))], &[])
}

pub(crate) const LIST_COMMENTS: Description = Description {
    id: "listComments",
    summary: "The comments of a list or an item",
    text: "Item by item, oldest first.",
    takes: &[
        LID,
        EPI,
        form("limit", Kind::Whole(1, MAX_COMMENTS), "At most so many.").or("100"),
        form("offset", Kind::Whole(0, i64::MAX), "So many are skipped.").or("0"),
    ],
    errors: READS,
    answer: Answer::Json(|| {
        let numbers =
            [("total", whole("How many there are.")), ("limit", whole("As asked.")), ("offset", whole("As asked."))];
        object(&[&[success(), ("comments", array(refer("Comment")))], &numbers[..]].concat(), &[])
    }),
    ..SHARING
};

pub(crate) const DELETE_COMMENT: Description = Description {
    id: "deleteComment",
    summary: "Delete a comment",
    text: "For its author and for the list's owner. `comment` is `null` when there was none.",
    takes: &[
        LID,
        form("id", Kind::Uuid(None), "The comment.").required().like("00000000-0000-4000-8000-000000000001"),
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
    summary: "Mail a list to someone",
    text: "For the list's owner. A success means that the mail is kept and will be sent, once. A shopper may mail 10 lists \
           an hour, and an address is sent 5 by all shoppers of a store together, unless the store has other limits.",
    takes: &[
        LID,
        FROMNAME,
        form("toemail", Kind::Email, "Who gets it.").required().like("cleo@fernweh.example"),
        form("note", Kind::Text(MAX_NOTE_LENGTH), "Words to go with it.").like("Any of these!"),
    ],
    needs_login: true,
    once: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::RateLimited],
    answer: Answer::Json(|| object(&[("listinfo", refer("List")), ("msg", text("A word for the shopper."))], &[])),
    ..SHARING
};

pub(crate) const REPORT_SHARE: Description = Description {
    id: "reportShare",
    summary: "Say that a list was shared",
    text: "Counts by medium. For whoever may read the list; the name is not kept.",
    takes: &[
        LID,
        FROMNAME,
        form("medium", Kind::Text(MAX_MEDIUM_LENGTH), "Where it was shared: any word.").required().like("email"),
    ],
    once: true,
    errors: READS,
    answer: Answer::Json(|| object(&[("lid", text("The list, as it was named."))], &[])),
    ..SHARING
};
