//! Validates every response of every test, and every event, against the API description: status, headers, media type, all
//! fields.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use axum::http::Method;
use jsonschema::Validator;
use serde_json::{Value, json};
use wishbone_server::api::document::document;
use wishbone_server::api::examples::Examples;

use super::clients::Reply;

/// Larger bodies are not validated, since that takes long.
const MAX_BODY: usize = 200_000;

/// The document with `additionalProperties: false` in all objects, so that undescribed fields are errors.
static CLOSED: LazyLock<Value> = LazyLock::new(|| {
    let mut document = document(&Examples::default());
    close(&mut document);
    document
});

/// By what they validate.
type Validators = HashMap<String, Arc<Validator>>;

static VALIDATORS: LazyLock<Mutex<Validators>> = LazyLock::new(Mutex::default);

fn close(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            let is_open = members.contains_key("type") && !members.contains_key("additionalProperties");
            if members.get("properties").is_some_and(Value::is_object) && is_open {
                members.insert("additionalProperties".into(), false.into());
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(close),
        _ => {}
    }
}

/// Validates a response. Requests that are not in the document, such as unknown paths, are ignored.
#[track_caller]
pub fn check(method: &Method, path: &str, reply: &Reply) {
    let operation = &CLOSED["paths"][path][method.as_str().to_ascii_lowercase()];
    if operation.is_null() {
        return;
    }
    let what = || format!("{method} {path} {}: {:.2000}", reply.status, reply.text());
    let response = &operation["responses"][reply.status.as_str()];
    assert!(response.is_object(), "this status is not described: {}", what());
    let (media_type, content) = response["content"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(reply.header("content-type"), Some(media_type.as_str()), "{}", what());
    for name in response["headers"].as_object().unwrap().keys() {
        let is_required = CLOSED["components"]["headers"][name]["required"] == true;
        assert!(!is_required || reply.headers.contains_key(name), "{name} is missing: {}", what());
    }
    if media_type != "application/json" || reply.bytes.len() > MAX_BODY {
        return;
    }
    validate(format!("{method} {path} {}", reply.status), &content["schema"], &reply.json());
}

/// Validates the body of an event that a webhook has received.
#[track_caller]
pub fn check_event(body: &Value) {
    let kind = body["type"].as_str().unwrap_or_default();
    let content = &CLOSED["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"];
    assert!(content.is_object(), "this event is not described: {body}");
    validate(kind.to_owned(), &content["schema"], body);
}

#[track_caller]
fn validate(what: String, schema: &Value, body: &Value) {
    let validator = validator(what.clone(), schema);
    let faults: Vec<String> =
        validator.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(faults.is_empty(), "not as described: {faults:#?} {what}: {:.2000}", body.to_string());
}

fn validator(what: String, schema: &Value) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let build = || {
        let whole = json!({ "components": CLOSED["components"], "allOf": [schema] });
        Arc::new(jsonschema::draft202012::new(&whole).unwrap())
    };
    Arc::clone(validators.entry(what).or_insert_with(build))
}
