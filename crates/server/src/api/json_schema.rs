//! JSON schemas of values that records are made of.

use serde_json::{Map, Value, json};
use wishbone_core::catalog::fields::{MAX_ID, MAX_URL_LENGTH};

pub(crate) fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// An object with required and optional members.
pub(crate) fn object(always: &[(&str, Value)], sometimes: &[(&str, Value)]) -> Value {
    let members: Map<String, Value> =
        always.iter().chain(sometimes).map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = always.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "properties": members, "required": required })
}

pub(crate) fn array(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

/// An array parameter, which must not be empty.
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
    json!({ "type": "integer", "format": "int64", "description": format!("{description} Milliseconds since the Unix epoch.") })
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

pub(crate) fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"], "null"]);
    schema
}

/// A variant or product id.
pub(crate) fn id(description: &str) -> Value {
    json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID, "description": description })
}

pub(crate) fn id_input(description: &str) -> Value {
    let digits = json!({ "type": "string", "pattern": "^[1-9][0-9]{0,14}$" });
    json!({ "description": description, "anyOf": [{ "type": "integer", "minimum": 1, "maximum": MAX_ID }, digits] })
}

/// A URL that pages link to. The pattern matches all that are accepted, and some that are not.
pub(crate) fn url(description: &str) -> Value {
    let description = format!("{description} Of http or https, or relative; other schemes are rejected.");
    json!({ "type": "string", "maxLength": MAX_URL_LENGTH, "description": description,
            "pattern": r"^[\x00-\x20]*([hH][tT][tT][pP][sS]?://[^/\\?#\s]|[^:&%/?#]*([/?#]|$))",
            "examples": ["https://shop.example/p/1"] })
}

pub(crate) fn required_url(description: &str) -> Value {
    let mut schema = url(description);
    schema["minLength"] = json!(1);
    schema
}
