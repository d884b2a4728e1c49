//! The OpenAPI document, built from the route table and the descriptions.

use serde_json::{Map, Value, json};
use wishbone_core::catalog::fields::{MAX_ID, MAX_PRICE};
use wishbone_core::error::Code;

use crate::api::examples::Examples;
use crate::api::json_schema::refer;
use crate::api::operation::{Answer, Caller, Description, Kind, Operation, Parameter, ParameterIn};
use crate::api::routes::OPERATIONS;
use crate::api::samples;
use crate::api::schemas::NAMED;
use crate::api::status::status;
use crate::api::webhook_events::webhook_events;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// The whole API, but for the demo's own pages.
pub fn document(examples: &Examples) -> Value {
    let mut paths = Map::new();
    for route in OPERATIONS {
        let Some(description) = route.description else { continue };
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_ascii_lowercase()] = operation(route, description, examples);
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
        "servers": [{ "url": "/", "description": "This server" }],
        "tags": TAGS.iter().map(|(name, text)| json!({ "name": name, "description": text })).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": webhook_events(),
        "components": {
            "schemas": schemas,
            "headers": headers(),
            "securitySchemes": {
                "apiKey": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "For the store's server: the pid as username, the API key as password. Do not use it in a browser.",
                },
            },
        },
    })
}

const TAGS: &[(&str, &str)] = &[
    ("Lists", "Wishlists and custom lists with their items, for shoppers and guests."),
    ("Sharing", "Share links, comments and email."),
    (
        "Save for later",
        "One list per shopper for items set aside from the cart. Beta: requires the feature `save-for-later`.",
    ),
    ("Subscriptions", "Product alerts such as back-in-stock. Fetching subscriptions is beta."),
    ("Alerts", "The store's view of its product alerts: who waits, what was sent, what failed."),
    ("Identity", "Create and revoke the credentials of shoppers and guests."),
    ("Logging in", "Merge a guest into a shopper at login, and undo a merge."),
    ("Privacy", "Export or erase one person's data (GDPR)."),
    ("Catalogue", "Products and stock levels, sent by the store as JSON."),
    ("Mail", "Templates and texts of the store's mails and pages, previews and test mails."),
    ("Webhooks", "URLs of the shop that receive signed events of its store."),
    ("The server", "Client script, API description, health checks and email preferences."),
];

fn description() -> String {
    let mut text = INTRODUCTION.to_owned();
    for code in Code::ALL {
        text.push_str(&format!("\n| `{}` | {} | {} |", code.as_str(), status(*code).as_u16(), when(*code)));
    }
    text
}

const INTRODUCTION: &str = "\
Wishlists, save-for-later lists and product alerts for a shop, on its own server.

## Requests and responses

Send requests as POST with `application/x-www-form-urlencoded`. Arrays and objects are JSON text in one field (described by \
`contentMediaType` and `contentSchema`). Catalogue operations take a JSON body. Successful requests return HTTP 200. \
Unknown parameters are ignored, an empty parameter is treated as omitted, and a repeated parameter is an error. Booleans are \
`true`, `false`, `1` or `0`, case-insensitive. Times are in milliseconds since the Unix epoch.

Every response has the header `x-request-id`, which is also in the server's log. To set it yourself, send 8 to 64 characters \
of `A-Z a-z 0-9 - _`.

## Authentication

**Shopper requests** send `pid` in the query string, and `regid` and `sessionid` as form fields. The **pid** is the store ID. \
The **regid** identifies a shopper: a regid created from an email address is logged in, any other belongs to a guest. The \
**sessionid** authenticates the regid and is valid until it is revoked. The store's server gets both from `generate-regid`, a \
browser from `provider/register`. Store them like passwords.

**Store requests** use HTTP Basic authentication with the pid as username and the API key as password. Send them from the \
store's server only: they are blocked in browsers.

If pid, regid and sessionid do not match, the response is 401 `bad-regid`. Request a new regid.

## Idempotency and optimistic concurrency

Send the header `idempotency-key` to retry a write safely. Repeating a key of the same caller within 24 hours returns the \
first response and does not run the request again.

Send `ifversion` to change a list only if it still has that `version`. Responses without a list object return the new version \
in the header `x-list-version`.

## Errors

Requests are checked in this order: format, store, shopper, login, feature, parameters, list, ownership.

| error-code | HTTP | Cause |
|---|---|---|";

/// The cause of an error, and the remedy.
fn when(code: Code) -> &'static str {
    match code {
        Code::UserNotLoggedIn => "the operation requires a logged-in shopper",
        Code::BadRegid => "pid, regid and sessionid do not match: request a new regid",
        Code::BadApiKey => "invalid pid or API key",
        Code::NotGranted => "the list belongs to another shopper (`fetch-user-list`)",
        Code::Forbidden => {
            "no access to the list, an invalid login token, or a store-admin call by a page of another site"
        }
        Code::FeatureNotEnabled => "the beta feature is not enabled for the store",
        Code::MinItemsLimitNotMet => "`itemslimit` is below 50",
        Code::MaxItemsLimitExceeded => "`itemslimit` is above 100",
        Code::SortFilterDisabled => "sorting and filtering are not enabled for the store",
        Code::MissingParameter => "a required parameter is missing; `error-msg` names it",
        Code::InvalidParameter => "a parameter is invalid; `error-msg` names it and the rule",
        Code::InvalidNextToken => "`next` is not a cursor of this list and shopper",
        Code::InvalidContentType => "unsupported content type",
        Code::BodyTooLarge => "the body exceeds 1 MiB, or 4 MiB for JSON",
        Code::NotSaveForLater => "the list is not a save-for-later list",
        Code::ListNotFound => "the list does not exist, or the share link has expired or was revoked",
        Code::LimitReached => {
            "maximum number of lists, links, comments, items or concurrent copies reached; also per element"
        }
        Code::VersionConflict => "the list does not have the version given in `ifversion`",
        Code::UnknownStore => "unknown pid",
        Code::ItemNotFound => "the variant is not in the list; usually per element",
        Code::UnknownProduct => "per element: the variant is not in the catalogue, which the store requires",
        Code::TooManyLabels => "per element: more than one label in `clbls`",
        Code::InvalidItem => "per element: invalid value",
        Code::RateLimited => "rate limit exceeded: retry after the time in `Retry-After`",
        Code::Overloaded => "server overloaded, nothing was changed: retry after the time in `Retry-After`",
        Code::Maintenance => "maintenance mode: retry after the time in `Retry-After`",
        Code::NotFound => "unknown path",
        Code::MethodNotAllowed => "use a method listed in the header `Allow`",
        Code::OutcomeUnknown => {
            "the database connection was lost during a write, which was applied completely or not at all: retry with the same \
             `idempotency-key`, or read the current state"
        }
        Code::Internal => "server error: report the `x-request-id` to the operator",
    }
}

fn operation(route: &Operation, description: &Description, examples: &Examples) -> Value {
    let mut text = vec![description.text.to_owned()];
    text.extend(description.feature.map(|feature| format!("Beta: requires the feature `{feature}`.")));
    text.retain(|part| !part.is_empty());
    let mut out = json!({
        "operationId": description.id,
        "tags": [description.tag],
        "summary": description.summary,
        "responses": responses(route, description),
    });
    if !text.is_empty() {
        out["description"] = text.join("\n\n").into();
    }
    let aside: Vec<Value> = description
        .parameters(route.caller)
        .filter(|parameter| parameter.place != ParameterIn::Form)
        .map(|parameter| beside_the_body(parameter, examples))
        .collect();
    if !aside.is_empty() {
        out["parameters"] = aside.into();
    }
    if let Some(body) = body(route, description, examples) {
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

fn body(route: &Operation, description: &Description, examples: &Examples) -> Option<Value> {
    if let Some((schema, example)) = description.json {
        let example: Value = serde_json::from_str(&examples.fill(example)).unwrap_or_default();
        let schema = with_nulls(schema());
        let required = schema["required"].as_array().is_some_and(|required| !required.is_empty());
        return Some(json!({ "required": required, "content": { JSON: { "schema": schema, "example": example } } }));
    }
    let fields: Vec<&Parameter> =
        description.parameters(route.caller).filter(|parameter| parameter.place == ParameterIn::Form).collect();
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

/// Allows `null` for the optional members of a JSON body: it counts as absent.
fn with_nulls(mut schema: Value) -> Value {
    let required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return schema };
    for (name, property) in properties.iter_mut() {
        if !required.contains(&json!(name)) {
            *property = json!({ "anyOf": [property.take(), { "type": "null" }] });
        }
    }
    schema
}

/// Form values are text; the schema has the type that the text stands for.
fn example_value(kind: Kind, text: &str) -> Value {
    match kind {
        Kind::Whole(..) | Kind::Time | Kind::ProductId | Kind::Price | Kind::Flag => {
            serde_json::from_str(text).unwrap_or_default()
        }
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
        Kind::Price => json!({ "type": "number", "minimum": 0, "maximum": MAX_PRICE }),
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

fn responses(route: &Operation, description: &Description) -> Value {
    let codes = description.codes(route.caller);
    let mut out = Map::new();
    let content = match description.answer {
        Answer::Json(schema) => {
            let mut content = json!({ "schema": schema() });
            if let Some(sample) = samples::of(description.id) {
                content["example"] = sample.clone();
            }
            json!({ JSON: content })
        }
        Answer::Text(media_type) => json!({ media_type: { "schema": { "type": "string" } } }),
        // A schema would be that of the whole stream.
        Answer::Events => json!({ "text/event-stream": {} }),
    };
    let mut headers = vec!["x-request-id"];
    headers.extend(description.returns_version.then_some("x-list-version"));
    if description.returns_rate_limit {
        headers.extend(RATE);
    }
    out.insert("200".into(), json!({ "description": "Success.", "headers": named(&headers), "content": content }));
    let mut statuses: Vec<u16> = codes.iter().map(|code| status(*code).as_u16()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    for number in statuses {
        let of_status: Vec<&Code> = codes.iter().filter(|code| status(**code).as_u16() == number).collect();
        let names: Vec<&str> = of_status.iter().map(|code| code.as_str()).collect();
        let cause = |code: &&Code| format!("`{}`: {}", code.as_str(), when(**code));
        let text: Vec<String> = match of_status.as_slice() {
            [code] => vec![cause(code)],
            several => several.iter().map(|code| format!("- {}", cause(code))).collect(),
        };
        let mut headers = vec!["x-request-id"];
        headers.extend(matches!(number, 429 | 503).then_some("retry-after"));
        if number == 429 {
            headers.extend(RATE);
        }
        headers.extend(names.contains(&Code::BadApiKey.as_str()).then_some("www-authenticate"));
        let narrowed = json!({ "properties": { "error-code": { "enum": names } } });
        let schema = json!({ "allOf": [refer("Error"), narrowed] });
        let response = json!({
            "description": text.join("\n"),
            "headers": named(&headers),
            "content": { JSON: { "schema": schema } },
        });
        out.insert(number.to_string(), response);
    }
    if description.has_not_found_page {
        let content = json!({ "text/html; charset=utf-8": { "schema": { "type": "string" } } });
        let response =
            json!({ "description": "The link is invalid.", "headers": named(&["x-request-id"]), "content": content });
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
            "description": "Request ID, also in the server's log.",
            "required": true,
            "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$" },
        },
        "x-list-version": whole("Version of the list after the request."),
        "retry-after": whole("Seconds to wait before retrying."),
        "ratelimit-limit": whole("Maximum number of requests in the current period."),
        "ratelimit-remaining": whole("Number of requests left in the current period."),
        "ratelimit-reset": whole("Seconds until the limit resets."),
        "www-authenticate": { "description": "`Basic`.", "schema": { "type": "string" } },
    })
}
