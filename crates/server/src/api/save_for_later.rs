//! The save-for-later list.

use serde_json::Value;
use wishbone_core::error::Code;

use crate::api::json_schema::{array, object, refer, whole};
use crate::api::lists::{ITEMSLIMIT, LDESC, LNAME, LNOTE, LPROPS, NEXT, named_items, next, products};
use crate::api::operation::{Answer, Description, IF_VERSION, Kind, LID, OPERATION, Parameter, form};

const SAVED: Description = Description { tag: "Save for later", feature: Some("save-for-later"), ..OPERATION };
const CHANGE: Description = Description {
    idempotent: true,
    returns_version: true,
    errors: &[Code::NotSaveForLater, Code::ListNotFound, Code::Forbidden, Code::VersionConflict],
    ..SAVED
};

const SAVED_LID: Parameter = LID.like("{saved_lid}");
const ITEMS: Parameter = form("items", Kind::Json(products), "Up to 500 products.")
    .required()
    .like(r#"[{"epi":{saved_epi},"empi":{saved_empi},"du":"{saved_du}","qty":3,"note":"from the terminal"}]"#);
const NAMED: Parameter = form("items", Kind::Json(named_items), "Items, identified by `epi` and, if sent, `empi`.")
    .required()
    .like(r#"[{"epi":{saved_epi}}]"#);

pub(crate) const CREATE: Description = Description {
    id: "createSaveForLater",
    summary: "Create the save-for-later list",
    text: "A shopper has one save-for-later list. If it exists, it is returned.",
    parameters: &[Parameter { default: Some("Saved for later"), ..LNAME }, LNOTE, LDESC, LPROPS],
    idempotent: true,
    errors: &[Code::LimitReached],
    answer: Answer::Json(|| refer("List")),
    ..SAVED
};

pub(crate) const FETCH: Description = Description {
    id: "fetchSaveForLater",
    summary: "Fetch the save-for-later list, paginated",
    text: "Creates the list if it does not exist.",
    parameters: &[NEXT, ITEMSLIMIT],
    errors: &[
        Code::MinItemsLimitNotMet,
        Code::MaxItemsLimitExceeded,
        Code::InvalidNextToken,
        Code::LimitReached,
        Code::OutcomeUnknown,
        Code::RateLimited,
        // Deleted by another call in between.
        Code::ListNotFound,
    ],
    answer: Answer::Json(|| {
        let pagination =
            [("totalcount", whole("Total number of items.")), ("next", next()), ("limit", whole("Items per page."))];
        object(
            &[
                ("list", refer("List")),
                ("items", array(refer("Item"))),
                ("userinfo", refer("UserInfo")),
                ("pagination", object(&pagination, &[])),
            ],
            &[],
        )
    }),
    ..SAVED
};

fn changed(key: &str) -> Value {
    object(&[(key, array(refer("Item"))), ("itemsfailed", array(refer("FailedElement")))], &[])
}

pub(crate) const ADD: Description = Description {
    id: "addSavedItems",
    summary: "Save items for later",
    parameters: &[SAVED_LID, ITEMS, IF_VERSION],
    answer: Answer::Json(|| changed("itemsadded")),
    ..CHANGE
};

pub(crate) const UPDATE: Description = Description {
    id: "updateSavedItems",
    summary: "Update saved items",
    text: "Omitted fields are unchanged; `cprops` is replaced as a whole.",
    parameters: &[
        SAVED_LID,
        ITEMS,
        form("user-agent", Kind::AnyText, "Name of the calling application. A form field here, not a header.")
            .required()
            .like("curl"),
        IF_VERSION,
    ],
    answer: Answer::Json(|| changed("itemsupdated")),
    ..CHANGE
};

pub(crate) const REMOVE: Description = Description {
    id: "removeSavedItems",
    summary: "Remove saved items",
    parameters: &[SAVED_LID, NAMED, IF_VERSION],
    answer: Answer::Json(|| changed("itemsdeleted")),
    ..CHANGE
};

pub(crate) const MOVED_TO_CART: Description = Description {
    id: "movedToCart",
    summary: "Mark items as moved to cart",
    text: "Removes the items from the list.",
    parameters: &[SAVED_LID, NAMED, IF_VERSION],
    answer: Answer::Json(|| changed("itemsmoved")),
    ..CHANGE
};
