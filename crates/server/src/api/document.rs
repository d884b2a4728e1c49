//! The document: the router's table and its descriptions, put into OpenAPI's words.

use serde_json::{Map, Value, json};
use wishbone_core::catalog::fields::MAX_ID;
use wishbone_core::error::Code;

use crate::api::examples::Examples;
use crate::api::operation::{Answer, Caller, Description, Kind, Operation, Parameter, ParameterIn};
use crate::api::routes::OPERATIONS;
use crate::api::schemas::{NAMED, refer};
use crate::api::status::status;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// The whole API, but for the demo's own pages.
pub fn document(examples: &Examples) -> Value {
    let mut paths = Map::new();
    for route in OPERATIONS {
        let Some(about) = route.description else { continue };
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_ascii_lowercase()] = operation(route, about, examples);
    }
    let schemas: Map<String, Value> = NAMED.iter().map(|(name, schema)| ((*name).to_owned(), schema())).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Wishbone",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Shopper lists and product alerts",
            "description": description(),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "This server." }],
        "tags": TAGS.iter().map(|(name, text)| json!({ "name": name, "description": text })).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "headers": headers(),
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "The store's own server: its pid as user, its API key as password. Never in a browser.",
                },
            },
        },
    })
}

const TAGS: &[(&str, &str)] = &[
    ("Lists", "Wishlists and other lists, and their items. For shoppers and guests."),
    ("Sharing", "Public lists, links, comments and mail."),
    ("Save for later", "One list a shopper, beside the cart. Beta: a store must have the feature `save-for-later`."),
    ("Subscriptions", "Who wants to be told when something about a product changes. Fetching is beta."),
    ("Identity", "Regids and sessionids, made, given out and taken back."),
    ("Logging in", "A guest becomes a shopper, with all lists; and the other way round."),
    ("Privacy", "What people may ask a store for."),
    ("Catalogue", "Products and stock, fed by the store in JSON."),
    ("The server", "For operators, their tools, and the recipients of mail."),
];

fn description() -> String {
    let mut text = INTRODUCTION.to_owned();
    for code in Code::ALL {
        text.push_str(&format!("\n| `{}` | {} | {} |", code.as_str(), status(*code).as_u16(), when(*code)));
    }
    text
}

const INTRODUCTION: &str = "\
Wishlists, save-for-later and product alerts for a shop, on its own server.

## On the wire

Calls are POST with `application/x-www-form-urlencoded`; arrays and objects are JSON text in one field (described here by \
`contentMediaType` and `contentSchema`). The catalogue takes JSON bodies. A success is always HTTP 200. Unknown parameters are \
ignored; an empty one counts as absent; the same one twice is an error. Booleans are `true`, `false`, `1`, `0` in any case. \
Times are milliseconds since 1970.

Every answer has `x-request-id`, which is in the server's log line of that request; one that you send (8 to 64 characters of \
`A-Z a-z 0-9 - _`) is kept.

## Who is asking

A **shopper** calls with `pid` in the query, and `regid` and `sessionid` as form fields. The **pid** is the store's id. A \
**regid** names a shopper: one made from an e-mail address is logged in, all others are guests. A **sessionid** proves that this \
server handed the regid out; it works until it is revoked. The store's own server gets both from `generate-regid`, a browser \
from `provider/register`. Store them like passwords.

The **store's server** calls with HTTP Basic: its pid as user, its API key as password. Such calls are not possible from a \
browser's page.

When pid, regid and sessionid do not belong together the answer is 401 `bad-regid`: ask for a new regid.

## Writing once, and writing knowingly

`idempotency-key`, a header, on any call that writes: the same key of the same caller within 24 hours is the same call. It is \
done once, and the answer is the same again. `ifversion`, a form field on calls that change a list: the change is made only \
if the list is at this `version`. Calls whose body has no list record tell the new version in the header `x-list-version`.

## Errors

Checks come in this order: shape of the request, store, shopper, login, feature, parameters, list, ownership.

| error-code | HTTP | When |
|---|---|---|";

/// When an error comes, in a few words.
fn when(code: Code) -> &'static str {
    match code {
        Code::UserNotLoggedIn => "a guest calls an operation for logged-in shoppers",
        Code::BadRegid => "pid, regid and sessionid do not belong together: ask for a new regid",
        Code::BadApiKey => "the store's pid or API key is wrong",
        Code::NotGranted => "`fetch-user-list` of another shopper's list",
        Code::Forbidden => "a list that the caller may not read or change; a login that is not vouched for",
        Code::FeatureNotEnabled => "a beta operation that is off for the store",
        Code::MinItemsLimitNotMet => "`itemslimit` is below 50",
        Code::MaxItemsLimitExceeded => "`itemslimit` is above 100",
        Code::SortFilterDisabled => "a sort or filter parameter, while the store may not use them",
        Code::MissingParameter => "the text names it",
        Code::InvalidParameter => "the text names it, and the rule",
        Code::InvalidNextToken => "`next` was not given out for this list and shopper",
        Code::InvalidContentType => "the body has another type than the operation takes",
        Code::BodyTooLarge => "more than 1 MiB, or 4 MiB of JSON",
        Code::NotSaveForLater => "an `sfl/` operation on a list of another type",
        Code::ListNotFound => "no such list, or a link that has expired or was taken back",
        Code::LimitReached => {
            "one list, link or comment too many, or too many lists being copied; or in place of an item"
        }
        Code::VersionConflict => "the list is not at the version that `ifversion` names",
        Code::UnknownStore => "no store has this pid",
        Code::ItemNotFound => "the variant is not in the list; mostly in place of an item",
        Code::UnknownProduct => "in place of an item: the catalogue does not know it, and the store wants it to",
        Code::TooManyLabels => "in place of an item: `clbls` takes one",
        Code::InvalidItem => "in place of an item: a value in it is wrong",
        Code::RateLimited => "too often; `Retry-After` says how long to wait",
        Code::Overloaded => "more to do than can be done; nothing was changed: try again after `Retry-After`",
        Code::Maintenance => "the store or the server is closed for a while",
        Code::NotFound => "there is nothing at this path",
        Code::MethodNotAllowed => "not with this method; the header `Allow` says which",
        Code::OutcomeUnknown => {
            "the database went away in the middle of a change: it may have been made, wholly, or not; look, or send it again \
             with its `idempotency-key`"
        }
        Code::Internal => "our fault; the request id leads the operator to the cause",
    }
}

fn operation(route: &Operation, about: &Description, examples: &Examples) -> Value {
    let mut text = vec![about.text.to_owned()];
    text.extend(about.feature.map(|feature| format!("Beta: the store must have the feature `{feature}`.")));
    text.retain(|part| !part.is_empty());
    let mut out = json!({
        "operationId": about.id,
        "tags": [about.tag],
        "summary": about.summary,
        "responses": responses(route, about),
    });
    if !text.is_empty() {
        out["description"] = text.join("\n\n").into();
    }
    let aside: Vec<Value> = about
        .parameters(route.caller)
        .filter(|parameter| parameter.place != ParameterIn::Form)
        .map(|parameter| beside_the_body(parameter, examples))
        .collect();
    if !aside.is_empty() {
        out["parameters"] = aside.into();
    }
    if let Some(body) = body(route, about, examples) {
        out["requestBody"] = body;
    }
    if route.caller == Caller::StoreAdmin {
        out["security"] = json!([{ "apiKey": [] }]);
    }
    out
}

fn beside_the_body(parameter: &Parameter, examples: &Examples) -> Value {
    let place = if parameter.place == ParameterIn::Query { "query" } else { "header" };
    let mut out = json!({
        "name": parameter.name,
        "in": place,
        "required": parameter.required,
        "description": parameter.text,
        "schema": schema(parameter),
    });
    if let Some(example) = parameter.example {
        out["example"] = example_value(parameter.kind, &examples.fill(example));
    }
    out
}

fn body(route: &Operation, about: &Description, examples: &Examples) -> Option<Value> {
    if let Some((schema, example)) = about.json {
        let example: Value = serde_json::from_str(&examples.fill(example)).unwrap_or_default();
        return Some(json!({ "required": true, "content": { JSON: { "schema": schema(), "example": example } } }));
    }
    let fields: Vec<&Parameter> =
        about.parameters(route.caller).filter(|parameter| parameter.place == ParameterIn::Form).collect();
    if fields.is_empty() {
        return None;
    }
    let mut properties = Map::new();
    let mut example = Map::new();
    for field in &fields {
        let mut property = schema(field);
        property["description"] = field.text.into();
        properties.insert(field.name.to_owned(), property);
        if let Some(text) = field.example {
            example.insert(field.name.to_owned(), example_value(field.kind, &examples.fill(text)));
        }
    }
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let mut content = json!({ "schema": schema });
    if !example.is_empty() {
        content["example"] = example.into();
    }
    Some(json!({ "required": !required.is_empty(), "content": { FORM: content } }))
}

/// In a form everything is text; here it has the type that it stands for.
fn example_value(kind: Kind, text: &str) -> Value {
    match kind {
        Kind::Whole(..) | Kind::Time | Kind::ProductId | Kind::Flag => serde_json::from_str(text).unwrap_or_default(),
        _ => text.into(),
    }
}

fn schema(parameter: &Parameter) -> Value {
    let url_safe = |least: usize, most: usize| json!({ "type": "string", "minLength": least, "maxLength": most, "pattern": "^[A-Za-z0-9_-]+$" });
    let mut schema = match parameter.kind {
        Kind::Text(most) => json!({ "type": "string", "maxLength": most }),
        Kind::Visible(most) => {
            json!({ "type": "string", "minLength": 1, "maxLength": most, "pattern": "^[!-~]([ -~]*[!-~])?$" })
        }
        Kind::AnyText | Kind::Address => json!({ "type": "string" }),
        Kind::Pid => json!({ "type": "string", "pattern": "^[A-Za-z0-9+/]{43}=$" }),
        Kind::Regid => url_safe(64, 128),
        Kind::Sessionid => url_safe(8, 128),
        Kind::List | Kind::Token => json!({ "type": "string" }),
        Kind::Uuid(_) => json!({ "type": "string", "format": "uuid" }),
        Kind::Email => json!({ "type": "string", "format": "email" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole(least, i64::MAX) => json!({ "type": "integer", "format": "int64", "minimum": least }),
        Kind::Whole(least, most) => json!({ "type": "integer", "format": "int64", "minimum": least, "maximum": most }),
        Kind::Time => json!({ "type": "integer", "format": "int64", "minimum": 0 }),
        Kind::ProductId => json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID }),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::Json(content) => json!({ "type": "string", "contentMediaType": JSON, "contentSchema": content() }),
    };
    // An empty value counts as absent.
    if parameter.required
        && schema["type"] == "string"
        && schema.get("enum").is_none()
        && schema.get("minLength").is_none()
    {
        schema["minLength"] = 1.into();
    }
    if let Some(default) = parameter.default {
        schema["default"] = example_value(parameter.kind, default);
    }
    schema
}

fn responses(route: &Operation, about: &Description) -> Value {
    let codes = about.codes(route.caller);
    let mut out = Map::new();
    let content = match about.answer {
        Answer::Json(schema) => json!({ JSON: { "schema": schema() } }),
        Answer::Text(media_type) => json!({ media_type: { "schema": { "type": "string" } } }),
    };
    let mut told = vec!["x-request-id"];
    told.extend(about.tells_version.then_some("x-list-version"));
    if about.tells_rate {
        told.extend(RATE);
    }
    out.insert("200".into(), json!({ "description": "Done.", "headers": named(&told), "content": content }));
    let mut statuses: Vec<u16> = codes.iter().map(|code| status(*code).as_u16()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    for number in statuses {
        let of_status: Vec<&Code> = codes.iter().filter(|code| status(**code).as_u16() == number).collect();
        let names: Vec<&str> = of_status.iter().map(|code| code.as_str()).collect();
        let text: Vec<String> = of_status.iter().map(|code| format!("`{}`: {}", code.as_str(), when(**code))).collect();
        let mut told = vec!["x-request-id"];
        told.extend(matches!(number, 429 | 503).then_some("retry-after"));
        if number == 429 {
            told.extend(RATE);
        }
        told.extend(names.contains(&Code::BadApiKey.as_str()).then_some("www-authenticate"));
        let narrowed = json!({ "properties": { "error-code": { "enum": names } } });
        let schema = json!({ "allOf": [refer("Error"), narrowed] });
        let response = json!({
            "description": text.join("; "),
            "headers": named(&told),
            "content": { JSON: { "schema": schema } },
        });
        out.insert(number.to_string(), response);
    }
    if about.has_lost_page {
        let content = json!({ "text/html; charset=utf-8": { "schema": { "type": "string" } } });
        let response = json!({ "description": "The link is none of ours.", "headers": named(&["x-request-id"]), "content": content });
        out.insert("404".into(), response);
    }
    out.into()
}

const RATE: [&str; 3] = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

fn named(headers: &[&str]) -> Value {
    let refer = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(headers.iter().map(refer).collect())
}

fn headers() -> Value {
    let whole = |text: &str| json!({ "description": text, "required": true, "schema": { "type": "integer", "format": "int64", "minimum": 0 } });
    json!({
        "x-request-id": {
            "description": "Is in the server's log line of this request.",
            "required": true,
            "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$" },
        },
        "x-list-version": whole("The list's version after this call."),
        "retry-after": whole("Seconds to wait."),
        "ratelimit-limit": whole("How many calls are allowed."),
        "ratelimit-remaining": whole("How many are left for now."),
        "ratelimit-reset": whole("Seconds until there is room again."),
        "www-authenticate": { "description": "`Basic`.", "schema": { "type": "string" } },
    })
}
