//! The API's description is true: what it names is there, what it says of parameters holds, its examples work. That all
//! answers are as described is checked wherever a test gets one, see `support/described.rs`.

use std::collections::BTreeSet;

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use wishbone_core::operator::Operator;
use wishbone_core::stores::maintenance::SetMaintenance;
use wishbone_server::api::document::document;
use wishbone_server::api::examples::Examples;
use wishbone_server::api::operation::{Answer, Caller, Kind, Operation, Parameter, ParameterIn};
use wishbone_server::api::routes::OPERATIONS;
use wishbone_server::http::router::{Route, routes};
use wishbone_server::jobs::maintenance;

use crate::hostile::subject;
use crate::support::process::Setup as Folder;
use crate::support::{Call, Engine, NOW, Reply, TestApp, calls, send};

/// Everything in a document, with where it is.
fn walk<'d>(value: &'d Value, at: &str, visit: &mut dyn FnMut(&str, &'d Value)) {
    visit(at, value);
    match value {
        Value::Object(members) => members.iter().for_each(|(name, it)| walk(it, &format!("{at}/{name}"), visit)),
        Value::Array(elements) => elements.iter().enumerate().for_each(|(i, it)| walk(it, &format!("{at}/{i}"), visit)),
        _ => {}
    }
}

#[test]
fn every_route_is_described_but_the_demos_pages_and_the_doctors() {
    for route in routes() {
        let path = route.operation.path;
        let is_internal = path == "/" || path.starts_with("/demo/") || path == "/api/v3/diagnosis";
        assert_eq!(route.operation.description.is_none(), is_internal, "{path}");
    }
}

#[test]
fn the_document_refers_to_what_it_has_and_has_what_it_refers_to() {
    let examples = Examples::default();
    let document = document(&examples);
    let (mut used, mut ids, mut tags) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    walk(&document, "", &mut |at, value| {
        if let Some(target) = value["$ref"].as_str() {
            assert!(document.pointer(&target[1..]).is_some(), "{at} refers to {target}");
            used.insert(target.to_owned());
        }
        if let Some(id) = value["operationId"].as_str() {
            assert!(!value["summary"].as_str().unwrap().is_empty(), "{at}");
            ids.push(id.to_owned());
            tags.insert(value["tags"][0].to_string());
        }
        if let Some(text) = value.as_str() {
            let left = examples.0.iter().find(|(name, _)| text.contains(name));
            assert!(left.is_none(), "{at} is not filled in: {text}");
        }
    });
    for kind in ["schemas", "headers"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            assert!(used.contains(&format!("#/components/{kind}/{name}")), "nothing uses {name}");
        }
    }
    let known: BTreeSet<String> =
        document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].to_string()).collect();
    assert_eq!(tags, known);
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "every operation has an id of its own: {ids:?}");
}

#[test]
fn every_operation_has_one_handler() {
    let id = |operation: &Operation| operation.description.map(|description| description.id);
    let mut handled: Vec<&str> = routes().iter().filter_map(|route| id(&route.operation)).collect();
    for operation in OPERATIONS.iter().filter_map(id) {
        let at = handled.iter().position(|handled| *handled == operation);
        let at = at.unwrap_or_else(|| {
            panic!("{operation} is in api/routes.rs, but has no handler: add a line to http/router.rs")
        });
        handled.remove(at);
    }
    assert!(handled.is_empty(), "these have two handlers in http/router.rs: {handled:?}");
    let is_known = |route: &Route| route.operation.path != "unknown";
    assert!(routes().iter().all(is_known), "a line of http/router.rs has a description that is not in api/routes.rs");
}

#[test]
fn every_schema_is_one_and_its_examples_fit() {
    let document = document(&Examples::default());
    let fits = |at: &str, schema: &Value, example: &Value| {
        let whole = json!({ "components": document["components"], "allOf": [schema] });
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        let validator = options.build(&whole).unwrap_or_else(|error| panic!("{at}: {error}"));
        let faults: Vec<String> = validator.iter_errors(example).map(|error| error.to_string()).collect();
        assert!(example.is_null() || faults.is_empty(), "{at}: {faults:?}");
    };
    let mut count = 0;
    walk(&document, "", &mut |at, value| {
        let Some(schema) = value.get("schema") else { return };
        fits(at, schema, value.get("example").unwrap_or(&Value::Null));
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let Some(content) = field.get("contentSchema") else { continue };
            let example =
                value["example"][name].as_str().map_or(Value::Null, |text| serde_json::from_str(text).unwrap());
            fits(&format!("{at} {name}"), content, &example);
            count += 1;
        }
    });
    assert!(count > 10, "{count}");
}

#[test]
fn the_command_prints_what_the_server_serves() {
    let place = Folder::new();
    let server = place.serve(&[]);
    let served: Value = serde_json::from_str(&server.get("/openapi.json").body).unwrap();
    assert_eq!(served["openapi"], "3.1.0");
    assert_eq!(place.json(&["openapi"]), served);
    assert_eq!(serde_json::from_str::<Value>(place.run(&["openapi"]).ok()).unwrap(), served);
}

/// Records them if `WISHBONE_RECORD_SAMPLES` is set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_sample_is_what_its_operation_responds() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/samples.json");
    let mut recorded = serde_json::Map::new();
    let mut record = |path: &str, reply: &Reply| {
        let route = routes().into_iter().find(|route| route.operation.path == path).unwrap();
        let description = route.operation.description.unwrap();
        if matches!(description.answer, Answer::Json(_)) {
            recorded.insert(description.id.to_owned(), reply.ok());
        }
    };
    // Each on a server of its own, so that the ids in one do not depend on the others.
    let mut number = 0;
    loop {
        let app = TestApp::start(Engine::Sqlite).await;
        let all = calls(&subject(&app, "ann").await);
        let Some(call) = all.get(number) else { break };
        record(call.path, &call.send(&app.router).await);
        number += 1;
    }
    let app = TestApp::start(Engine::Sqlite).await;
    for path in ["/healthz", "/readyz"] {
        record(path, &send(&app.router, "GET", path, &[], "").await);
    }
    let recorded = format!("{:#}\n", Value::Object(recorded));
    if std::env::var_os("WISHBONE_RECORD_SAMPLES").is_some() {
        std::fs::write(path, &recorded).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(committed == recorded, "run this test with WISHBONE_RECORD_SAMPLES=1 and commit {path}:\n{recorded}");
    let samples: Value = serde_json::from_str(&committed).unwrap();
    for operation in OPERATIONS.iter().filter_map(|operation| operation.description) {
        // That of the description itself would be all of it.
        let has_sample = matches!(operation.answer, Answer::Json(_)) && operation.id != "openapi";
        assert_eq!(samples.get(operation.id).is_some(), has_sample, "{}", operation.id);
    }
}

/// Parameters of which a call takes one.
const EITHER: &[(&str, &str)] = &[("empis", "empi"), ("uuid", "useremail"), ("all", "useremail"), ("key", "all")];

/// The call with this parameter, wherever it goes.
async fn ask(app: &TestApp, call: &Call, parameter: &Parameter, value: &str) -> Reply {
    // Nobody is to run into the rate limit here.
    app.advance(1_000);
    if parameter.place == ParameterIn::Header {
        return call.send_with(&app.router, &[(parameter.name, value)]).await;
    }
    let other = EITHER.iter().find(|(name, _)| *name == parameter.name).map_or("", |(_, other)| *other);
    let call = call.without(parameter.name).without(other);
    call.and(parameter.name, value, parameter.place == ParameterIn::Query).send(&app.router).await
}

/// Values that are just allowed, and values that just are not.
fn at_the_edge(kind: Kind) -> (Vec<String>, Vec<String>) {
    let text = |length: usize| "x".repeat(length);
    let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    match kind {
        Kind::AnyText => (list(&["anything"]), Vec::new()),
        // One key is for one call: the test makes it.
        Kind::Visible(most) => (Vec::new(), vec![text(most + 1), "a\tb".into()]),
        Kind::Text(most) => (vec![text(1), text(most)], vec![text(most + 1)]),
        Kind::Flag => (list(&["true", "FALSE", "0", "1"]), list(&["yes", "2"])),
        Kind::Whole(least, i64::MAX) => (vec![least.to_string(), i64::MAX.to_string()], vec![(least - 1).to_string()]),
        Kind::Whole(least, most) => {
            (vec![least.to_string(), most.to_string()], vec![(least - 1).to_string(), (most + 1).to_string()])
        }
        Kind::Time => (vec![(NOW * 2).to_string()], list(&["tomorrow"])),
        Kind::ProductId => (list(&["1", "9007199254740991"]), list(&["0", "9007199254740992"])),
        Kind::Price => (list(&["0", "19.95"]), list(&["-0.01", "1e16", "free"])),
        Kind::Word(words) => (list(words), list(&["other"])),
        Kind::Json(schema) => {
            let schema = schema();
            let Some(most) = schema["maxItems"].as_u64() else { return (list(&["{}"]), list(&["[]", "7", "{"])) };
            let many = format!("[{}]", vec!["1"; most as usize + 1].join(","));
            (Vec::new(), vec!["[]".into(), "{}".into(), "[".into(), many])
        }
        Kind::Uuid(Some(_)) => {
            (list(&["6f1cf3a4-5d0e-4f5b-9d53-7a4f6a1b2c3d"]), list(&["6f1cf3a4-5d0e-1f5b-9d53-7a4f6a1b2c3d", "x"]))
        }
        Kind::Uuid(None) => (list(&["6f1cf3a4-5d0e-4f5b-9d53-7a4f6a1b2c3d"]), list(&["x"])),
        Kind::Email | Kind::Address => (list(&["zoe@example.com"]), list(&["zoe", "a@b"])),
        Kind::Token | Kind::List | Kind::Pid | Kind::Regid | Kind::Sessionid => (Vec::new(), list(&["x"])),
    }
}

both_engines! {
    async fn what_is_said_of_a_parameter_holds(app: TestApp) {
        let count = calls(&subject(&app, "ann").await).len();
        for number in 0..count {
            let call = calls(&subject(&app, &format!("ann{number}")).await).remove(number);
            let route = routes().into_iter().find(|route| route.operation.path == call.path).unwrap();
            let described: Vec<&Parameter> = route.operation.description.unwrap().parameters(route.operation.caller).collect();
            for part in &call.parts {
                let place = if part.in_query { ParameterIn::Query } else { ParameterIn::Form };
                let found = described.iter().find(|parameter| parameter.name == part.name && parameter.place == place);
                let found = found.unwrap_or_else(|| panic!("{} {} is not described", call.path, part.name));
                assert!(!found.required || part.required, "{} {} is not required", call.path, part.name);
            }
            for parameter in described {
                let name = parameter.name;
                let (mut good, bad) = at_the_edge(parameter.kind);
                if let Kind::Visible(most) = parameter.kind {
                    good.push(format!("{number:0>most$}"));
                }
                for value in bad {
                    let reply = ask(&app, &call, parameter, &value).await;
                    let wanted = match parameter.kind {
                        Kind::List => 404,
                        Kind::Pid | Kind::Regid => 401,
                        Kind::Sessionid if route.operation.caller == Caller::Shopper => 401,
                        _ => 400,
                    };
                    assert_eq!(reply.status, wanted, "{} {name}={value:.99} {}", call.path, reply.text());
                    let message = reply.json()["error-msg"].as_str().unwrap().to_owned();
                    assert!(wanted != 400 || message.contains(name), "{} {name}={value:.99} {message}", call.path);
                }
                if parameter.required && parameter.place == ParameterIn::Form {
                    let reply = call.without(name).send(&app.router).await;
                    reply.fails(400, "missing-parameter");
                    assert!(reply.text().contains(name), "{} {name} {}", call.path, reply.text());
                }
                for value in good {
                    let reply = ask(&app, &call, parameter, &value).await;
                    // Another parameter may not fit to it.
                    let is_fine = reply.status != 400
                        || !reply.json()["error-msg"].as_str().unwrap().starts_with(&format!("{name} "));
                    assert!(is_fine, "{} {name}={value:.99} {}", call.path, reply.text());
                }
            }
        }
    }

    async fn what_is_said_of_products_holds(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let document = document(&Examples::default());
        let schemas = &document["components"]["schemas"];
        // Each property with values around its bounds, in an element that is good apart from that.
        let elements = |schema: &Value, number: &mut i64| {
            let mut out: Vec<(Value, bool)> = Vec::new();
            for (name, property) in schema["properties"].as_object().unwrap() {
                let mut values = vec![(json!([[]]), false)];
                if let Some(most) = property["maxLength"].as_u64() {
                    values.push(("x".repeat(most as usize).into(), true));
                    values.push(("x".repeat(most as usize + 1).into(), false));
                }
                if let Some(most) = property["maximum"].as_i64() {
                    values.extend([(most.into(), true), ((most + 1).into(), false)]);
                }
                if let Some(least) = property["minimum"].as_i64() {
                    values.extend([(least.into(), true), ((least - 1).into(), false)]);
                }
                let takes_null = property["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
                values.extend(takes_null.then_some((Value::Null, true)));
                for (value, is_good) in values {
                    *number += 1;
                    let mut element = json!({ "epi": *number, "empi": 1, "du": "https://shop.example" });
                    element[name] = value;
                    out.push((element, is_good));
                }
            }
            assert!(out.len() > 25, "{}", out.len());
            out
        };
        let mut number = 0;
        for (element, is_good) in elements(&schemas["Product"], &mut number) {
            let answer = ann.add_items(&lid, &json!([element])).await;
            assert_eq!(answer["a"][0]["hasError"].is_null(), is_good, "{:.300} {:.300}", element.to_string(), answer.to_string());
        }
        for (element, is_good) in elements(&schemas["CatalogProduct"], &mut number) {
            let body = json!({ "products": [element] });
            let answer = app.store_admin().json("/storeadmin/v3/products/upsert", &body).await.ok();
            assert_eq!(answer["updated"] == 1, is_good, "{:.300} {answer}", element.to_string());
        }
    }

    async fn anyone_may_read_the_description_at_any_time(app: TestApp) {
        app.app.database.write(SetMaintenance { by: Operator::of_this_machine(), on: true, now: NOW }).await.unwrap();
        maintenance::poll(&app.app).await;
        let stored = send(&app.router, "GET", "/openapi.json", &[("origin", "https://viewer.example")], "").await;
        assert_eq!(stored.ok(), document(&Examples::default()));
        let page = send(&app.router, "GET", "/docs", &[], "").await;
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!((stored.status.as_u16(), stored.header("cache-control")), (200, Some("public, max-age=3600")));
        // It contains the address that it was requested at.
        assert_eq!((page.status.as_u16(), page.header("cache-control")), (200, Some("private, max-age=3600")));
        assert_eq!(stored.header("access-control-allow-origin"), Some("*"));
        app.store_admin().get("/storeadmin/me").await.fails(503, "maintenance");
    }

    async fn the_page_has_everything_and_loads_nothing(app: TestApp) {
        let page = send(&app.router, "GET", "/docs", &[], "").await;
        let html = page.text();
        for route in routes().iter().filter(|route| route.operation.description.is_some()) {
            let about = route.operation.description.unwrap();
            assert!(html.contains(&format!("<article id=\"{}\">", about.id)), "{}", about.id);
            assert!(html.contains(&format!("href=\"#{}\"", about.id)), "{}", about.id);
            // The slashes of a path are escaped.
            assert!(html.replace("&#x2f;", "/").contains(&format!("<code>{}</code>", route.operation.path)), "{}", route.operation.path);
        }
        for record in document(&Examples::default())["components"]["schemas"].as_object().unwrap().keys() {
            assert!(html.contains(&format!("<article id=\"{record}\">")), "{record}");
        }
        for loads in ["<link", "<img", "<iframe", " src=\"", "url(", "@import"] {
            assert!(!html.contains(loads), "{loads}");
        }
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        for tag in ["style", "script"] {
            let text = html.split(&format!("<{tag}>")).nth(1).unwrap().split(&format!("</{tag}>")).next().unwrap();
            assert!(policy.contains(&STANDARD.encode(digest(&SHA256, text.as_bytes()))), "the policy knows the page's own {tag}");
        }
    }

    async fn what_the_document_names_is_there(app: TestApp) {
        for (path, methods) in document(&Examples::default())["paths"].as_object().unwrap() {
            for method in methods.as_object().unwrap().keys() {
                let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
                let reply = send(&app.router, method.as_str(), path, &[], "").await;
                assert_ne!(reply.status, 405, "{method} {path}");
                let is_json = reply.header("content-type") == Some("application/json");
                assert!(!is_json || reply.json()["error-code"] != "not-found", "{method} {path}");
            }
        }
    }
}
