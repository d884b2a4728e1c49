//! Whatever is sent to whatever operation, the answer is one of the error table or a success that
//! keeps what was said.

mod generated;

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use axum::body::Bytes;
use axum::http::Request;
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::watch;
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::api::operation::Caller;
use wishbone_server::http::router::routes;
use wishbone_server::http::server::serve;
use wishbone_server::shutdown::ShutdownPhase;

use crate::support::{
    BYTES, Call, FORM, Kind, NUMBERS, Reply, SHAPES, Subject, TEXTS, TestApp, calls, encode, encode_form, send, values,
};

/// A request with a head of so many bytes.
fn head_of(length: usize) -> String {
    let (start, end) = ("GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\nx-long: ", "\r\n\r\n");
    format!("{start}{}{end}", "a".repeat(length - start.len() - end.len()))
}

/// A success, or an error of the table with its status, and nothing that a caller has no business to see.
#[track_caller]
fn assert_sane(reply: &Reply, what: &dyn Fn() -> String) {
    let status = reply.status.as_u16();
    assert!(status == 200 || (400..500).contains(&status), "{}: {status} {}", what(), reply.text());
    let body = reply.try_json().unwrap_or_else(|_| panic!("{}: no JSON in {}", what(), reply.text()));
    if status == 200 {
        assert!(body.get("error").is_none() && body.get("errors").is_none(), "{}: {body}", what());
        return;
    }
    let code = body["error-code"].as_str().unwrap();
    let known = match code {
        "user-not-logged-in" | "bad-regid" | "bad-api-key" | "not-granted" | "unknown-store" => 401,
        "forbidden" | "feature-not-enabled" => 403,
        "list-not-found" | "not-found" => 404,
        "min-items-limit-not-met"
        | "max-items-limit-exceeded"
        | "missing-parameter"
        | "invalid-parameter"
        | "invalid-next-token"
        | "invalid-content-type"
        | "body-too-large"
        | "not-save-for-later"
        | "limit-reached" => 400,
        other => panic!("{}: {other}", what()),
    };
    assert_eq!(status, known, "{}", what());
    let message = body["error-msg"].as_str().unwrap();
    assert!(message.len() < 500, "{}: {message}", what());
    for inside in ["select ", "insert into", "sqlite", "postgres", "panicked", "/src/", ".rs:"] {
        assert!(!message.to_lowercase().contains(inside), "{}: {message}", what());
    }
}

/// Two lists of a shopper of the usual store, fresh for every operation.
pub(crate) async fn subject(app: &TestApp, name: &str) -> Subject {
    // Nobody is to run into the limits of an hour here.
    let many = Some(1_000_000);
    let change =
        SettingsChange { mails_per_shopper: many, mails_per_address: many, mails_per_hour: many, ..Default::default() };
    app.set(change).await;
    let shopper = app.shopper(name).await;
    let lid = shopper.list("Mine").await;
    shopper.add(&lid, &[1, 2]).await;
    let saved_lid = shopper.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
    let (store, email, next, saved_next) =
        (app.store.clone(), format!("{name}@example.com"), String::new(), String::new());
    let webhook = app.webhook().await;
    Subject { shopper, store, email, lid, saved_lid, next, saved_next, webhook }
}

/// Every operation, each with lists of its own to break.
async fn every_call(app: &TestApp) -> Vec<Call> {
    let paths: Vec<&str> = calls(&subject(app, "zoe").await).iter().map(|call| call.path).collect();
    let mut out = Vec::new();
    for (i, path) in paths.into_iter().enumerate() {
        let all = calls(&subject(app, &format!("ann{i}")).await);
        out.extend(all.into_iter().filter(|call| call.path == path));
    }
    out
}

async fn ask(app: &TestApp, call: &Call) -> Reply {
    // Nobody is to run into the rate limit here.
    app.advance(1_000);
    call.send(&app.router).await
}

both_engines! {
    async fn every_operation_is_in_this_table(app: TestApp) {
        let all = calls(&subject(&app, "ann").await);
        let covered: BTreeSet<&str> = all.iter().map(|call| call.path).collect();
        let mut wanted = BTreeSet::new();
        for route in routes() {
            let is_post = send(&app.router, "POST", route.operation.path, &[], "").await.status != 405;
            // What people open from a mail answers with pages, and the demo has forms: both have tests of their own.
            let is_page = ["/mail/", "/demo/"].iter().any(|start| route.operation.path.starts_with(start));
            let is_for_everyone = matches!(route.operation.caller, Caller::Anyone | Caller::Monitor);
            if (is_post && !is_page) || !is_for_everyone {
                wanted.insert(route.operation.path);
            }
        }
        let difference: Vec<&&str> = covered.symmetric_difference(&wanted).collect();
        assert!(difference.is_empty(), "support/calls.rs needs one call of every operation: {difference:?}");
        for call in all {
            ask(&app, &call).await.ok();
        }
    }

    async fn a_missing_or_empty_parameter_is_named(app: TestApp) {
        for call in every_call(&app).await {
            for part in &call.parts {
                for changed in [call.without(part.name), call.with(part.name, "")] {
                    let reply = ask(&app, &changed).await;
                    if part.required {
                        reply.fails(400, "missing-parameter");
                        let message = reply.json()["error-msg"].as_str().unwrap().to_owned();
                        assert!(message.contains(part.name), "{} {} {message}", call.path, part.name);
                    } else if call.path != "/api/v3/lists/delete-list" {
                        reply.ok();
                    }
                }
            }
        }
    }

    async fn a_parameter_sent_twice_is_refused_by_name(app: TestApp) {
        for call in every_call(&app).await {
            for part in &call.parts {
                let reply = ask(&app, &call.twice(part.name)).await;
                reply.fails(400, "invalid-parameter");
                let message = reply.json()["error-msg"].as_str().unwrap().to_owned();
                assert!(message.contains(part.name) && message.contains("twice"), "{} {message}", call.path);
            }
            if call.json.is_none() && !call.parts.is_empty() {
                let body = format!("{}&other=1&other=1", call.form());
                call.send_body(&app.router, body.into_bytes()).await.fails(400, "invalid-parameter");
            }
        }
    }

    async fn parameters_that_mean_nothing_are_ignored(app: TestApp) {
        for call in every_call(&app).await {
            let mut call = call;
            for name in ["appId", "_cv", "x-api-key", "limit", "offset", "user-agent", "page[]", "ünïcode 🛒"] {
                for in_query in [true, false] {
                    if !call.parts.iter().any(|part| part.name == name && part.in_query == in_query) {
                        call = call.and(name, "x' or 1=1", in_query);
                    }
                }
            }
            ask(&app, &call).await.ok();
        }
    }

    async fn a_value_of_the_wrong_type_is_refused(app: TestApp) {
        for call in every_call(&app).await {
            for part in &call.parts {
                let (wrong, status): (&[&str], u16) = match part.kind {
                    Kind::Whole => (&["x", "1.5", "1e3", "0x10", "１２", "-", "NaN", "null", "true", "[]", "1 2"], 400),
                    Kind::Price => (&["x", "-1", "1,5", "1e16", "１２", "NaN", "null", "true", "[]", "1 2"], 400),
                    Kind::Flag => (&["yes", "2", "-1", "null", "truefalse", "[]", "т"], 400),
                    Kind::Word => (&["x", "PRICE ", "null", "1", "[]", "price,title", "' or 1=1"], 400),
                    Kind::Json => (&["x", "7", "\"x\"", "true", "[", "{", "[}", "{\"a\":}", "'[]'", "undefined"], 400),
                    Kind::Address => (&["x", "null", "a@b", "@", "[]", "ann@example.com,bea@example.com"], 400),
                    Kind::Token => (&["x", "null", "AAAA", "[]", "🛒"], 400),
                    Kind::List => (&["x", "null", "1", "' or 1=1", "00000000-0000-0000-0000-000000000000"], 404),
                    Kind::Credential => (&["x", "null", "AAAA", "' or 1=1"], 401),
                    Kind::Text => (&[], 400),
                };
                for value in wrong {
                    let reply = ask(&app, &call.with(part.name, value)).await;
                    assert_eq!(reply.status, status, "{} {}={value:?} {}", call.path, part.name, reply.text());
                }
            }
        }
    }

    async fn no_value_of_any_parameter_breaks_an_operation(app: TestApp) {
        let values = values();
        for call in every_call(&app).await {
            for part in &call.parts {
                // A signature holds or it does not, so those need fewer; an address ends at 64 KiB.
                let few = if part.kind == Kind::Credential { &values[..TEXTS.len()] } else { &values[..] };
                for value in few.iter().filter(|value| !part.in_query || value.len() < 20_000) {
                    let reply = ask(&app, &call.with(part.name, value)).await;
                    assert_sane(&reply, &|| format!("{} {}={:.200}", call.path, part.name, value));
                }
            }
            if call.path.ends_with("share-links/create") {
                // The list may have as many as it can.
                let revoke = Call { path: "/api/v3/lists/share-links/revoke", ..call.clone() };
                ask(&app, &revoke.required("all", Kind::Flag, "true")).await.ok();
            }
            // It still works for everyone else.
            ask(&app, &call).await.ok();
        }
        app.assert_sound().await;
    }

    async fn no_bytes_in_a_form_break_an_operation(app: TestApp) {
        for call in every_call(&app).await.iter().filter(|call| call.json.is_none()) {
            let (form, path) = (call.form(), call.path);
            for bytes in BYTES {
                let fields = call.parts.iter().filter(|part| !part.in_query).map(|part| part.name);
                for name in fields.chain(["unknown"]) {
                    app.advance(1_000);
                    let mut body = call.without(name).form().into_bytes();
                    body.extend_from_slice(format!("&{name}=").as_bytes());
                    body.extend_from_slice(bytes);
                    let reply = call.send_body(&app.router, body).await;
                    assert_sane(&reply, &|| format!("{path} {name}={bytes:?}"));
                    let mut body = format!("{form}&x").into_bytes();
                    body.extend_from_slice(bytes);
                    body.extend_from_slice(b"=1");
                    if path != "/api/v3/lists/delete-list" {
                        app.advance(1_000);
                        let reply = call.send_body(&app.router, body).await;
                        assert_sane(&reply, &|| format!("{path} with a name of {bytes:?}"));
                    }
                }
            }
            for body in
                ["&&&", "=", "==", "=x", "&=&", "+", "%", "a=b=c", "[]=1", "lid[]=1", "lid[a]=1", "\u{feff}lid=1"]
            {
                let reply = call.send_body(&app.router, body.as_bytes().to_vec()).await;
                assert_sane(&reply, &|| format!("{path} {body:?}"));
            }
            let many: String = (0..10_000).map(|i| format!("f{i}=1&")).collect();
            let reply = call.send_body(&app.router, many.into_bytes()).await;
            assert_sane(&reply, &|| format!("{path} with ten thousand fields"));
        }
    }

    async fn no_query_breaks_an_operation(app: TestApp) {
        for call in every_call(&app).await {
            let sane = BYTES.iter().filter_map(|bytes| std::str::from_utf8(bytes).ok());
            for text in sane.filter(|text| !text.chars().any(char::is_control)) {
                for query in [
                    format!("pid={text}"),
                    format!("{text}=1"),
                    format!("pid=x&x={text}"),
                    format!("limit={text}&offset={text}"),
                ] {
                    let uri = format!("{}?{query}", call.path);
                    let method = if call.path == "/storeadmin/me" { "GET" } else { "POST" };
                    let reply = send(&app.router, method, &uri, &[], "").await;
                    assert_sane(&reply, &|| uri.clone());
                }
            }
        }
    }

    async fn a_store_id_encoded_twice_may_hold_anything(app: TestApp) {
        let call = calls(&subject(&app, "ann").await).remove(0);
        for value in TEXTS.iter().chain(&["%00", "\0", "%ff", "%25", "%2500", "%252500", "a%00b"]) {
            for pid in [encode(value), encode(&encode(value))] {
                let uri = format!("{}?pid={pid}", call.path);
                let reply = send(&app.router, "POST", &uri, &[FORM], call.form()).await;
                assert_sane(&reply, &|| uri.clone());
                assert_ne!(reply.status, 200);
            }
        }
    }

    async fn no_json_body_breaks_the_customization_of_mails(app: TestApp) {
        let calls = every_call(&app).await.into_iter().filter(|call| call.path.contains("/v3/mail/"));
        for call in calls {
            let body = call.json.clone().unwrap();
            for value in values() {
                let mut bodies = vec![value.clone().into_bytes()];
                for key in body.as_object().unwrap().keys().map(String::as_str).chain(["templates"]) {
                    let mut body = body.clone();
                    body[key] = json!(value);
                    bodies.push(body.to_string().into_bytes());
                    body[key] = json!({ "alert.button": value, "alert.html": value });
                    bodies.push(body.to_string().into_bytes());
                    if let Ok(value) = serde_json::from_str::<Value>(&value) {
                        body[key] = value;
                        bodies.push(body.to_string().into_bytes());
                    }
                }
                for body in bodies {
                    // Below the limit of test mails.
                    app.advance(200_000);
                    let reply = call.send_body(&app.router, body.clone()).await;
                    assert_sane(&reply, &|| format!("{} {:.300}", call.path, String::from_utf8_lossy(&body)));
                }
            }
        }
    }

    async fn no_json_body_breaks_the_catalogue(app: TestApp) {
        let is_feed = |call: &Call| call.path.contains("/products/") || call.path.contains("/inventory/");
        let feeds: Vec<Call> = every_call(&app).await.into_iter().filter(is_feed).collect();
        assert_eq!(feeds.len(), 3);
        for call in feeds {
            let key = call.json.as_ref().unwrap().as_object().unwrap().keys().next().unwrap().clone();
            let mut bodies: Vec<Vec<u8>> = values().into_iter().map(String::into_bytes).collect();
            for value in values() {
                bodies.push(format!("{{\"{key}\":{value}}}").into_bytes());
                bodies.push(format!("{{\"{key}\":[{value}]}}").into_bytes());
                if value.len() > 30_000 {
                    continue;
                }
                let text = json!(value);
                for field in ["epi", "empi", "du", "dt", "iu", "pr", "ct", "vi", "bt", "sku", "stock", "x"] {
                    bodies.push(
                        format!("{{\"{key}\":[{{\"epi\":1,\"empi\":1,\"stock\":1,\"{field}\":{text}}}]}}").into_bytes(),
                    );
                    if SHAPES.contains(&value.as_str()) || NUMBERS.contains(&value.as_str()) {
                        bodies.push(
                            format!("{{\"{key}\":[{{\"epi\":1,\"empi\":1,\"stock\":1,\"{field}\":{value}}}]}}")
                                .into_bytes(),
                        );
                    }
                }
            }
            for bytes in BYTES {
                bodies.push(bytes.to_vec());
                bodies.push(
                    [b"{\"", key.as_bytes(), b"\":[{\"epi\":1,\"empi\":1,\"stock\":1,\"dt\":\"", bytes, b"\"}]}"]
                        .concat(),
                );
            }
            for body in bodies {
                let reply = call.send_body(&app.router, body.clone()).await;
                assert_sane(&reply, &|| format!("{} {:.300}", call.path, String::from_utf8_lossy(&body)));
            }
            for (body, code) in [
                ("", "missing-parameter"),
                ("{}", "missing-parameter"),
                ("null", "invalid-parameter"),
                ("[]", "invalid-parameter"),
                ("{", "invalid-parameter"),
            ] {
                call.send_body(&app.router, body.as_bytes().to_vec()).await.fails(400, code);
            }
            for value in ["{}", "7", "\"x\"", "true", "[]"] {
                call.send_body(&app.router, format!("{{\"{key}\":{value}}}").into_bytes())
                    .await
                    .fails(400, "invalid-parameter");
            }
        }
    }

    async fn the_texts_of_a_list_come_back_unchanged(app: TestApp) {
        let ann = app.shopper("ann").await;
        for text in TEXTS {
            let line = text.replace(['\r', '\n'], " ");
            let properties = json!({ *text: *text, "deep": { "list": [text, 1.50, null, true] } }).to_string();
            let name: String = text.trim().to_owned();
            let kind: String = text.trim().to_owned();
            let fields =
                [("lname", name.as_str()), ("lty", &kind), ("lnote", text), ("ldesc", text), ("lprops", &properties)];
            let made = ann.post("lists/create", &fields).await.ok();
            let lid = made["lid"].as_str().unwrap();
            let fetched = ann.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok();
            app.advance(1_000);
            for list in [&made, &fetched["list"], &ann.page(lid, &[]).await["data"]] {
                let wanted_type = if kind == "null" { "wl" } else { &kind };
                assert_eq!((&list["lname"], &list["lty"]), (&json!(name), &json!(wanted_type)));
                assert_eq!((&list["lnote"], &list["ldesc"]), (&json!(line), &json!(text)));
                assert_eq!(list["lprops"].to_string(), properties);
            }
            ann.post("lists/delete-list", &[("lid", lid)]).await.ok();
        }
    }

    async fn the_texts_of_an_item_come_back_unchanged(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let items: Vec<Value> = TEXTS
            .iter()
            .enumerate()
            .map(|(i, text)| {
                // No URL has control characters.
                let path = text.replace(char::is_control, "");
                json!({
                    "epi": i + 1, "empi": i + 1,
                    "du": format!("https://shop.example/{path}"), "iu": format!("//cdn.example/{path}"),
                    "dt": text, "ct": text, "vi": text, "bt": text, "sku": text, "note": text, "clbls": [text],
                    "cprops": { *text: { *text: [text] } },
                })
            })
            .collect();
        let added = ann.add_items(&lid, &Value::from(items.clone())).await;
        let mut found = ann.all_pages(&lid, &[]).await;
        found.reverse();
        for (i, item) in items.iter().enumerate() {
            for got in [&added["a"][i], &found[i]] {
                for (key, value) in item.as_object().unwrap() {
                    assert_eq!(&got[key], value, "{key} of {:?}", TEXTS[i]);
                }
            }
        }
        assert_eq!(found.len(), TEXTS.len());
    }

    async fn half_a_character_does_not_stop_a_call(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let items = r#"[{"epi":1,"empi":1,"du":"x","note":"cut \ud83d","cprops":{"\udc00":"\ud83d\ude00"}},{"epi":2,"empi":2,"du":"x"}]"#;
        let added = ann.post("lists/update-ctx", &[("lid", &lid), ("a", items)]).await.ok();
        assert_eq!(added["a"][0]["note"], "cut \u{fffd}");
        assert_eq!(added["a"][0]["cprops"], json!({ "\u{fffd}": "\u{1f600}" }));
        assert_eq!(added["a"][1]["epi"], 2);
        let swallowed = r#"[{"epi":3,"empi":1,"du":"x","cprops":{"$serde_json::private::Number":"1"}}]"#;
        let refused = ann.post("lists/update-ctx", &[("lid", &lid), ("a", swallowed)]).await;
        refused.fails(400, "invalid-parameter");
        assert!(refused.text().contains("reserved key"), "{}", refused.text());
    }

    async fn the_texts_of_the_catalogue_come_back_unchanged(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let products: Vec<Value> = TEXTS
            .iter()
            .enumerate()
            .map(|(i, text)| {
                json!({
                    "epi": i + 1, "empi": 7, "pr": 1.50, "dt": text, "ct": text, "vi": text, "bt": text, "sku": text,
                })
            })
            .collect();
        app.store_admin().upsert(Value::from(products)).await;
        ann.add(&lid, &(1..=TEXTS.len() as i64).collect::<Vec<_>>()).await;
        let found = ann.all_pages(&lid, &[("sortby", "title"), ("sortorder", "asc")]).await;
        assert_eq!(found.len(), TEXTS.len());
        for item in found {
            let text = TEXTS[item["epi"].as_u64().unwrap() as usize - 1];
            for key in ["dt", "ct", "vi", "bt", "sku"] {
                assert_eq!(item[key], text, "{key}");
            }
        }
    }

    async fn requests_that_are_not_http_are_told_so_in_json(app: TestApp) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, told) = watch::channel(ShutdownPhase::Running);
        let requests = [
            ("GET /healthz\r\n\r\n".to_owned(), "400", "invalid HTTP request"),
            ("GET /healthz HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n".to_owned(), "400", "invalid HTTP request"),
            ("POST /healthz HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_owned(), "400", "invalid HTTP request"),
            (head_of((64 << 10) + 1), "431", "64 KiB"),
            (head_of(70_000), "431", "64 KiB"),
            (head_of(140_000), "431", "64 KiB"),
            (format!("GET /healthz HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200)), "431", "100 headers"),
            (format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(140_000)), "431", "at most"),
        ];
        let client = tokio::task::spawn_blocking(move || {
            for (request, status, message) in requests {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(request.as_bytes()).unwrap();
                let mut response = String::new();
                let _ = stream.read_to_string(&mut response);
                let (head, body) = response.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{response:?}"));
                assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
                assert!(head.contains("connection: close") && head.contains("content-type: application/json"), "{head}");
                let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{response}"));
                assert_eq!((&body["status"], &body["error-code"]), (&json!("error"), &json!("invalid-parameter")));
                assert!(body["error-msg"].as_str().unwrap().contains(message), "{body}");
            }
            stop.send(ShutdownPhase::Draining).unwrap();
        });
        let ((), asked) = tokio::join!(serve(app.app.clone(), listener, told), client);
        asked.unwrap();
    }

    async fn heads_of_up_to_64_kib_are_accepted(app: TestApp) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, told) = watch::channel(ShutdownPhase::Running);
        let client = tokio::spawn(async move {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            stream.write_all(head_of(64 << 10).as_bytes()).await.unwrap();
            let mut response = String::new();
            stream.read_to_string(&mut response).await.unwrap();
            assert!(response.starts_with("HTTP/1.1 200"), "{response}");
            // HTTP/2 counts 32 bytes more for each of six headers, four of which are the request line.
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let (mut sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
            tokio::spawn(connection);
            for (length, status) in [(60 << 10, 200), (64 << 10, 431)] {
                let request = Request::get(format!("http://{address}/healthz")).header("x-long", "a".repeat(length));
                let response = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
                assert_eq!(response.status(), status, "{length}");
            }
            for (count, status) in [(90, 200), (101, 431)] {
                let mut request = Request::get(format!("http://{address}/healthz"));
                for number in 0..count {
                    request = request.header(format!("x-{number}"), "");
                }
                let response = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
                assert_eq!(response.status(), status, "{count} headers");
            }
            stop.send(ShutdownPhase::Draining).unwrap();
        });
        let ((), asked) = tokio::join!(serve(app.app.clone(), listener, told), client);
        asked.unwrap();
    }

    async fn a_connection_outlives_what_was_sent_over_it(app: TestApp) {
        let ann = app.shopper("ann").await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, told) = watch::channel(ShutdownPhase::Running);
        let form = encode_form(&[("regid", &ann.regid), ("sessionid", &ann.sessionid)]);
        let uri = format!("/api/v3/lists/fetch-lists?pid={}", encode(&ann.pid));
        let bodies: Vec<(Vec<u8>, u16)> = vec![
            (form.clone().into_bytes(), 200),
            (vec![b'x'; 3 << 20], 400),
            (b"regid=\xff\xfe\0".to_vec(), 400),
            (format!("{form}&a={}", "[".repeat(100_000)).into_bytes(), 200),
            (b"%".to_vec(), 400),
            (form.into_bytes(), 200),
        ];
        let client = tokio::task::spawn_blocking(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            for (body, wanted) in bodies {
                let head = format!(
                    "POST {uri} HTTP/1.1\r\nhost: a\r\nx-odd: \u{e9}\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
                    FORM.1,
                    body.len()
                );
                stream.write_all(head.as_bytes()).unwrap();
                stream.write_all(&body).unwrap();
                assert_eq!(read_status(&mut stream), wanted, "on one and the same connection");
            }
            stop.send(ShutdownPhase::Draining).unwrap();
        });
        let ((), asked) = tokio::join!(serve(app.app.clone(), listener, told), client);
        asked.unwrap();
    }
}

/// Reads one answer to its end; gives its status.
fn read_status(stream: &mut TcpStream) -> u16 {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap().parse().unwrap();
    stream.read_exact(&mut vec![0; length]).unwrap();
    head.split(' ').nth(1).unwrap().parse().unwrap()
}
