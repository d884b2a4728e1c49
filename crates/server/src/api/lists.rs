//! Lists and their items.

use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::items::input::{MAX_ITEMS_PER_CALL, MAX_NOTE_LENGTH};
use wishbone_core::lists::row::{MAX_NAME_LENGTH, MAX_TYPE_LENGTH};
use wishbone_core::sharing::counts::{MAX_PRODUCTS, MAX_VARIANTS};

use crate::api::operation::{Answer, Description, IF_VERSION, Kind, LID, OPERATION, Parameter, form, query};
use crate::api::schemas::{
    array, array_of, item_or_failed, list_with, named_item, object, product_id, properties, refer, success, whole,
};

/// Bounds of `itemslimit`.
pub(crate) const MIN_ITEMS: i64 = 50;
pub(crate) const MAX_ITEMS: i64 = 100;

const LISTS: Description = Description { tag: "Lists", ..OPERATION };

pub(crate) const LNAME: Parameter =
    form("lname", Kind::Text(MAX_NAME_LENGTH), "The list's name, 1 to 100 characters after trimming.");
pub(crate) const LNOTE: Parameter =
    form("lnote", Kind::Text(MAX_NOTE_LENGTH), "A note of one line; a blank takes it away.");
pub(crate) const LDESC: Parameter = form("ldesc", Kind::Text(MAX_NOTE_LENGTH), "A longer text; a blank takes it away.");
pub(crate) const LPROPS: Parameter = form("lprops", Kind::Json(list_properties), "A map of custom fields.");
pub(crate) const NEXT: Parameter =
    form("next", Kind::Token, "The token for the next page, from the page before. Without it: the first page.");
pub(crate) const ITEMSLIMIT: Parameter =
    form("itemslimit", Kind::Whole(MIN_ITEMS, MAX_ITEMS), "Items a page. The store may have set another default.")
        .or("50");
const LTY: Parameter = form(
    "lty",
    Kind::Text(MAX_TYPE_LENGTH),
    "The type of list; absent, `null` and `wl` are a wishlist, any other text is a type of its own.",
);
const INCLUDE_ARCHIVED: Parameter =
    form("includeArchived", Kind::Flag, "Whether archived lists are among them.").or("false");

pub(crate) const READS: &[Code] = &[Code::ListNotFound, Code::Forbidden];
pub(crate) const CHANGES: &[Code] = &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict];

fn list_properties() -> Value {
    properties("Custom fields.")
}

pub(crate) const FETCH_USER_LIST: Description = Description {
    id: "fetchUserList",
    summary: "A page of one of my lists",
    text: "Newest first, for the logged-in owner of the list. `sortby`, `sortorder` and `filterby` need the enterprise \
           plan and the feature `sort-filter`. Following `next` to the end gives every item exactly once, also while \
           others are added and removed; with another sort or filter it starts over.",
    takes: &[
        LID,
        NEXT,
        ITEMSLIMIT,
        form("sortby", Kind::Word(&["price", "title"]), "Instead of by time of addition. Missing values come last.")
            .like("price"),
        form("sortorder", Kind::Word(&["asc", "desc"]), "The direction.").or("desc").like("asc"),
        form("filterby", Kind::Word(&["instock", "outofstock"]), "Only items that are, or are not, in stock."),
    ],
    needs_login: true,
    errors: &[
        Code::SortFilterDisabled,
        Code::MinItemsLimitNotMet,
        Code::MaxItemsLimitExceeded,
        Code::InvalidNextToken,
        Code::ListNotFound,
        Code::NotGranted,
    ],
    answer: Answer::Json(page),
    ..LISTS
};

fn page() -> Value {
    let data = list_with(&["listcontents", "userinfo"]);
    object(&[success(), ("data", data), ("pagination", object(&[("next", next())], &[]))], &[])
}

pub(crate) fn next() -> Value {
    json!({ "type": ["string", "null"], "description": "The token for the next page; `null` at the end." })
}

pub(crate) const FETCH_USER_LISTS: Description = Description {
    id: "fetchUserLists",
    summary: "All my lists, without their contents",
    text: "Oldest first, for shoppers and guests.",
    takes: &[INCLUDE_ARCHIVED],
    answer: Answer::Json(|| object(&[success(), ("data", array(refer("List")))], &[])),
    ..LISTS
};

pub(crate) const FETCH_LISTS: Description = Description {
    id: "fetchLists",
    summary: "All my lists, each with its newest items",
    text: "A bare array, oldest list first, each with its newest 50 items.",
    takes: &[LTY, INCLUDE_ARCHIVED],
    answer: Answer::Json(|| array(list_with(WHOLE))),
    ..LISTS
};

/// What a list has when it is shown with all that belongs to it.
const WHOLE: &[&str] = &["listcontents", "userinfo", "canEdit", "itemcmnts"];

pub(crate) const FETCH_LIST_WITH_CONTENTS: Description = Description {
    id: "fetchListWithContents",
    summary: "A list together with its items",
    text: "For the owner, for anyone if the list is public, and for whoever has a share link. The items are there twice, \
           as `items` and as `list.listcontents`: the wire format is so. Limited to 20 calls a second for each shopper and \
           200 for each address, with bursts of twice that.",
    takes: &[
        query("limit", Kind::Whole(0, i64::MAX), "At most so many items; without it, all.").like("3"),
        query("offset", Kind::Whole(0, i64::MAX), "So many items are skipped.").or("0"),
        LID,
        form("excludeArchived", Kind::Flag, "Whether an archived list counts as not found.").or("false"),
    ],
    errors: &[Code::ListNotFound, Code::Forbidden, Code::RateLimited],
    tells_rate: true,
    answer: Answer::Json(|| object(&[("list", list_with(WHOLE)), ("items", array(refer("Item")))], &[])),
    ..LISTS
};

pub(crate) const CREATE: Description = Description {
    id: "createList",
    summary: "Make a list, or duplicate one",
    text: "`fromlid` names a list to copy: one's own, a public one, or one that there is a link to. Up to 500 items are \
           there at once; a longer list comes back with `_cp: true` and fills in the background.",
    takes: &[
        Parameter { required: true, ..LNAME }.like("Autumn"),
        LTY,
        LNOTE.like("Rain is fine"),
        LDESC,
        LPROPS.like(r#"{"colour":"moss"}"#),
        form("fromlid", Kind::List, "The list to duplicate: its id, or the key of a share link to it."),
    ],
    once: true,
    errors: &[Code::LimitReached, Code::ListNotFound, Code::Forbidden],
    answer: Answer::Json(|| list_with(&["listcontents"])),
    ..LISTS
};

pub(crate) const UPDATE: Description = Description {
    id: "updateList",
    summary: "Rename, describe or archive a list",
    text: "What is absent stays as it is; at least one of `lname lnote lprops ldesc archived` must be there.",
    takes: &[
        LID,
        LNAME,
        LNOTE.like("Bring a friend"),
        LDESC,
        LPROPS,
        form("archived", Kind::Flag, "Whether the list is put away. For its owner alone."),
        IF_VERSION,
    ],
    once: true,
    errors: CHANGES,
    answer: Answer::Json(|| refer("List")),
    ..LISTS
};

pub(crate) const DELETE_LIST: Description = Description {
    id: "deleteList",
    summary: "Delete a list and its items",
    text: "Answers the list as it was.",
    takes: &[LID.like("{spare_lid}"), IF_VERSION],
    once: true,
    errors: CHANGES,
    answer: Answer::Json(|| refer("List")),
    ..LISTS
};

pub(crate) const UPDATE_CTX: Description = Description {
    id: "updateListItems",
    summary: "Add, change and delete items",
    text: "One transaction, which applies `d`, then `u`, then `a`; at least one of them, and 500 elements in all. Adding a \
           variant that is there is a success: it keeps its place and takes what the input sets. Deleting what is not \
           there is one too. The answer has the letters that were sent; each element is an item or a failed element.",
    takes: &[
        LID,
        form("a", Kind::Json(products), "Products to add.")
            .like(r#"[{"epi":{epi},"empi":{empi},"du":"{du}","qty":2,"note":"in blue"}]"#),
        form("u", Kind::Json(products), "Products to change: what is absent stays, `cprops` is replaced as a whole."),
        form("d", Kind::Json(named_items), "Items to delete, by `epi`, and by `empi` if it is sent."),
        IF_VERSION,
    ],
    once: true,
    tells_version: true,
    errors: CHANGES,
    answer: Answer::Json(|| {
        let done = || array(item_or_failed());
        object(&[], &[("a", done()), ("u", done()), ("d", done())])
    }),
    ..LISTS
};

pub(crate) fn products() -> Value {
    array_of(refer("Product"), MAX_ITEMS_PER_CALL)
}

pub(crate) fn named_items() -> Value {
    array_of(named_item(), MAX_ITEMS_PER_CALL)
}

pub(crate) const MOVE_ITEMS: Description = Description {
    id: "moveItems",
    summary: "Move items from one list to another",
    text: "One transaction: nothing leaves `fromlid` unless it is in `tolid`. `already` has those that were there before. \
           Needs the feature `save-for-later` if one of the lists is such a list.",
    takes: &[
        form("fromlid", Kind::List, "The list that they leave: its id, or the key of a share link.")
            .required()
            .like("{saved_lid}"),
        form("tolid", Kind::List, "The list that they come to: its id, or the key of a share link.")
            .required()
            .like("{lid}"),
        form("items", Kind::Json(named_items), "Which items, by `epi`, and by `empi` if it is to match.")
            .required()
            .like(r#"[{"epi":{saved_epi}}]"#),
        Parameter { text: "The `version` that `fromlid` must have.", ..IF_VERSION },
    ],
    once: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict, Code::FeatureNotEnabled],
    answer: Answer::Json(|| {
        let items = || array(refer("Item"));
        let failed = array(refer("FailedElement"));
        let (from, to) = (whole("The version of `fromlid` now."), whole("The version of `tolid` now."));
        let always = [success(), ("moved", items()), ("already", items()), ("failed", failed)];
        object(&[&always[..], &[("fromversion", from), ("toversion", to)]].concat(), &[])
    }),
    ..LISTS
};

pub(crate) const MARK_PUBLIC: Description = Description {
    id: "markPublic",
    summary: "Let anyone read a list, or take that back",
    text: "A public list is read by anyone who has its `lid`, through `fetch-list-with-contents`. Visitors never see an \
           address.",
    takes: &[LID, form("public", Kind::Flag, "`false` makes it private again.").or("true"), IF_VERSION],
    needs_login: true,
    once: true,
    errors: CHANGES,
    answer: Answer::Json(|| list_with(WHOLE)),
    ..LISTS
};

pub(crate) const CONTAINS: Description = Description {
    id: "contains",
    summary: "Which variants are on which of my lists",
    text: "Hearts for a whole page of products in one call. Archived lists do not count.",
    takes: &[form("epis", Kind::Json(variants), "The variants.").required().like("[{epi},2,3]")],
    answer: Answer::Json(|| {
        let lids = json!({ "type": "array", "items": { "type": "string", "format": "uuid" } });
        let data = json!({ "type": "object", "additionalProperties": lids,
                           "description": "The lids of the lists that have it, by `epi`." });
        object(&[success(), ("data", data)], &[])
    }),
    ..LISTS
};

fn variants() -> Value {
    array_of(product_id(), MAX_VARIANTS)
}

pub(crate) const SOCIAL_COUNT: Description = Description {
    id: "socialCount",
    summary: "How many shoppers want a product",
    text: "The exact number of shoppers with it on a wishlist. Send `empi` for one product, or `empis` for several: the \
           answer has the shape of the question.",
    takes: &[
        form("empi", Kind::ProductId, "The product.").like("{empi}"),
        form("empis", Kind::Json(|| array_of(product_id(), MAX_PRODUCTS)), "The products."),
    ],
    answer: Answer::Json(|| {
        let one = object(&[("count", whole("How many shoppers.")), ("empi", whole("The product."))], &[]);
        object(&[success(), ("data", json!({ "anyOf": [one, array(one.clone())] }))], &[])
    }),
    ..LISTS
};
