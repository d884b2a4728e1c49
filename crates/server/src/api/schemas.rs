//! The records of the API as JSON schemas. Tests validate every response against them.

use serde_json::{Value, json};
use wishbone_core::catalog::feed_input::MAX_STOCK;
use wishbone_core::catalog::fields::{MAX_FIELD_LENGTH, MAX_PRICE, MAX_TITLE_LENGTH};
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::error::Code;
use wishbone_core::items::input::{MAX_LABEL_LENGTH, MAX_NOTE_LENGTH, MAX_PROPERTIES_BYTES, MAX_QUANTITY};
use wishbone_core::subscriptions::status::STATES;

use crate::api::json_schema::{
    array, constant, flag, id, id_input, object, or_null, refer, required_url, success, text, time, url, uuid, whole,
};
use crate::api::operation::Schema;

/// Schemas that operations refer to by name.
pub(crate) const NAMED: &[(&str, Schema)] = &[
    ("List", list),
    ("Item", item),
    ("UserInfo", user_info),
    ("Product", product),
    ("FailedElement", failed_element),
    ("ShareLink", share_link),
    ("Comment", comment),
    ("Subscription", subscription),
    ("StoreSubscription", store_subscription),
    ("Credentials", credentials),
    ("CatalogProduct", catalog_product),
    ("CatalogAnswer", catalog_answer),
    ("Error", error),
];

/// A list record with some of its optional members required.
pub(crate) fn list_with(members: &[&str]) -> Value {
    json!({ "allOf": [refer("List"), { "required": members }] })
}

/// A list record with additional members.
pub(crate) fn list_and(more: &[(&str, Value)]) -> Value {
    let mut schema = list();
    for (name, member) in more {
        schema["properties"][*name] = member.clone();
    }
    schema
}

/// A schema with additional required members.
pub(crate) fn extended(mut schema: Value, members: &[(&str, Value)]) -> Value {
    for (name, member) in members {
        schema["properties"][*name] = member.clone();
        if let Some(required) = schema["required"].as_array_mut() {
            required.push(json!(name));
        }
    }
    schema
}

pub(crate) fn list() -> Value {
    let person = |what: &str| or_null(text(what));
    object(
        &[
            ("lid", text("List ID. If the list was read through a share link, the key of the link.")),
            ("lname", text("List name. Not necessarily unique.")),
            ("lty", text("List type: `wl` is a wishlist, `_saveForLater` and `sfl` are save-for-later lists.")),
            ("anonRead", flag("`true` if the list is public: anyone who knows the lid can read it.")),
            ("cts", time("Creation time.")),
            ("uts", time("Time of the last change to the list or its items.")),
            ("pid", text("Store ID.")),
            ("id", uuid("Record ID.")),
            ("st", json!({ "enum": [0, 1], "description": "`1` if active, `0` if archived." })),
            ("_t", json!({ "const": 1, "description": "Record type: list." })),
            ("lhash", text("Short hash of the shopper, type and name.")),
            ("cnt", whole("Number of items.")),
            ("version", whole("Incremented with every change to the list, its items and their comments.")),
        ],
        &[
            ("fromname", text("Name of the owner, if the list was read through a share link that shows it.")),
            ("lnote", text("Single-line note.")),
            ("ldesc", text("Description.")),
            ("lprops", json!({ "type": "object", "description": "Custom fields, as sent." })),
            ("_cp", json!({ "const": true, "description": "Present while items are being copied into the list." })),
            ("cby", person("Email address of the creator. Only returned to the logged-in owner.")),
            ("uby", person("Email address of the last editor. Only returned to the logged-in owner.")),
            ("cfor", person("Email address of the owner. Only returned to the logged-in owner.")),
            ("di", text("Device that created the list. Only returned to the owner.")),
            ("_pkey", text("First characters of `di`.")),
            ("uid", text("Owner ID. Only returned to the owner.")),
            ("canEdit", flag("`true` if the caller can edit the list.")),
            ("itemcmnts", whole("Number of comments on its items.")),
            ("listcontents", array(refer("Item"))),
            ("userinfo", refer("UserInfo")),
        ],
    )
}

/// `dt iu pr ct vi bt sku`, as returned.
fn product_fields() -> [(&'static str, Value); 7] {
    [
        ("dt", text("Title.")),
        ("iu", text("Image URL.")),
        (
            "pr",
            json!({ "type": ["number", "null"], "description": "Price, with the digits as sent; `null` if unknown." }),
        ),
        ("ct", text("Category.")),
        ("vi", text("Variant title.")),
        ("bt", text("Brand.")),
        ("sku", text("Stock keeping unit.")),
    ]
}

fn item() -> Value {
    let mut always = vec![
        ("id", uuid("Record ID.")),
        ("lid", text("List ID. If the list was read through a share link, the key of the link.")),
        ("epi", id("Variant ID.")),
        ("empi", id("Product ID.")),
        ("du", text("Product URL, as sent when the item was added. Empty if it would be rejected today.")),
        ("qty", whole("Quantity.")),
        ("cprops", json!({ "type": "object", "description": "Custom fields, as sent." })),
        (
            "clbls",
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": 1, "description": "Label; at most one." }),
        ),
        ("cts", time("Time added.")),
        ("uts", time("Time of the last change.")),
        ("pid", text("Store ID.")),
        ("_t", json!({ "const": 2, "description": "Record type: item." })),
    ];
    always.extend(product_fields());
    object(
        &always,
        &[
            ("note", text("Note.")),
            (
                "avl",
                json!({ "type": "string", "enum": ["in", "low", "out"],
                    "description": "Availability: `low` from 1 unit to the store's `low-stock`. Absent if the catalogue does not have the variant." }),
            ),
            (
                "spr",
                json!({ "type": "number", "description": "Price when the item was saved. Absent if it is `pr`, or was unknown." }),
            ),
            (
                "cby",
                text(
                    "Email address of the person who added the item. Only returned to the logged-in owner of the list.",
                ),
            ),
            ("uby", text("Email address of the last editor. Only returned to the logged-in owner of the list.")),
            ("di", text("Device that added the item. Only returned to the owner of the list.")),
            ("_pkey", text("First characters of `di`.")),
            ("uid", text("Owner ID. Only returned to the owner.")),
        ],
    )
}

fn user_info() -> Value {
    let medium = object(
        &[
            ("signuptime", time("Time of the decision.")),
            ("acceptmarketing", flag("`true` if the shopper accepts marketing messages.")),
            ("acceptsource", text("Source of the decision.")),
        ],
        &[],
    );
    let mediums = json!({ "type": "object", "additionalProperties": medium });
    let mut schema = object(
        &[("fname", text("First name.")), ("lname", text("Last name."))],
        &[
            ("em", text("Email address.")),
            ("m", json!({ "type": "null" })),
            ("sw_mkt", json!({ "type": "null" })),
            ("ut", json!({ "type": "null" })),
            (
                "acc_mkt",
                json!({ "type": ["boolean", "null"], "description": "`true` if the shopper accepts marketing messages; `null` if unknown." }),
            ),
            ("uid", text("Shopper ID.")),
            ("pid", text("Store ID.")),
            ("cts", time("Time when the shopper was first seen.")),
            ("uts", time("Time of the last change to the profile.")),
            ("prefs", object(&[("Mediums", mediums)], &[])),
        ],
    );
    schema["type"] = json!(["object", "null"]);
    schema["description"] = json!(
        "Profile of the logged-in owner. For other callers `null`, or only the name if the store is configured to show it."
    );
    schema
}

fn fields_input(clears: bool) -> Vec<(&'static str, Value)> {
    let nullable = |schema: Value| if clears { or_null(schema) } else { schema };
    let word = |what: &str, most: usize| nullable(json!({ "type": "string", "maxLength": most, "description": what }));
    vec![
        ("dt", word("Title.", MAX_TITLE_LENGTH)),
        ("iu", nullable(url("Image URL."))),
        ("pr", nullable(json!({ "type": "number", "minimum": 0, "maximum": MAX_PRICE, "description": "Price." }))),
        ("ct", word("Category.", MAX_FIELD_LENGTH)),
        ("vi", word("Variant title.", MAX_FIELD_LENGTH)),
        ("bt", word("Brand.", MAX_FIELD_LENGTH)),
        ("sku", word("Stock keeping unit.", MAX_FIELD_LENGTH)),
    ]
}

/// The input of item operations.
fn product() -> Value {
    let mut optional = vec![
        (
            "qty",
            json!({ "type": "integer", "minimum": 1, "maximum": MAX_QUANTITY, "default": 1, "description": "Quantity." }),
        ),
        ("note", json!({ "type": "string", "maxLength": MAX_NOTE_LENGTH, "description": "Note." })),
        ("cprops", properties("Custom fields.")),
        (
            "clbls",
            json!({ "type": "array", "items": { "type": "string", "maxLength": MAX_LABEL_LENGTH }, "maxItems": 1,
                    "description": "Label; at most one." }),
        ),
        (
            "lbls",
            json!({ "type": "array", "items": { "type": "string", "maxLength": MAX_LABEL_LENGTH }, "maxItems": 1,
                    "description": "Alias of `clbls`, which takes precedence." }),
        ),
    ];
    optional.extend(fields_input(false));
    let mut schema = object(
        &[("epi", id_input("Variant ID.")), ("empi", id_input("Product ID.")), ("du", required_url("Product URL."))],
        &optional,
    );
    schema["description"] = json!(
        "One variant. `dt`, `iu`, `pr`, `ct`, `vi`, `bt` and `sku` are used only if the variant is not in the store's catalogue. \
         `null` means omitted; unknown keys are ignored."
    );
    schema
}

/// A product to subscribe to.
pub(crate) fn subscribed_product() -> Value {
    let always =
        [("epi", id_input("Variant ID.")), ("empi", id_input("Product ID.")), ("du", required_url("Product URL."))];
    object(&always, &fields_input(false))
}

/// A reference to an item, to delete or move it.
pub(crate) fn named_item() -> Value {
    object(&[("epi", id_input("Variant ID."))], &[("empi", id_input("Product ID. If sent, it must match."))])
}

pub(crate) fn product_id() -> Value {
    id_input("Integer, or a string of digits.")
}

/// A map of custom fields.
pub(crate) fn properties(description: &str) -> Value {
    json!({ "type": "object", "description": format!("{description} At most {MAX_PROPERTIES_BYTES} bytes as JSON.") })
}

fn failed_element() -> Value {
    let echo = json!({ "type": ["integer", "number", "string"], "description": "Value as sent." });
    let codes = [Code::InvalidItem, Code::TooManyLabels, Code::ItemNotFound, Code::UnknownProduct, Code::LimitReached];
    let codes: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let mut schema = object(
        &[
            ("hasError", json!({ "const": true })),
            ("error-code", json!({ "enum": codes })),
            ("msg", text("Cause and remedy, for developers.")),
        ],
        &[("epi", echo.clone()), ("empi", echo.clone()), ("du", echo)],
    );
    schema["description"] =
        json!("Rejected element, returned in the position of the element. The other elements are applied.");
    schema
}

pub(crate) fn item_or_failed() -> Value {
    json!({ "anyOf": [refer("Item"), refer("FailedElement")] })
}

fn share_link() -> Value {
    object(
        &[
            ("key", text("Key of the link. Use it in place of a `lid`.")),
            ("url", text("Page of this server that shows the list.")),
            ("scope", json!({ "enum": ["view", "edit"] })),
            ("cts", time("Creation time.")),
            ("expires", or_null(time("Expiry time; `null` if the link does not expire."))),
            ("expired", flag("`true` if the link has expired.")),
        ],
        &[
            ("label", text("Label set by the owner. Of a link that was mailed, the masked address of the recipient.")),
            ("fromname", text("Name of the owner, shown to everyone who opens the link.")),
        ],
    )
}

fn comment() -> Value {
    object(
        &[
            ("id", uuid("Comment ID.")),
            ("epi", id("Variant ID.")),
            ("text", text("Comment text, unescaped. Escape it before you show it.")),
            ("cts", time("Creation time.")),
            ("mine", flag("`true` if the caller is the author.")),
            ("byowner", flag("`true` if the list's owner is the author.")),
        ],
        &[
            ("fromname", text("Display name of the author.")),
            ("cby", text("Email address of the author. Only returned to the logged-in owner of the list.")),
        ],
    )
}

pub(crate) fn store_subscription() -> Value {
    extended(
        subscription(),
        &[
            ("id", uuid("Subscription ID.")),
            ("state", json!({ "enum": STATES, "description": "State of the alert." })),
            ("attempts", whole("Attempts to send the alert.")),
            ("lasterror", or_null(text("Why the last attempt failed."))),
        ],
    )
}

fn subscription() -> Value {
    let mut always = vec![
        (
            "medium",
            json!({ "enum": ["email", "sms", "XXXXXX"], "description": "Notification channel; `XXXXXX` for guests." }),
        ),
        ("mediumvalue", text("Email address or phone number; `XXXXXX` for guests.")),
        ("topic", json!({ "enum": TOPICS })),
        ("empi", id("Product ID.")),
        ("epi", id("Variant ID.")),
        ("du", text("Product URL.")),
        ("pid", text("Store ID.")),
        ("status", json!({ "enum": [0, 1, 2], "description": "`0` pending, `2` processing, `1` sent." })),
        ("cts", time("Creation time.")),
        ("uts", time("Time of the last change.")),
    ];
    always.extend(product_fields());
    object(
        &always,
        &[
            ("cby", text("Creator, if a shopper created it.")),
            ("uby", text("Last editor, if a shopper changed it.")),
            ("targetprice", json!({ "type": "number", "description": "Price at or below which to alert." })),
            ("quantity", whole("Units that the shopper wants.")),
            (
                "unconfirmed",
                json!({ "const": true, "description": "Present while the owner of the address has not confirmed it: no alert is sent." }),
            ),
        ],
    )
}

pub(crate) fn credentials() -> Value {
    let safe = |least: usize, what: &str| json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]+$", "minLength": least, "description": what });
    object(
        &[("regid", safe(64, "Shopper ID.")), ("sessionid", safe(8, "Session ID that authenticates the regid."))],
        &[],
    )
}

fn stock() -> Value {
    json!({ "type": ["integer", "null"], "minimum": -MAX_STOCK, "maximum": MAX_STOCK,
            "description": "Stock level; `null` if stock is not tracked." })
}

fn catalog_product() -> Value {
    let mut optional = vec![("du", or_null(url("Product URL.")))];
    optional.extend(fields_input(true));
    optional.push(("stock", stock()));
    let mut schema = object(&[("epi", id_input("Variant ID.")), ("empi", id_input("Product ID."))], &optional);
    schema["description"] = json!("One variant. Omitted keys are unchanged; `null` clears a value.");
    schema
}

/// An element of an inventory.
pub(crate) fn stocked() -> Value {
    object(&[("epi", id_input("Variant ID.")), ("stock", stock())], &[])
}

/// A reference to a product or variant, to delete it.
pub(crate) fn deleted_product() -> Value {
    let one = object(&[("epi", id_input("Variant ID."))], &[]);
    let all = object(&[("empi", id_input("Product ID: deletes all of its variants."))], &[]);
    json!({ "anyOf": [one, all] })
}

fn catalog_answer() -> Value {
    let codes = [Code::InvalidItem.as_str(), Code::UnknownProduct.as_str()];
    let failed = object(
        &[
            ("index", whole("Index of the element in the request.")),
            ("epi", or_null(id("Variant ID, if it could be parsed."))),
            ("error-code", json!({ "enum": codes })),
            ("msg", text("Cause and remedy, for developers.")),
        ],
        &[],
    );
    object(&[success(), ("updated", whole("Number of elements applied.")), ("failed", array(failed))], &[])
}

fn error() -> Value {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    object(
        &[
            ("status", constant("error")),
            ("error-code", json!({ "enum": codes })),
            ("error-msg", text("Cause and remedy, for developers.")),
        ],
        &[
            ("message", text("Same as `error-msg`. Not returned by `fetch-user-list` and `fetch-user-lists`.")),
            ("msg", text("Same as `error-msg`. Not returned by `fetch-user-list` and `fetch-user-lists`.")),
            ("type", json!({ "const": "sw-badregid", "description": "Only with `bad-regid`." })),
            ("version", whole("Only with `version-conflict`: the current version of the list.")),
            ("errors", array(text("Only with `emailList`: same as `error-msg`."))),
        ],
    )
}
