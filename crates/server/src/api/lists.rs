//! Lists and their items.

use serde_json::{Value, json};
use wishbone_core::error::Code;
use wishbone_core::items::input::{MAX_ITEMS_PER_CALL, MAX_NOTE_LENGTH};
use wishbone_core::lists::row::{MAX_NAME_LENGTH, MAX_TYPE_LENGTH};
use wishbone_core::sharing::counts::{MAX_PRODUCTS, MAX_VARIANTS};

use crate::api::json_schema::{array, array_of, object, refer, success, text, whole};
use crate::api::operation::{Answer, Description, IF_VERSION, Kind, LID, OPERATION, Parameter, form, query};
use crate::api::schemas::{item_or_failed, list_with, named_item, product_id, properties};

/// Bounds of `itemslimit`.
pub(crate) const MIN_ITEMS: i64 = 50;
pub(crate) const MAX_ITEMS: i64 = 100;

const LISTS: Description = Description { tag: "Lists", ..OPERATION };

pub(crate) const LNAME: Parameter =
    form("lname", Kind::Text(MAX_NAME_LENGTH), "List name, 1 to 100 characters after trimming.");
pub(crate) const LNOTE: Parameter =
    form("lnote", Kind::Text(MAX_NOTE_LENGTH), "Single-line note. Send a space to remove it.");
pub(crate) const LDESC: Parameter =
    form("ldesc", Kind::Text(MAX_NOTE_LENGTH), "Description. Send a space to remove it.");
pub(crate) const LPROPS: Parameter = form("lprops", Kind::Json(list_properties), "Custom fields.");
pub(crate) const NEXT: Parameter =
    form("next", Kind::Token, "Cursor from the previous page. Omit to fetch the first page.");
pub(crate) const ITEMSLIMIT: Parameter =
    form("itemslimit", Kind::Whole(MIN_ITEMS, MAX_ITEMS), "Items per page. The store can configure another default.")
        .or("50");
const LTY: Parameter = form(
    "lty",
    Kind::Text(MAX_TYPE_LENGTH),
    "List type. `wl`, `null` or omitted means a wishlist; any other value is a custom type.",
);
const OF_TYPE: Parameter = form(
    "lty",
    Kind::Text(MAX_TYPE_LENGTH),
    "Return only lists of this type. If omitted, lists of all types except save-for-later are returned.",
);
const INCLUDE_ARCHIVED: Parameter = form("includeArchived", Kind::Flag, "Include archived lists.").or("false");

pub(crate) const READS: &[Code] = &[Code::ListNotFound, Code::Forbidden];
pub(crate) const CHANGES: &[Code] = &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict];

fn list_properties() -> Value {
    properties("Custom fields.")
}

pub(crate) const FETCH_USER_LIST: Description = Description {
    id: "fetchUserList",
    summary: "Fetch a list with its items, paginated",
    text: "Returns one page of items, newest first. Only the logged-in owner can call it. `sortby`, `sortorder` and `filterby` \
           require the enterprise plan and the feature `sort-filter`. Following `next` to the end returns every item \
           exactly once, even if items are added or removed meanwhile. Changing the sort order or filter starts over.",
    parameters: &[
        LID,
        NEXT,
        ITEMSLIMIT,
        form(
            "sortby",
            Kind::Word(&["price", "title"]),
            "Sort field. Items without a value come last. Default: time added.",
        )
        .like("price"),
        form("sortorder", Kind::Word(&["asc", "desc"]), "Sort direction.").or("desc").like("asc"),
        form(
            "filterby",
            Kind::Word(&["instock", "outofstock"]),
            "Return only items that are in stock, or only items that are not.",
        ),
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
    json!({ "type": ["string", "null"], "description": "Cursor for the next page; `null` on the last page." })
}

pub(crate) const FETCH_USER_LISTS: Description = Description {
    id: "fetchUserLists",
    summary: "Fetch all lists without items",
    text: "Returns the caller's lists, wishlists first, save-for-later lists last, each oldest first. A response has at most \
           1 MiB: if there are more lists than fit, it has `next`, with which the next call returns more of them.",
    parameters: &[
        INCLUDE_ARCHIVED,
        form("next", Kind::Token, "`next` of the last response. Omit to start with the first list."),
    ],
    errors: &[Code::InvalidNextToken],
    answer: Answer::Json(|| {
        let next = text("Where the next call continues. Absent if there are no more lists.");
        object(&[success(), ("data", array(refer("List")))], &[("next", next)])
    }),
    ..LISTS
};

pub(crate) const FETCH_LISTS: Description = Description {
    id: "fetchLists",
    summary: "Fetch all lists with their newest items",
    text: "Returns a plain array of lists, wishlists first, then oldest first, each with its 50 newest items. Save-for-later \
           lists are returned only if `lty` requests them. More than ten lists are sent as they are read; such requests count \
           towards the rate limit of `fetch-list-with-contents`, and those with many large items towards its limit in bytes.",
    parameters: &[OF_TYPE, INCLUDE_ARCHIVED],
    errors: &[Code::RateLimited],
    answer: Answer::Json(|| array(list_with(WHOLE))),
    ..LISTS
};

/// Members of a list that is returned in full.
const WHOLE: &[&str] = &["listcontents", "userinfo", "canEdit", "itemcmnts"];

pub(crate) const FETCH_LIST_WITH_CONTENTS: Description = Description {
    id: "fetchListWithContents",
    summary: "Fetch a list with all items",
    text: "Readable by the owner, by anyone if the list is public, and by anyone with a share link. For compatibility the \
           response contains the items twice, as `items` and as `list.listcontents`. Rate limit: 20 requests per second for \
           each shopper and 200 for each IP address, with bursts of twice that.",
    parameters: &[
        query("limit", Kind::Whole(0, i64::MAX), "Maximum number of items. Omit to fetch all.").like("3"),
        query("offset", Kind::Whole(0, i64::MAX), "Number of items to skip.").or("0"),
        LID,
        form("excludeArchived", Kind::Flag, "Return `list-not-found` if the list is archived.").or("false"),
    ],
    errors: &[Code::ListNotFound, Code::Forbidden, Code::RateLimited],
    returns_rate_limit: true,
    answer: Answer::Json(|| object(&[("list", list_with(WHOLE)), ("items", array(refer("Item")))], &[])),
    ..LISTS
};

pub(crate) const CREATE: Description = Description {
    id: "createList",
    summary: "Create or duplicate a list",
    text: "Set `fromlid` to copy a list that the caller owns, that is public or that has a share link. Up to 500 items are \
           copied at once. A longer list is returned with `_cp: true` and copied in the background.",
    parameters: &[
        Parameter { required: true, ..LNAME }.like("Autumn"),
        LTY,
        LNOTE.like("Rain is fine"),
        LDESC,
        LPROPS.like(r#"{"colour":"moss"}"#),
        form("fromlid", Kind::List, "List to duplicate: its ID, or the key of a share link."),
    ],
    idempotent: true,
    errors: &[Code::LimitReached, Code::ListNotFound, Code::Forbidden],
    answer: Answer::Json(|| list_with(&["listcontents"])),
    ..LISTS
};

pub(crate) const UPDATE: Description = Description {
    id: "updateList",
    summary: "Update or archive a list",
    text: "Omitted fields are unchanged. Requires at least one of `lname`, `lnote`, `lprops`, `ldesc` and `archived`.",
    parameters: &[
        LID,
        LNAME,
        LNOTE.like("Bring a friend"),
        LDESC,
        LPROPS,
        form("archived", Kind::Flag, "Archive or restore the list. Owner only."),
        IF_VERSION,
    ],
    idempotent: true,
    errors: CHANGES,
    answer: Answer::Json(|| refer("List")),
    ..LISTS
};

pub(crate) const DELETE_LIST: Description = Description {
    id: "deleteList",
    summary: "Delete a list",
    text: "Deletes the list and its items, and returns the deleted list.",
    parameters: &[LID.like("{spare_lid}"), IF_VERSION],
    idempotent: true,
    frees: true,
    errors: CHANGES,
    answer: Answer::Json(|| refer("List")),
    ..LISTS
};

pub(crate) const UPDATE_CTX: Description = Description {
    id: "updateListItems",
    summary: "Add, update and delete items",
    text: "Applies `d`, then `u`, then `a` in one transaction. Requires at least one of them and accepts up to 500 elements in \
           total. Adding a variant that is already in the list updates it and keeps its position. Deleting a missing item \
           succeeds. The response contains the same keys; each element is an item or a failed element.",
    parameters: &[
        LID,
        form("a", Kind::Json(products), "Products to add.")
            .like(r#"[{"epi":{epi},"empi":{empi},"du":"{du}","qty":2,"note":"in blue"}]"#),
        form(
            "u",
            Kind::Json(products),
            "Items to update. Omitted fields are unchanged; `cprops` is replaced as a whole.",
        ),
        form("d", Kind::Json(named_items), "Items to delete, identified by `epi` and, if sent, `empi`."),
        IF_VERSION,
    ],
    idempotent: true,
    returns_version: true,
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
    summary: "Move items between lists",
    text: "Moves items in one transaction. `already` lists the items that `tolid` contained before. Requires the feature \
           `save-for-later` if either list is a save-for-later list.",
    parameters: &[
        form("fromlid", Kind::List, "Source list: its ID, or the key of a share link.").required().like("{saved_lid}"),
        form("tolid", Kind::List, "Target list: its ID, or the key of a share link.").required().like("{lid}"),
        form("items", Kind::Json(named_items), "Items to move, identified by `epi` and, if sent, `empi`.")
            .required()
            .like(r#"[{"epi":{saved_epi}}]"#),
        Parameter { text: "Version that `fromlid` must have.", ..IF_VERSION },
    ],
    idempotent: true,
    errors: &[Code::ListNotFound, Code::Forbidden, Code::VersionConflict, Code::FeatureNotEnabled],
    answer: Answer::Json(|| {
        let items = || array(refer("Item"));
        let failed = array(refer("FailedElement"));
        let (from, to) = (whole("New version of `fromlid`."), whole("New version of `tolid`."));
        let always = [success(), ("moved", items()), ("already", items()), ("failed", failed)];
        object(&[&always[..], &[("fromversion", from), ("toversion", to)]].concat(), &[])
    }),
    ..LISTS
};

pub(crate) const MARK_PUBLIC: Description = Description {
    id: "markPublic",
    summary: "Make a list public or private",
    text: "Anyone who knows the `lid` of a public list can read it with `fetch-list-with-contents`. Email addresses are never \
           shown to visitors.",
    parameters: &[
        LID,
        form("public", Kind::Flag, "`true` makes the list public, `false` private.").or("true"),
        IF_VERSION,
    ],
    needs_login: true,
    idempotent: true,
    errors: CHANGES,
    answer: Answer::Json(|| list_with(WHOLE)),
    ..LISTS
};

pub(crate) const CONTAINS: Description = Description {
    id: "contains",
    summary: "Check which lists contain variants or products",
    text: "Returns, for each variant, the caller's lists that contain it. Archived lists are not included. With `empis` in \
           the place of `epis`: for each product, its variants that are on lists, at most 250 of one list.",
    parameters: &[
        form("epis", Kind::Json(variants), "Variant IDs. Required without `empis`.").like("[{epi},2,3]"),
        form("empis", Kind::Json(variants), "Product IDs."),
        form("lty", Kind::Text(MAX_TYPE_LENGTH), "Type of the lists, such as `wl`. Omit for lists of every type."),
    ],
    answer: Answer::Json(|| {
        let lids = json!({ "type": "array", "items": { "type": "string", "format": "uuid" } });
        let of_product = json!({ "type": "object", "additionalProperties": lids });
        let data = json!({ "type": "object", "additionalProperties": { "anyOf": [lids, of_product] },
                           "description": "IDs of the lists that contain the variant, keyed by `epi`. With `empis`: such \
                                           an object for each product, keyed by `empi`." });
        object(&[success(), ("data", data)], &[])
    }),
    ..LISTS
};

fn variants() -> Value {
    array_of(product_id(), MAX_VARIANTS)
}

/// The longest time that a stream stays open. The caller is authenticated again when it comes back.
pub(crate) const MAX_LIVE_SECONDS: u64 = 300;

pub(crate) const LIVE: Description = Description {
    id: "live",
    summary: "Watch lists for changes",
    text: "Returns a stream of server-sent events about the caller's own lists, within a second of each change, whichever \
           device or server made it. The data of an event is JSON with `type` and `lid`: `open` (the stream has begun), \
           `list.created`, `list.updated` (also if its items have changed), `list.deleted`, and `lists.changed` (something \
           was missed: fetch everything). `version` is that of the list. `lid` is `null` if the event is about all lists.\n\n\
           The stream ends after `timeout` seconds, and earlier when the server shuts down. Call again with the id \
           of the last event: if nothing has changed since, the first event is `open`, otherwise `lists.changed`. With \
           `timeout=0` the stream consists of that event alone, for clients that poll. A shopper may have 20 streams.",
    parameters: &[
        form("timeout", Kind::Whole(0, MAX_LIVE_SECONDS as i64), "Seconds after which the stream ends.")
            .or("300")
            .like("0"),
        form(
            "last-event-id",
            Kind::AnyText,
            "ID of the last event that the client has seen. Also accepted as a header.",
        ),
    ],
    answer: Answer::Events,
    ..LISTS
};

pub(crate) const SOCIAL_COUNT: Description = Description {
    id: "socialCount",
    summary: "Count shoppers who saved a product",
    text: "Returns the exact number of shoppers with the product on a wishlist. Send `empi` for one product or `empis` for \
           several; `data` is an object or an array accordingly.",
    parameters: &[
        form("empi", Kind::ProductId, "Product ID.").like("{empi}"),
        form("empis", Kind::Json(|| array_of(product_id(), MAX_PRODUCTS)), "Product IDs."),
    ],
    answer: Answer::Json(|| {
        let one = object(&[("count", whole("Number of shoppers.")), ("empi", whole("Product ID."))], &[]);
        object(&[success(), ("data", json!({ "anyOf": [one, array(one.clone())] }))], &[])
    }),
    ..LISTS
};
