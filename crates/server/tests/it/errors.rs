//! The error table: codes, statuses, bodies and headers.

mod limits;
mod logs;
mod order;

use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::error::Code;
use wishbone_core::stores::settings::{CatalogRule, Feature, SettingsChange};
use wishbone_server::api::operation::Caller;
use wishbone_server::http::router::routes;

use crate::support::{Client, FORM, JSON, Reply, TestApp, encode, encode_form, item, send};

const NO_LIST: &str = "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5b";
const ONE_ITEM: &str = r#"[{"epi":1,"empi":1001,"du":"https://shop.example/p/1"}]"#;
#[rustfmt::skip]
const BETA: [&str; 7] = [
    "lists/sfl/create",
    "lists/sfl/fetch",
    "lists/sfl/add",
    "lists/sfl/update",
    "lists/sfl/remove",
    "lists/sfl/moved-to-cart",
    "subscriptions/fetch-subs",
];

/// A call, its fields, and a part of what it answers.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn message(reply: &Reply) -> String {
    reply.json()["error-msg"].as_str().unwrap().to_owned()
}

fn uri(path: &str, client: &Client) -> String {
    format!("/api/v3/{path}?pid={}", encode(&client.pid))
}

fn signed(client: &Client, fields: &[(&str, &str)]) -> String {
    let mut all = vec![("regid", client.regid.as_str()), ("sessionid", client.sessionid.as_str())];
    all.extend_from_slice(fields);
    encode_form(&all)
}

fn authorization(app: &TestApp) -> String {
    format!("Basic {}", STANDARD.encode(format!("{}:{}", app.store.pid, app.store.key)))
}

/// Paths of the routes that take a POST.
fn posts(caller: Caller) -> Vec<&'static str> {
    let routes = routes()
        .into_iter()
        .filter(|route| route.operation.caller == caller && route.operation.path != "/storeadmin/me");
    routes.map(|route| route.operation.path).collect()
}

/// A list of another shopper, a save-for-later list, and one shopper with one of each.
struct Shop {
    ann: Client,
    guest: Client,
    lid: String,
    saved: String,
    bea_lid: String,
}

impl Shop {
    async fn new(app: &TestApp) -> Self {
        let (ann, bea, guest) = (app.shopper("ann").await, app.shopper("bea").await, app.guest().await);
        let (lid, bea_lid) = (ann.list("Ann's").await, bea.list("Bea's").await);
        ann.add(&lid, &[1]).await;
        let saved = ann.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        Self { ann, guest, lid, saved, bea_lid }
    }
}

both_engines! {
    async fn every_error_of_the_table_has_its_status(app: TestApp) {
        let Shop { ann, guest, lid, saved, bea_lid } = Shop::new(&app).await;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut expect = |reply: Reply, status: u16, code: &str| {
            reply.fails(status, code);
            assert_eq!(reply.headers["content-type"], "application/json", "{code}");
            assert!(message(&reply).len() > 10, "{}", reply.text());
            seen.insert(code.to_owned());
        };
        let list = |path: &'static str, fields: Vec<(&'static str, String)>| {
            let ann = ann.clone();
            async move {
                let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                ann.post(path, &fields).await
            }
        };
        let page = |name: &'static str, value: &str| {
            list("lists/fetch-user-list", vec![("lid", lid.clone()), (name, value.to_owned())])
        };
        expect(guest.post("lists/fetch-user-list", &[("lid", &lid)]).await, 401, "user-not-logged-in");
        expect(Client { sessionid: "x".into(), ..ann.clone() }.post("lists/fetch-lists", &[]).await, 401, "bad-regid");
        expect(send(&app.router, "GET", "/storeadmin/me", &[], "").await, 401, "bad-api-key");
        expect(list("lists/fetch-user-list", vec![("lid", bea_lid.clone())]).await, 401, "not-granted");
        for path in ["lists/fetch-list-with-contents", "lists/delete-list"] {
            expect(list(path, vec![("lid", bea_lid.clone())]).await, 403, "forbidden");
        }
        expect(list("lists/update", vec![("lid", bea_lid.clone()), ("lname", "Mine".into())]).await, 403, "forbidden");
        expect(
            list("lists/update-ctx", vec![("lid", bea_lid.clone()), ("a", ONE_ITEM.into())]).await,
            403,
            "forbidden",
        );
        for limit in ["49", "1", "0", "-1", "-99999999999999999999999"] {
            expect(page("itemslimit", limit).await, 400, "min-items-limit-not-met");
        }
        for limit in ["101", "1000", "99999999999999999999999"] {
            expect(page("itemslimit", limit).await, 400, "max-items-limit-exceeded");
        }
        for (name, value) in [
            ("sortby", "colour"),
            ("sortorder", "up"),
            ("filterby", "blue"),
            ("itemslimit", "50.5"),
            ("itemslimit", "fifty"),
        ] {
            expect(page(name, value).await, 400, "invalid-parameter");
        }
        expect(list("lists/fetch-user-list", vec![]).await, 400, "missing-parameter");
        expect(page("next", "bm90IG91cnM").await, 400, "invalid-next-token");
        expect(
            list("lists/sfl/add", vec![("lid", lid.clone()), ("items", ONE_ITEM.into())]).await,
            400,
            "not-save-for-later",
        );
        for path in ["lists/fetch-user-list", "lists/fetch-list-with-contents", "lists/delete-list"] {
            expect(list(path, vec![("lid", NO_LIST.into())]).await, 404, "list-not-found");
            expect(list(path, vec![("lid", "no uuid".into())]).await, 404, "list-not-found");
        }
        expect(
            list("lists/update", vec![("lid", lid.clone()), ("lname", "x".into()), ("ifversion", "999".into())]).await,
            400,
            "version-conflict",
        );
        expect(
            Client { pid: "nobody".into(), ..ann.clone() }.post("lists/fetch-lists", &[]).await,
            401,
            "unknown-store",
        );
        let body = signed(&ann, &[("lname", "x")]);
        expect(
            send(&app.router, "POST", &uri("lists/create", &ann), &[("content-type", "text/plain")], body).await,
            400,
            "invalid-content-type",
        );
        expect(
            send(&app.router, "POST", &uri("lists/create", &ann), &[FORM], vec![b'a'; (1 << 20) + 1]).await,
            400,
            "body-too-large",
        );
        expect(send(&app.router, "GET", &uri("lists/create", &ann), &[], "").await, 405, "method-not-allowed");
        expect(send(&app.router, "POST", &uri("lists/nothing", &ann), &[], "").await, 404, "not-found");

        // The reasons of failed items stand in their place, in a success.
        let mut in_place = |reply: Value, code: &str| {
            assert_eq!((&reply["hasError"], &reply["error-code"]), (&json!(true), &json!(code)), "{reply}");
            assert!(reply["msg"].as_str().is_some_and(|msg| msg.len() > 5), "{reply}");
            seen.insert(code.to_owned());
        };
        let change = |letter: &'static str, items: Value| {
            list("lists/update-ctx", vec![("lid", lid.clone()), (letter, items.to_string())])
        };
        in_place(change("u", json!([item(7)])).await.ok()["u"][0].clone(), "item-not-found");
        in_place(change("a", json!([{ "epi": 0 }])).await.ok()["a"][0].clone(), "invalid-item");
        let labels = json!([{ "epi": 2, "empi": 2, "du": "https://shop.example", "clbls": ["a", "b"] }]);
        in_place(change("a", labels).await.ok()["a"][0].clone(), "too-many-labels");
        in_place(
            list(
                "lists/sfl/update",
                vec![("lid", saved.clone()), ("user-agent", "t".into()), ("items", ONE_ITEM.into())],
            )
            .await
            .ok()["itemsfailed"][0]
                .clone(),
            "item-not-found",
        );
        app.set(SettingsChange { catalog: Some(CatalogRule::Strict), max_lists: Some(2), ..SettingsChange::default() })
            .await;
        in_place(change("a", json!([item(3)])).await.ok()["a"][0].clone(), "unknown-product");
        let mut expect = |reply: Reply, status: u16, code: &str| {
            reply.fails(status, code);
            seen.insert(code.to_owned());
        };
        expect(list("lists/create", vec![("lname", "Third".into())]).await, 400, "limit-reached");
        let rename = || list("lists/update", vec![("lid", lid.clone()), ("lname", "Renamed".into())]);
        let mut point = 0;
        let mut broken = app.break_at(point, rename()).await.unwrap();
        while broken.status == 503 {
            point += 1;
            broken = app.break_at(point, rename()).await.unwrap();
        }
        expect(broken, 500, "outcome-unknown");
        app.set(SettingsChange {
            disable: vec![Feature::SaveForLater, Feature::Subscriptions, Feature::SortFilter],
            ..SettingsChange::default()
        })
        .await;
        expect(page("sortby", "price").await, 400, "sort-filter-disabled");
        for path in BETA {
            expect(list(path, vec![]).await, 403, "feature-not-enabled");
        }
        let contents = || list("lists/fetch-list-with-contents", vec![("lid", lid.clone())]);
        let mut last = contents().await;
        while last.status == 200 {
            last = contents().await;
        }
        expect(last, 429, "rate-limited");
        app.set(SettingsChange { maintenance: Some(true), ..SettingsChange::default() }).await;
        expect(contents().await, 503, "maintenance");
        app.app.drain();
        expect(send(&app.router, "GET", "/readyz", &[], "").await, 503, "overloaded");

        // `internal` is a bug, and there is none to show it with.
        let all: BTreeSet<String> =
            Code::ALL.iter().filter(|code| **code != Code::Internal).map(|code| code.as_str().to_owned()).collect();
        assert_eq!(seen, all);
    }

    async fn an_error_has_the_shape_that_its_operation_is_known_for(app: TestApp) {
        let ann = app.shopper("ann").await;
        let stranger = Client { regid: "x".into(), ..ann.clone() };
        let strict = ["/api/v3/lists/fetch-user-list", "/api/v3/lists/fetch-user-lists"];
        let small = vec!["error-code", "error-msg", "status"];
        let large = vec!["error-code", "error-msg", "message", "msg", "status"];
        let mail = vec!["error-code", "error-msg", "errors", "message", "msg", "status"];
        for path in posts(Caller::Shopper).into_iter().chain(posts(Caller::Browser)) {
            let wanted = match path {
                path if strict.contains(&path) => &small,
                "/api/v3/lists/emailList" => &mail,
                _ => &large,
            };
            // No pid, a wrong method, a wrong type: every failure of one operation looks the same.
            let uri = format!("{path}?pid={}", encode(&ann.pid));
            let failures = [
                send(&app.router, "POST", path, &[], "").await,
                send(&app.router, "PUT", &uri, &[], "").await,
                send(&app.router, "POST", &uri, &[JSON], "{}").await,
                Client { pid: "nobody".into(), ..ann.clone() }.raw(path, &[]).await,
            ];
            for failure in failures {
                let body = failure.json();
                assert_eq!(&keys(&body), wanted, "{path}");
                assert_eq!(body["status"], "error");
                if wanted == &large {
                    assert_eq!((&body["message"], &body["msg"]), (&body["error-msg"], &body["error-msg"]));
                }
            }
        }
        for path in posts(Caller::Shopper) {
            let body = stranger.raw(path, &[("regid", "x"), ("sessionid", "12345678")]).await.json();
            assert_eq!(body["error-code"], "bad-regid");
            let kind = body.get("type").and_then(Value::as_str);
            assert_eq!(kind, Some("sw-badregid").filter(|_| !strict.contains(&path)), "{path}");
        }
        for path in posts(Caller::StoreAdmin) {
            let body = send(&app.router, "POST", path, &[], "").await.json();
            assert_eq!(keys(&body), large, "{path}");
        }
    }

    async fn messages_say_what_to_change(app: TestApp) {
        let Shop { ann, lid, .. } = Shop::new(&app).await;
        let reply = ann.post("lists/fetch-user-list", &[("lid", &lid), ("itemslimit", "20")]).await;
        assert_eq!(message(&reply), "itemslimit must be between 50 and 100, got 20");
        let cases: &[Case<'_>] = &[
            ("lists/create", &[], "lname"),
            ("lists/create", &[("lname", "x"), ("lprops", "{")], "lprops"),
            ("lists/fetch-user-list", &[("lid", &lid), ("sortby", "x")], "price or title"),
            ("lists/fetch-list-with-contents?limit=x", &[("lid", &lid)], "limit"),
            ("lists/update-ctx", &[("lid", &lid), ("a", "x")], "a must be a JSON array"),
            ("subscriptions/fetch-subs", &[("topic", "x")], "backinstock"),
            ("subscriptions/fetch-subs", &[("topic", "backinstock"), ("medium", "fax")], "email or sms"),
            ("subscriptions/fetch-subs", &[("topic", "backinstock"), ("limit", "1001")], "1001"),
        ];
        for (path, fields, part) in cases {
            let reply = ann.post(path, fields).await;
            assert_eq!(reply.status, 400, "{}", reply.text());
            assert!(message(&reply).contains(part), "{}", reply.text());
        }
    }

    async fn a_wrong_method_is_told_the_right_one(app: TestApp) {
        // What people open from a mail takes both, and answers with pages.
        let is_one = |path: &str| !path.contains('{') && !path.starts_with("/mail/");
        for route in routes().iter().filter(|route| is_one(route.operation.path)) {
            let right = route.operation.method;
            for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].into_iter().filter(|it| *it != right) {
                let reply = send(&app.router, method, route.operation.path, &[], "").await;
                reply.fails(405, "method-not-allowed");
                assert!(reply.headers["allow"].to_str().unwrap().contains(right), "{} {:?}", route.operation.path, reply.headers);
                assert_eq!(message(&reply), format!("method not allowed: use {right}"), "{}", reply.text());
            }
        }
    }

    async fn an_unknown_path_is_a_json_error_too(app: TestApp) {
        for path in [
            "/api/v3/lists/fetch-user-list/",
            "/api/v2/lists/create",
            "/api/v3",
            "/storeadmin",
            "/etc/passwd",
            "/..%2f..%2fetc/passwd",
            "/sdk/",
            "/%00",
            "/demo/page.js",
        ] {
            for method in ["GET", "POST", "DELETE"] {
                let reply = send(&app.router, method, path, &[], "").await;
                if path == "/demo/page.js" && method != "GET" {
                    reply.fails(405, "method-not-allowed");
                    continue;
                }
                reply.fails(404, "not-found");
                assert_eq!(reply.headers["content-type"], "application/json");
                assert_eq!(keys(&reply.json()), ["error-code", "error-msg", "message", "msg", "status"]);
            }
        }
    }

    async fn only_forms_are_accepted_and_an_empty_body_needs_no_type(app: TestApp) {
        let ann = app.shopper("ann").await;
        let body = signed(&ann, &[]);
        let uri = uri("lists/fetch-lists", &ann);
        for good in [
            "application/x-www-form-urlencoded",
            "application/x-www-form-urlencoded;charset=utf-8",
            "Application/X-WWW-Form-URLEncoded ; charset=UTF-8",
        ] {
            send(&app.router, "POST", &uri, &[("content-type", good)], body.clone()).await.ok();
        }
        for bad in [
            "application/json",
            "multipart/form-data; boundary=x",
            "text/plain",
            "",
            "x",
            "application/x-www-form-urlencodedx",
        ] {
            send(&app.router, "POST", &uri, &[("content-type", bad)], body.clone())
                .await
                .fails(400, "invalid-content-type");
        }
        send(&app.router, "POST", &uri, &[], body).await.fails(400, "invalid-content-type");
        send(&app.router, "POST", &uri, &[], "").await.fails(400, "missing-parameter");
        send(&app.router, "POST", &uri, &[JSON], "").await.fails(400, "missing-parameter");
        let register = format!("/api/v3/provider/register?pid={}", encode(&ann.pid));
        for headers in [&[][..], &[FORM], &[JSON]] {
            send(&app.router, "POST", &register, headers, "").await.ok();
        }
        // JSON calls take JSON alone.
        let key = authorization(&app);
        let upsert = "/storeadmin/v3/products/upsert";
        let products = r#"{"products":[{"epi":1,"empi":1}]}"#;
        for bad in ["application/x-www-form-urlencoded", "text/json", ""] {
            send(&app.router, "POST", upsert, &[("authorization", &key), ("content-type", bad)], products)
                .await
                .fails(400, "invalid-content-type");
        }
        send(
            &app.router,
            "POST",
            upsert,
            &[("authorization", &key), ("content-type", "application/json; charset=utf-8")],
            products,
        )
        .await
        .ok();
        send(&app.router, "POST", upsert, &[("authorization", &key)], "").await.fails(400, "missing-parameter");
    }

    async fn booleans_are_words_or_digits_in_any_case(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Old").await;
        for (text, archived) in [("true", true), ("0", false), ("TRUE", true), ("False", false), ("1", true)] {
            let reply = ann.post("lists/update", &[("lid", &lid), ("archived", text)]).await;
            assert_eq!(reply.ok()["st"], i64::from(!archived), "{text}");
        }
        for (text, status) in [
            ("true", 404),
            ("1", 404),
            ("tRuE", 404),
            ("false", 200),
            ("0", 200),
            ("", 200),
            ("yes", 400),
            ("2", 400),
            ("null", 400),
            (" true", 400),
        ] {
            let reply = ann.post("lists/fetch-list-with-contents", &[("lid", &lid), ("excludeArchived", text)]).await;
            assert_eq!(reply.status, status, "{text:?} {}", reply.text());
        }
    }

    async fn every_answer_has_a_request_id(app: TestApp) {
        let mut seen = BTreeSet::new();
        let paths = routes().into_iter().map(|route| route.operation.path).chain(["/nothing"]);
        for path in paths {
            for method in ["GET", "POST", "OPTIONS", "HEAD", "DELETE"] {
                let reply = send(&app.router, method, path, &[("origin", "https://shop.example")], "").await;
                let id = reply.headers["x-request-id"].to_str().unwrap().to_owned();
                assert!(Uuid::try_parse(&id).is_ok(), "{method} {path} {id}");
                assert!(seen.insert(id), "every request has its own");
            }
        }
        let ann = app.shopper("ann").await;
        let echo = |id: &'static str| {
            let (router, uri, body) = (app.router.clone(), uri("lists/fetch-lists", &ann), signed(&ann, &[]));
            async move {
                send(&router, "POST", &uri, &[FORM, ("x-request-id", id)], body).await.headers["x-request-id"]
                    .to_str()
                    .unwrap()
                    .to_owned()
            }
        };
        for sane in ["abcd-1234", "trace_0123456789", "7b5f0a3e-9c1d-4e2f-8a6b-0c1d2e3f4a5b"] {
            assert_eq!(echo(sane).await, sane);
        }
        for wild in [
            "",
            "short",
            "has space in it",
            "quote\"quote\"",
            "semi;colon;x",
            "<script>alert(1)</script>",
            "0123456789012345678901234567890123456789012345678901234567890123456789",
        ] {
            let id = echo(wild).await;
            assert!(id != wild && Uuid::try_parse(&id).is_ok(), "{id}");
        }
    }

    async fn two_operations_need_a_user_agent_and_the_others_do_not(app: TestApp) {
        let Shop { ann, lid, saved, .. } = Shop::new(&app).await;
        ann.post("lists/sfl/add", &[("lid", &saved), ("items", ONE_ITEM)]).await.ok();
        let silent = |path: &'static str, fields: Vec<(&'static str, String)>, agent: Option<&'static [u8]>| {
            let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let mut request = Request::post(uri(path, &ann)).header(FORM.0, FORM.1);
            if let Some(agent) = agent {
                request = request.header("user-agent", agent);
            }
            let request = request.body(Body::from(signed(&ann, &fields))).unwrap();
            let router = app.router.clone();
            async move { Reply::of(&router, request).await }
        };
        let update = |agent: &str| {
            vec![("lid", saved.clone()), ("items", ONE_ITEM.to_owned()), ("user-agent", agent.to_owned())]
        };
        for missing in [
            silent("lists/sfl/update", update("")[..2].to_vec(), Some(b"in the header")).await,
            silent("lists/sfl/update", update(""), Some(b"x")).await,
        ] {
            missing.fails(400, "missing-parameter");
            assert!(message(&missing).contains("user-agent"));
        }
        silent("lists/sfl/update", update("App/1.0"), None).await.ok();
        let topic = || vec![("topic", "backinstock".to_owned())];
        let in_the_form = vec![("topic", "backinstock".to_owned()), ("user-agent", "App/1.0".to_owned())];
        for missing in [
            silent("subscriptions/fetch-subs", topic(), None).await,
            silent("subscriptions/fetch-subs", topic(), Some(b"")).await,
            silent("subscriptions/fetch-subs", topic(), Some(b"  ")).await,
            silent("subscriptions/fetch-subs", in_the_form, None).await,
        ] {
            missing.fails(400, "missing-parameter");
            assert!(message(&missing).contains("user-agent"));
        }
        for agent in [&b"App/1.0"[..], "Läden/1.0".as_bytes(), b"latin\xe9"] {
            silent("subscriptions/fetch-subs", topic(), Some(agent)).await.ok();
        }
        for (path, fields) in [
            ("lists/fetch-user-list", vec![("lid", lid.clone())]),
            ("lists/fetch-user-lists", vec![]),
            ("lists/fetch-lists", vec![]),
            ("lists/fetch-list-with-contents", vec![("lid", lid.clone())]),
            ("lists/sfl/fetch", vec![]),
            ("lists/create", vec![("lname", "x".to_owned())]),
        ] {
            silent(path, fields.clone(), None).await.ok();
            silent(path, fields.clone(), Some(b"App/1.0")).await.ok();
            let mut with_field = fields;
            with_field.push(("user-agent", "App/1.0".to_owned()));
            silent(path, with_field, None).await.ok();
        }
    }

    async fn a_success_is_200_and_never_looks_like_an_error(app: TestApp) {
        let Shop { ann, lid, saved, .. } = Shop::new(&app).await;
        let admin = app.store_admin();
        let products = json!({ "products": [{ "epi": 1, "empi": 1 }] });
        // What fails in its place is still a success of the call.
        let replies = [
            ann.post("lists/fetch-user-list", &[("lid", &lid)]).await,
            ann.post("lists/fetch-user-lists", &[]).await,
            ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await,
            ann.post("lists/create", &[("lname", "x")]).await,
            ann.post("lists/update", &[("lid", &lid), ("lname", "y")]).await,
            ann.post("lists/update-ctx", &[("lid", &lid), ("a", r#"[{"epi":"bad"},7,null]"#)]).await,
            ann.post("lists/sfl/create", &[]).await,
            ann.post("lists/sfl/fetch", &[]).await,
            ann.post("lists/sfl/add", &[("lid", &saved), ("items", ONE_ITEM)]).await,
            ann.post("lists/sfl/update", &[("lid", &saved), ("items", r#"[{"epi":"bad"}]"#), ("user-agent", "t")])
                .await,
            ann.post("lists/sfl/moved-to-cart", &[("lid", &saved), ("items", ONE_ITEM)]).await,
            ann.post("lists/sfl/remove", &[("lid", &saved), ("items", ONE_ITEM)]).await,
            ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await,
            ann.raw("/api/v3/provider/register", &[]).await,
            ann.post("lists/delete-list", &[("lid", &lid)]).await,
            admin.get("/storeadmin/me").await,
            admin.form("/storeadmin/v3/user/generate-regid", &[("useremail", "ann@example.com")]).await,
            admin.json("/storeadmin/v3/products/upsert", &products).await,
            admin
                .json(
                    "/storeadmin/v3/inventory/update",
                    &json!({ "inventory": [{ "epi": 1, "stock": 2 }, { "epi": 99, "stock": 2 }] }),
                )
                .await,
            admin.json("/storeadmin/v3/products/delete", &products).await,
            admin
                .form(
                    "/storeadmin/bispa/subscriptions/create",
                    &[
                        ("medium", "email"),
                        ("mediumvalue", "ann@example.com"),
                        ("products", ONE_ITEM),
                        ("topics", r#"["backinstock"]"#),
                    ],
                )
                .await,
            admin.form("/storeadmin/v3/user/revoke-sessions", &[("all", "true")]).await,
        ];
        for reply in replies {
            let body = reply.ok();
            assert!(body.get("error").is_none() && body.get("errors").is_none(), "{body}");
            assert_ne!(body["status"], "error");
            assert_eq!(reply.headers["content-type"], "application/json");
            assert_eq!(reply.headers["x-content-type-options"], "nosniff");
        }
    }
}
