//! The records of the API as JSON schemas. Tests hold every answer to them.

use serde_json::{Map, Value, json};
use wishbone_core::catalog::feed::MAX_STOCK;
use wishbone_core::catalog::fields::{MAX_FIELD_LENGTH, MAX_ID, MAX_PRICE, MAX_TITLE_LENGTH, MAX_URL_LENGTH};
use wishbone_core::error::Code;
use wishbone_core::items::input::{MAX_LABEL_LENGTH, MAX_NOTE_LENGTH, MAX_PROPERTIES_BYTES, MAX_QUANTITY};
use wishbone_core::subscriptions::topic::TOPICS;

use crate::api::operation::Schema;

/// What operations refer to by name.
pub(crate) const NAMED: &[(&str, Schema)] = &[
    ("List", list),
    ("Item", item),
    ("UserInfo", user_info),
    ("Product", product),
    ("FailedElement", failed_element),
    ("ShareLink", share_link),
    ("Comment", comment),
    ("Subscription", subscription),
    ("Credentials", credentials),
    ("CatalogProduct", catalog_product),
    ("CatalogAnswer", catalog_answer),
    ("Error", error),
];

pub(crate) fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Members that are always there, and members that may be.
pub(crate) fn object(always: &[(&str, Value)], sometimes: &[(&str, Value)]) -> Value {
    let members: Map<String, Value> =
        always.iter().chain(sometimes).map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = always.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "properties": members, "required": required })
}

pub(crate) fn array(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// An array as a parameter: not empty.
pub(crate) fn array_of(of: Value, most: usize) -> Value {
    json!({ "type": "array", "items": of, "minItems": 1, "maxItems": most })
}

pub(crate) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(crate) fn whole(description: &str) -> Value {
    json!({ "type": "integer", "format": "int64", "description": description })
}

pub(crate) fn flag(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

pub(crate) fn time(description: &str) -> Value {
    json!({ "type": "integer", "format": "int64", "description": format!("{description} Milliseconds since 1970.") })
}

pub(crate) fn uuid(description: &str) -> Value {
    json!({ "type": "string", "format": "uuid", "description": description })
}

pub(crate) fn constant(value: &str) -> Value {
    json!({ "const": value })
}

pub(crate) fn success() -> (&'static str, Value) {
    ("status", constant("success"))
}

fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

/// A list's record with some of its optional members, for certain.
pub(crate) fn list_with(members: &[&str]) -> Value {
    json!({ "allOf": [refer("List"), { "required": members }] })
}

/// A list's record with members that no other has.
pub(crate) fn list_and(more: &[(&str, Value)]) -> Value {
    let mut schema = list();
    for (name, member) in more {
        schema["properties"][*name] = member.clone();
    }
    schema
}

/// An item's id on the wire.
fn id(description: &str) -> Value {
    json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID, "description": description })
}

fn id_input(description: &str) -> Value {
    let digits = json!({ "type": "string", "pattern": "^[1-9][0-9]{0,14}$" });
    json!({ "description": description, "anyOf": [{ "type": "integer", "minimum": 1, "maximum": MAX_ID }, digits] })
}

fn list() -> Value {
    let person = |what: &str| or_null(text(what));
    object(
        &[
            ("lid", text("The list's id; read through a share link, the link's key.")),
            ("lname", text("Its name. Names need not be unique.")),
            ("lty", text("Its type: `wl` is a wishlist, `_saveForLater` and `sfl` are save-for-later.")),
            ("anonRead", flag("Whether anyone may read it who has the lid.")),
            ("cts", time("When it was made.")),
            ("uts", time("When it, or an item of it, was changed last.")),
            ("pid", text("The store's id.")),
            ("id", uuid("The record's id.")),
            ("st", json!({ "enum": [0, 1], "description": "1, or 0 when archived." })),
            ("_t", json!({ "const": 1, "description": "Marks a list." })),
            ("lhash", text("A short hash of shopper, type and name.")),
            ("cnt", whole("The exact number of its items.")),
            ("version", whole("Rises with every change of the list, its items and their comments.")),
        ],
        &[
            ("lnote", text("A single line.")),
            ("ldesc", text("A longer text.")),
            ("lprops", json!({ "type": "object", "description": "Custom fields, as they were sent." })),
            ("_cp", json!({ "const": true, "description": "Items are still being copied into it." })),
            ("cby", person("E-mail of whoever made it; for the logged-in owner alone.")),
            ("uby", person("E-mail of whoever changed it last; for the logged-in owner alone.")),
            ("cfor", person("E-mail of its owner; for the logged-in owner alone.")),
            ("di", text("The device that made it; for the owner alone.")),
            ("_pkey", text("The first characters of `di`.")),
            ("uid", text("The owner's id; for the owner alone.")),
            ("canEdit", flag("Whether the caller may change it.")),
            ("itemcmnts", whole("How many comments its items have.")),
            ("listcontents", array(refer("Item"))),
            ("userinfo", refer("UserInfo")),
        ],
    )
}

/// `dt iu pr ct vi bt sku`, as they are answered.
fn product_words() -> [(&'static str, Value); 7] {
    [
        ("dt", text("Title.")),
        ("iu", text("Address of its picture.")),
        (
            "pr",
            json!({ "type": ["number", "null"], "description": "Price, with the digits it came with; `null` when unknown." }),
        ),
        ("ct", text("Category.")),
        ("vi", text("The variant's title.")),
        ("bt", text("Brand.")),
        ("sku", text("Stock keeping unit.")),
    ]
}

fn item() -> Value {
    let mut always = vec![
        ("id", uuid("The record's id.")),
        ("lid", text("The list that holds it; read through a share link, the link's key.")),
        ("epi", id("The variant.")),
        ("empi", id("The product.")),
        ("du", text("The product's address, as the item was added with.")),
        ("qty", whole("Quantity.")),
        ("cprops", json!({ "type": "object", "description": "Custom fields, as they were sent." })),
        (
            "clbls",
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": 1, "description": "Its label." }),
        ),
        ("cts", time("When it was added.")),
        ("uts", time("When it was changed last.")),
        ("pid", text("The store's id.")),
        ("_t", json!({ "const": 2, "description": "Marks an item." })),
    ];
    always.extend(product_words());
    object(
        &always,
        &[
            ("note", text("A note.")),
            ("cby", text("E-mail of whoever added it; for the list's logged-in owner alone.")),
            ("uby", text("E-mail of whoever changed it last; for the list's logged-in owner alone.")),
            ("di", text("The device that added it; for the list's owner alone.")),
            ("_pkey", text("The first characters of `di`.")),
            ("uid", text("The owner's id; for the owner alone.")),
        ],
    )
}

fn user_info() -> Value {
    let medium = object(
        &[
            ("signuptime", time("When it was said.")),
            ("acceptmarketing", flag("Whether marketing is welcome.")),
            ("acceptsource", text("Who said so.")),
        ],
        &[],
    );
    let mediums = json!({ "type": "object", "additionalProperties": medium });
    let mut schema = object(
        &[("fname", text("First name.")), ("lname", text("Last name."))],
        &[
            ("em", text("E-mail address.")),
            ("m", json!({ "type": "null" })),
            ("sw_mkt", json!({ "type": "null" })),
            ("ut", json!({ "type": "null" })),
            (
                "acc_mkt",
                json!({ "type": ["boolean", "null"], "description": "Whether marketing is welcome; `null` until it was said." }),
            ),
            ("uid", text("The shopper's id.")),
            ("pid", text("The store's id.")),
            ("cts", time("When the shopper was first known.")),
            ("uts", time("When the profile was changed last.")),
            ("prefs", object(&[("Mediums", mediums)], &[])),
        ],
    );
    schema["type"] = json!(["object", "null"]);
    schema["description"] =
        json!("The profile, for its logged-in owner. For visitors `null`, or the name alone if the store shows it.");
    schema
}

fn words_input(clears: bool) -> Vec<(&'static str, Value)> {
    let nullable = |schema: Value| if clears { or_null(schema) } else { schema };
    let word = |what: &str, most: usize| nullable(json!({ "type": "string", "maxLength": most, "description": what }));
    vec![
        ("dt", word("Title.", MAX_TITLE_LENGTH)),
        ("iu", word("Address of its picture; no script.", MAX_URL_LENGTH)),
        ("pr", nullable(json!({ "type": "number", "minimum": 0, "maximum": MAX_PRICE, "description": "Price." }))),
        ("ct", word("Category.", MAX_FIELD_LENGTH)),
        ("vi", word("The variant's title.", MAX_FIELD_LENGTH)),
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
        ("note", json!({ "type": "string", "maxLength": MAX_NOTE_LENGTH, "description": "A note." })),
        ("cprops", properties("Custom fields.")),
        (
            "clbls",
            json!({ "type": "array", "items": { "type": "string", "maxLength": MAX_LABEL_LENGTH }, "maxItems": 1,
                    "description": "A label: one." }),
        ),
        (
            "lbls",
            json!({ "type": "array", "items": { "type": "string", "maxLength": LONGEST_LABEL }, "maxItems": 1,
                    "description": "Another name of `clbls`, which wins." }),
        ),
    ];
    optional.extend(words_input(false));
    let mut schema = object(
        &[("epi", id_input("The variant.")), ("empi", id_input("The product.")), ("du", url("The product's address."))],
        &optional,
    );
    schema["description"] = json!(
        "One variant. `dt iu pr ct vi bt sku` count only as long as the store's catalogue does not know the variant. \
         `null` counts as absent, unknown keys are ignored."
    );
    schema
}

/// A product that somebody wants to hear of.
pub(crate) fn subscribed_product() -> Value {
    let always =
        [("epi", id_input("The variant.")), ("empi", id_input("The product.")), ("du", url("The product's address."))];
    object(&always, &words_input(false))
}

fn url(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": MAX_URL_LENGTH, "description": description,
            "examples": ["https://shop.example/p/1"] })
}

/// An item that is named: to be deleted or moved.
pub(crate) fn named_item() -> Value {
    object(&[("epi", id_input("The variant."))], &[("empi", id_input("The product, if it is to match."))])
}

pub(crate) fn product_id() -> Value {
    id_input("A whole number, or its digits.")
}

/// A map of custom fields.
pub(crate) fn properties(description: &str) -> Value {
    json!({ "type": "object", "description": format!("{description} At most {MAX_PROPERTIES_BYTES} bytes as JSON.") })
}

fn failed_element() -> Value {
    let echo = json!({ "type": ["integer", "number", "string"], "description": "As it was sent." });
    let codes = [Code::InvalidItem, Code::TooManyLabels, Code::ItemNotFound, Code::UnknownProduct, Code::LimitReached];
    let codes: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let mut schema = object(
        &[
            ("hasError", json!({ "const": true })),
            ("error-code", json!({ "enum": codes })),
            ("msg", text("What to change.")),
        ],
        &[("epi", echo.clone()), ("empi", echo.clone()), ("du", echo)],
    );
    schema["description"] = json!("An element that could not be used, in its place. It does not undo the good ones.");
    schema
}

pub(crate) fn item_or_failed() -> Value {
    json!({ "anyOf": [refer("Item"), refer("FailedElement")] })
}

fn share_link() -> Value {
    object(
        &[
            ("key", text("Stands wherever a call takes a `lid`.")),
            ("scope", json!({ "enum": ["view", "edit"] })),
            ("cts", time("When it was made.")),
            ("expires", or_null(time("When it ends; `null` for never."))),
            ("expired", flag("Whether it has.")),
        ],
        &[("label", text("The owner's own words for it."))],
    )
}

fn comment() -> Value {
    object(
        &[
            ("id", uuid("The comment's id.")),
            ("epi", id("The variant that it is about.")),
            ("text", text("As it came: escape it.")),
            ("cts", time("When it was made.")),
            ("mine", flag("Whether the caller made it.")),
            ("byowner", flag("Whether the list's owner made it.")),
        ],
        &[
            ("fromname", text("What the author wants to be called.")),
            ("cby", text("E-mail of the author; for the list's logged-in owner alone.")),
        ],
    )
}

fn subscription() -> Value {
    let mut always = vec![
        (
            "medium",
            json!({ "enum": ["email", "sms", "XXXXXX"], "description": "`XXXXXX` for whoever is not logged in." }),
        ),
        ("mediumvalue", text("Address or number; `XXXXXX` for whoever is not logged in.")),
        ("topic", json!({ "enum": TOPICS })),
        ("empi", id("The product.")),
        ("epi", id("The variant.")),
        ("du", text("The product's address.")),
        ("pid", text("The store's id.")),
        ("status", json!({ "enum": [0, 1, 2], "description": "0 not sent, 2 processing, 1 sent." })),
        ("cts", time("When it was made.")),
        ("uts", time("When it was changed last.")),
    ];
    always.extend(product_words());
    object(
        &always,
        &[("cby", text("Who made it, if a shopper did.")), ("uby", text("Who changed it, if a shopper did."))],
    )
}

fn credentials() -> Value {
    let safe = |least: usize, what: &str| json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]+$", "minLength": least, "description": what });
    object(
        &[
            ("regid", safe(64, "Names the shopper.")),
            ("sessionid", safe(8, "Proves that the regid was handed out by this server.")),
        ],
        &[],
    )
}

fn stock() -> Value {
    json!({ "type": ["integer", "null"], "minimum": -MAX_STOCK, "maximum": MAX_STOCK,
            "description": "How many there are; `null` is untracked." })
}

fn catalog_product() -> Value {
    let mut optional = vec![(
        "du",
        json!({ "type": ["string", "null"], "maxLength": MAX_URL_LENGTH, "description": "The product's address; no script." }),
    )];
    optional.extend(words_input(true));
    optional.push(("stock", stock()));
    let mut schema = object(&[("epi", id_input("The variant.")), ("empi", id_input("The product."))], &optional);
    schema["description"] = json!("One variant. An absent key is unchanged, `null` clears it.");
    schema
}

/// An element of an inventory.
pub(crate) fn stocked() -> Value {
    object(&[("epi", id_input("The variant.")), ("stock", stock())], &[])
}

/// Which products to delete.
pub(crate) fn deleted_product() -> Value {
    let one = object(&[("epi", id_input("This variant."))], &[]);
    let all = object(&[("empi", id_input("All variants of this product."))], &[]);
    json!({ "anyOf": [one, all] })
}

fn catalog_answer() -> Value {
    let codes = [Code::InvalidItem.as_str(), Code::UnknownProduct.as_str()];
    let failed = object(
        &[
            ("index", whole("Its place in what was sent.")),
            ("epi", or_null(id("The variant, if it could be read."))),
            ("error-code", json!({ "enum": codes })),
            ("msg", text("What to change.")),
        ],
        &[],
    );
    object(&[success(), ("updated", whole("How many elements were applied.")), ("failed", array(failed))], &[])
}

fn error() -> Value {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    object(
        &[
            ("status", constant("error")),
            ("error-code", json!({ "enum": codes })),
            ("error-msg", text("What to change.")),
        ],
        &[
            ("message", text("The same text; not with `fetch-user-list` and `fetch-user-lists`.")),
            ("msg", text("The same text; not with `fetch-user-list` and `fetch-user-lists`.")),
            ("type", json!({ "const": "sw-badregid", "description": "With `bad-regid`: ask for a new regid." })),
            ("version", whole("With `version-conflict`: the list's version now.")),
            ("errors", array(text("With `emailList`: the same text."))),
        ],
    )
}
