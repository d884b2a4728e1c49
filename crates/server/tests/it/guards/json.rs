//! A caller's JSON is taken apart (`core/src/json_parts.rs`), because a `Value` takes up to fifty times the memory of its
//! text. Whoever parses JSON otherwise has a reason why little memory is enough.

use std::collections::BTreeMap;

use super::{assert_none, sources};

/// Files that parse JSON in so many places, and why they may.
const MAY_PARSE: &[(&str, usize, &str)] = &[
    ("core/src/catalog/fields.rs", 1, "a number"),
    ("core/src/catalog/web_url.rs", 1, "a text of the database"),
    ("core/src/integrity/contents.rs", 2, "texts of the database"),
    ("core/src/items/input.rs", 1, "custom fields, whose length is checked first"),
    ("core/src/json.rs", 3, "what parses for the others; texts of the database"),
    ("core/src/json_parts.rs", 4, "takes JSON apart; parses texts, numbers and flags"),
    ("core/src/lists/duplicate.rs", 1, "custom fields of the database"),
    ("core/src/mail/claim.rs", 1, "a text of the database"),
    ("core/src/stores/record.rs", 1, "a text of the database"),
    ("server/src/http/handlers/diagnosis.rs", 1, "an answer that another node of the server sealed"),
    ("server/src/http/handlers/mail.rs", 1, "a text, or texts that are counted first"),
    ("server/src/http/request/json_body.rs", 1, "only checks what is not an object"),
];

/// Whether a line names a function that parses JSON.
fn parses(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let direct =
        ["serde_json::from_", "serde_json::Deserializer", "json::parse", "axum::Json", "extract::Json", "Json("];
    let imported =
        [("serde_json::{", "from_"), ("serde_json::{", "Deserializer"), ("json::{", "parse"), ("axum::{", "Json")];
    direct.iter().any(|name| code.contains(name))
        || imported.iter().any(|(module, name)| code.contains(module) && code.contains(name))
}

#[test]
fn the_json_of_a_caller_is_not_parsed_to_values_as_a_whole() {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (path, source) in sources() {
        if path.starts_with("core/src/") || path.starts_with("server/src/http/") {
            let lines = source.lines().enumerate().filter(|(_, line)| parses(line));
            let numbers: Vec<usize> = lines.map(|(number, _)| number + 1).collect();
            if !numbers.is_empty() {
                places.insert(path, numbers);
            }
        }
    }
    let mut findings = Vec::new();
    for (path, numbers) in &places {
        let allowed = MAY_PARSE.iter().find(|(may, ..)| may == path).map_or(0, |(_, count, _)| *count);
        if numbers.len() > allowed {
            findings
                .push(format!("{path} parses JSON at {numbers:?}, {allowed} allowed: use wishbone_core::json_parts"));
        }
    }
    for (path, count, _) in MAY_PARSE {
        if places.get(*path).map_or(0, Vec::len) < *count {
            findings.push(format!("{path} parses JSON in less than {count} places: correct MAY_PARSE"));
        }
    }
    assert_none(&findings);
}

#[test]
fn what_parses_json_is_recognized() {
    for line in [
        "let value: Value = json::parse(text)?;",
        "use wishbone_core::json::{Object, array, parse};",
        "use serde_json::{Value, from_str};",
        "serde_json::from_slice::<Value>(&body)",
        "async fn call(Json(body): Json<Value>)",
    ] {
        assert!(parses(line), "{line}");
    }
    for line in ["// json::parse", "use wishbone_core::json_parts::elements;", "use serde_json::{Value, json};"] {
        assert!(!parses(line), "{line}");
    }
}
