//! `/docs`: the document as one self-contained HTML page, readable without scripts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, context};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::api::document::document;
use crate::api::examples::{BASE, Examples, form_field};
use crate::api::prose::{escape, prose, shape};

/// Both forms of the document, and the page's content security policy.
pub struct Pages {
    pub json: String,
    /// Contains [`BASE`] in place of the server's URL, except in the demo.
    pub html: String,
    pub policy: String,
}

const TEMPLATE: &str = include_str!("../../templates/docs.html");
const STYLE: &str = include_str!("../../templates/docs.css");
const SCRIPT: &str = include_str!("../../templates/docs.js");

impl Pages {
    /// The commands use the values of the demo, or shell variables.
    pub fn new(demo: Option<&Examples>) -> Result<Self, Error> {
        let document = document(&demo.cloned().unwrap_or_default());
        let variables = Examples::variables();
        let examples = demo.unwrap_or(&variables);
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.add_filter("prose", |text: &str| minijinja::Value::from_safe_string(prose(text)));
        let safe = |text: &str| minijinja::Value::from_safe_string(text.to_owned());
        let values = context! {
            title => text(&document["info"]["title"]),
            version => text(&document["info"]["version"]),
            introduction => text(&document["info"]["description"]),
            is_demo => demo.is_some(),
            setup => if demo.is_some() { DEMO_SETUP } else { SETUP },
            keys => minijinja::Value::from(Serde(&keys(examples))),
            sections => minijinja::Value::from(Serde(&sections(&document, examples))),
            records => minijinja::Value::from(Serde(&records(&document))),
            style => safe(STYLE),
            script => safe(SCRIPT),
        };
        let html = environment.template_from_named_str("docs.html", TEMPLATE)?.render(values)?;
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(digest(&SHA256, text.as_bytes())));
        // The page sends requests, if its reader wants to, to this server only.
        let policy = format!(
            "default-src 'none'; style-src {}; script-src {}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        Ok(Self { json: document.to_string(), html, policy })
    }
}

/// Sets the variables of the commands.
const SETUP: &str = "\
# Printed by: wishbone store create --name \"My shop\"
PID='...'
API_KEY='...'

# Returned by: Generate credentials for a shopper or guest
REGID='...'
SESSIONID='...'

# Returned by: Create or duplicate a list
LID='...'

# Returned by: Create the save-for-later list
SAVED_LID='...'

# Returned by: Register a browser guest
GUEST_REGID='...'

# Returned by: Create a webhook
WEBHOOK='...'";

const DEMO_SETUP: &str = "API_KEY='...'";

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// What the requests of a reader have in common. Only the demo knows values, and nobody's API key.
fn keys(examples: &Examples) -> Value {
    let key = |name: &str, label: &str, example: &str| {
        let value = entered(examples.fill(example));
        json!({ "name": name, "label": label, "value": value, "secret": name == "apikey" })
    };
    json!([
        key("pid", "Store (pid)", "{pid}"),
        key("apikey", "API key", ""),
        key("regid", "Shopper (regid)", "{regid}"),
        key("sessionid", "Session (sessionid)", "{sessionid}"),
    ])
}

/// An example as the value of a field. A reader has no shell variables there.
fn entered(example: String) -> String {
    if example.contains('$') { String::new() } else { example }
}

/// Operations by tag, in the order of the document.
fn sections(document: &Value, examples: &Examples) -> Vec<Value> {
    let with_examples = crate::api::document::document(examples);
    let section = |tag: &Value| {
        let all =
            members(&document["paths"]).flat_map(|(path, methods)| members(methods).map(move |(m, o)| (path, m, o)));
        let operations: Vec<Value> = all
            .filter(|(_, _, operation)| operation["tags"][0] == tag["name"])
            .map(|(path, method, operation)| {
                let example = &with_examples["paths"][path][method];
                let mut described = described(path, method, operation, example);
                described["curl"] = curl(path, method, example, examples).into();
                described
            })
            .collect();
        json!({ "name": tag["name"], "text": tag["description"], "operations": operations })
    };
    elements(&document["tags"]).map(section).collect()
}

/// The body that an operation takes, and whether it is JSON.
fn request_body(operation: &Value) -> (&Value, bool) {
    let content = members(&operation["requestBody"]["content"]).next();
    content.map_or((&Value::Null, false), |(media_type, body)| (body, media_type == "application/json"))
}

fn described(path: &str, method: &str, operation: &Value, example: &Value) -> Value {
    let (body, is_json) = request_body(operation);
    let body_example = &request_body(example).0["example"];
    let mut parameters: Vec<Value> = elements(&operation["parameters"])
        .zip(elements(&example["parameters"]))
        .map(|(it, filled)| {
            let mut parameter = parameter(
                text(&it["name"]),
                text(&it["in"]),
                it["required"] == true,
                text(&it["description"]),
                &it["schema"],
            );
            parameter["example"] = entered(plain(&filled["example"])).into();
            parameter
        })
        .collect();
    if !is_json {
        let required = |name: &str| elements(&body["schema"]["required"]).any(|it| it == name);
        let field = |(name, schema): (&String, &Value)| {
            let mut parameter = parameter(name, "form", required(name), text(&schema["description"]), schema);
            parameter["example"] = entered(plain(&body_example[name])).into();
            parameter
        };
        // Credentials first, then the other parameters, headers last.
        let headers = parameters.iter().position(|it| it["place"] == "header").unwrap_or(parameters.len());
        let fields = members(&body["schema"]["properties"]).map(field);
        parameters.splice(headers..headers, fields.collect::<Vec<_>>());
    }
    let content = members(&operation["responses"]["200"]["content"]).next();
    let sample = content.and_then(|(_, it)| it.get("example")).map_or_else(String::new, |it| format!("{it:#}"));
    let (answer_type, answer) = content.map_or(("", String::new()), |(t, it)| (t.as_str(), shape(&it["schema"])));
    let errors: Vec<Value> = members(&operation["responses"])
        .filter(|(status, _)| *status != "200")
        .map(|(status, response)| json!({ "status": status, "text": response["description"] }))
        .collect();
    let headers: Vec<&String> = members(&operation["responses"]["200"]["headers"]).map(|(name, _)| name).collect();
    let is_for_logged_in = text(&operation["responses"]["401"]["description"]).contains("user-not-logged-in");
    let who = if operation.get("security").is_some() {
        "API key"
    } else if is_for_logged_in {
        "Logged-in shopper"
    } else if body["schema"]["properties"].get("sessionid").is_some() {
        "Shopper or guest"
    } else {
        "No authentication"
    };
    json!({
        "id": operation["operationId"],
        "method": method.to_ascii_uppercase(),
        "path": path,
        "summary": operation["summary"],
        "text": text(&operation["description"]),
        "who": who,
        "parameters": parameters,
        "body": if is_json { shape(&body["schema"]) } else { String::new() },
        "body_example": if is_json { entered(format!("{body_example:#}")) } else { String::new() },
        "sample": sample,
        "answer": answer,
        "answer_type": answer_type,
        "headers": headers,
        "errors": errors,
    })
}

fn parameter(name: &str, place: &str, required: bool, text: &str, schema: &Value) -> Value {
    json!({
        "name": name, "place": place, "required": required, "text": text,
        "type": shape(schema), "limits": limits(schema),
        "default": schema.get("default").map_or_else(String::new, |it| it.as_str().map_or_else(|| it.to_string(), str::to_owned)),
    })
}

/// The bounds of a value as text.
fn limits(schema: &Value) -> String {
    let schema = schema.get("contentSchema").unwrap_or(schema);
    let range = |least: &str, most: &str, what: &str| match (schema.get(least), schema.get(most)) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}{what}")),
        (None, Some(most)) => Some(format!("at most {most}{what}")),
        // Required values are never empty.
        (Some(least), None) if least == 1 && !what.is_empty() => None,
        (Some(least), None) => Some(format!("at least {least}{what}")),
        (None, None) => None,
    };
    range("minimum", "maximum", "")
        .or_else(|| range("minLength", "maxLength", " characters"))
        .or_else(|| range("minItems", "maxItems", " elements"))
        .unwrap_or_default()
}

/// The value of a parameter, as it is sent.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The example as a command to paste.
fn curl(path: &str, method: &str, operation: &Value, examples: &Examples) -> String {
    let (body, is_json) = request_body(operation);
    let query: Vec<String> = elements(&operation["parameters"])
        .filter(|it| it["in"] == "query")
        .filter_map(|it| Some(format!("{}={}", text(&it["name"]), encoded(&plain(it.get("example")?)))))
        .collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    let url = format!("{}{path}{query}", examples.fill(BASE));
    // Variables are expanded in double quotes only.
    let mut command = if query.contains('$') { format!("curl -sS \"{url}\"") } else { format!("curl -sS '{url}'") };
    let mut add = |option: &str| {
        command.push_str(" \\\n  ");
        command.push_str(option);
    };
    if operation.get("security").is_some() {
        add(&format!("-u \"{}:$API_KEY\"", examples.fill("{pid}")));
    }
    let example = body.get("example");
    if is_json {
        add("-H 'Content-Type: application/json'");
        // A variable is expanded between the single quotes of the rest.
        let body = example.unwrap_or(&Value::Null).to_string().replace("$WEBHOOK", "'\"$WEBHOOK\"'");
        add(&format!("-d '{body}'"));
    } else {
        members(example.unwrap_or(&Value::Null)).for_each(|(name, value)| add(&form_field(name, &plain(value))));
        if method == "post" && example.is_none() {
            add("-X POST");
        }
    }
    command
}

/// A value in a query string. A pid in a variable works as it is: the server accepts an unencoded one.
fn encoded(text: &str) -> String {
    if text.starts_with('$') { text.to_owned() } else { utf8_percent_encode(text, NON_ALPHANUMERIC).to_string() }
}

fn records(document: &Value) -> Vec<Value> {
    let record = |(name, schema): (&String, &Value)| {
        let required = |name: &str| elements(&schema["required"]).any(|it| it == name);
        let field = |(name, schema): (&String, &Value)| {
            json!({
                "name": escape(name), "required": required(name), "type": shape(schema), "limits": limits(schema),
                "text": text(&schema["description"]),
            })
        };
        let fields: Vec<Value> = members(&schema["properties"]).map(field).collect();
        json!({ "name": name, "text": text(&schema["description"]), "fields": fields })
    };
    members(&document["components"]["schemas"]).map(record).collect()
}
