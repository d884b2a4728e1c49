use axum::http::HeaderMap;
use wishbone_core::stores::settings::{Settings, SettingsChange};
use wishbone_server::api::operation::Caller;
use wishbone_server::http::router::routes;

use crate::support::{FORM, Reply, TestApp, encode, encode_form, send};

const SHOP: &str = "https://shop.example";
const EVIL: &str = "https://evil.example";

fn allowed(reply: &Reply) -> Option<&str> {
    reply.headers.get("access-control-allow-origin").map(|value| value.to_str().unwrap())
}

fn names(headers: &HeaderMap) -> Vec<&str> {
    headers.keys().map(|name| name.as_str()).filter(|name| name.starts_with("access-control-")).collect()
}

/// Whether a header that lists words has one of them.
fn lists(reply: &Reply, header: &str, word: &str) -> bool {
    let all = reply.headers.get_all(header).iter();
    all.flat_map(|value| value.to_str().unwrap().split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
}

fn open_paths() -> Vec<&'static str> {
    let routes =
        routes().into_iter().filter(|route| matches!(route.operation.caller, Caller::Shopper | Caller::Browser));
    routes.map(|route| route.operation.path).collect()
}

async fn call(app: &TestApp, path: &str, origin: Option<&str>) -> Reply {
    let uri = format!("{path}?pid={}", encode(&app.store.pid));
    let headers: Vec<(&str, &str)> = origin.map(|origin| ("origin", origin)).into_iter().collect();
    send(&app.router, "POST", &uri, &headers, "").await
}

async fn preflight(app: &TestApp, uri: &str, origin: &str) -> Reply {
    let asked = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type"),
    ];
    send(&app.router, "OPTIONS", uri, &asked, "").await
}

async fn allow(app: &TestApp, origins: &[&str]) {
    let origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
    app.set(SettingsChange { allowed_origins: Some(origins), ..SettingsChange::default() }).await;
}

both_engines! {
    async fn every_page_may_call_shopper_operations_unless_the_store_says_otherwise(app: TestApp) {
        for path in open_paths() {
            let reply = call(&app, path, Some(SHOP)).await;
            assert_eq!(allowed(&reply), Some("*"), "{path}");
            assert_eq!(allowed(&call(&app, path, Some("null")).await), Some("*"));
            // Nobody but a browser needs to be told.
            assert_eq!(names(&call(&app, path, None).await.headers), Vec::<&str>::new(), "{path}");
        }
        let ann = app.shopper("ann").await;
        let body = encode_form(&[("regid", &ann.regid), ("sessionid", &ann.sessionid)]);
        let uri = format!("/api/v3/lists/fetch-lists?pid={}", encode(&ann.pid));
        let reply = send(&app.router, "POST", &uri, &[FORM, ("origin", SHOP)], body).await;
        reply.ok();
        assert_eq!(allowed(&reply), Some("*"));
    }

    async fn a_store_names_the_origins_that_may_call_it(app: TestApp) {
        allow(&app, &[SHOP, "http://localhost:3000"]).await;
        for path in open_paths() {
            for origin in [SHOP, "http://localhost:3000"] {
                let reply = call(&app, path, Some(origin)).await;
                assert_eq!(allowed(&reply), Some(origin), "{path}");
                assert!(lists(&reply, "vary", "origin"), "{path}");
            }
            for origin in [
                EVIL,
                "null",
                "http://shop.example",
                "https://shop.example:444",
                "https://shop.example.evil.example",
                "https://sub.shop.example",
                "",
            ] {
                let reply = call(&app, path, Some(origin)).await;
                assert_eq!(allowed(&reply), None, "{path} {origin}");
                assert!(lists(&reply, "vary", "origin"), "{path}");
            }
        }
        // Each store has its own list.
        let other = app.create_store(Settings::default()).await;
        let uri = format!("/api/v3/provider/register?pid={}", encode(&other.pid));
        let reply = send(&app.router, "POST", &uri, &[("origin", EVIL)], "").await;
        reply.ok();
        assert_eq!(allowed(&reply), Some("*"));
        allow(&app, &[]).await;
        assert_eq!(allowed(&call(&app, "/api/v3/provider/register", Some(EVIL)).await), Some("*"));
    }

    async fn a_browser_that_asks_first_is_told_what_it_may_send(app: TestApp) {
        for path in open_paths() {
            let uri = format!("{path}?pid={}", encode(&app.store.pid));
            let reply = preflight(&app, &uri, SHOP).await;
            assert!(reply.status.is_success() && reply.bytes.is_empty(), "{path} {}", reply.status);
            assert_eq!(allowed(&reply), Some("*"), "{path}");
            assert!(lists(&reply, "access-control-allow-methods", "POST"));
            for header in ["content-type", "accept", "user-agent"] {
                assert!(lists(&reply, "access-control-allow-headers", header), "{header}");
            }
            assert!(reply.headers["access-control-max-age"].to_str().unwrap().parse::<u32>().unwrap() > 0);
        }
        allow(&app, &[SHOP]).await;
        for path in open_paths() {
            for pid in [encode(&app.store.pid), encode(&encode(&app.store.pid)), app.store.pid.clone()] {
                let uri = format!("{path}?pid={pid}");
                assert_eq!(allowed(&preflight(&app, &uri, SHOP).await), Some(SHOP), "{uri}");
                let refused = preflight(&app, &uri, EVIL).await;
                assert_eq!(allowed(&refused), None, "{uri}");
                assert!(lists(&refused, "vary", "origin"));
            }
        }
    }

    async fn asking_first_never_fails_for_what_is_in_the_query(app: TestApp) {
        for query in
            ["", "?", "?pid=", "?pid=nobody", "?pid=%2500", "?pid=%00", "?pid=%ff", "?pid=a&pid=b", "?pid='%20or%201=1"]
        {
            let reply = preflight(&app, &format!("/api/v3/lists/create{query}"), SHOP).await;
            assert!(reply.status.is_success(), "{query} {} {}", reply.status, reply.text());
        }
    }

    async fn a_page_can_read_what_went_wrong(app: TestApp) {
        // Without this a storefront sees "network error" instead of the reason.
        let failures = [
            send(&app.router, "POST", "/api/v3/lists/create", &[("origin", SHOP)], "").await,
            send(&app.router, "POST", "/api/v3/lists/create?pid=nobody", &[("origin", SHOP)], "").await,
            send(&app.router, "POST", "/api/v3/lists/create", &[("origin", SHOP)], "not a form").await,
            send(&app.router, "GET", "/api/v3/lists/create", &[("origin", SHOP)], "").await,
            send(&app.router, "POST", "/api/v3/lists/nothing", &[("origin", SHOP)], "").await,
        ];
        for failure in failures {
            assert!(failure.status.is_client_error());
            assert_eq!(allowed(&failure), Some("*"), "{}", failure.text());
        }
        app.set(SettingsChange {
            maintenance: Some(true),
            allowed_origins: Some(vec![SHOP.into()]),
            ..SettingsChange::default()
        })
        .await;
        let offline = call(&app, "/api/v3/lists/create", Some(SHOP)).await;
        offline.fails(503, "maintenance");
        assert_eq!(allowed(&offline), Some(SHOP));
    }

    async fn a_page_can_read_request_ids_and_limits(app: TestApp) {
        let ann = app.shopper("ann").await;
        let body = encode_form(&[("regid", &ann.regid), ("sessionid", &ann.sessionid), ("lid", "x")]);
        let uri = format!("/api/v3/lists/fetch-list-with-contents?pid={}", encode(&ann.pid));
        let reply = send(&app.router, "POST", &uri, &[FORM, ("origin", SHOP)], body).await;
        for header in ["x-request-id", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] {
            assert!(reply.headers.contains_key(header), "{header}");
            assert!(lists(&reply, "access-control-expose-headers", header), "{header}");
        }
        assert!(lists(&reply, "access-control-expose-headers", "retry-after"));
    }

    async fn no_answer_ever_allows_credentials(app: TestApp) {
        for origins in [&[][..], &[SHOP]] {
            allow(&app, origins).await;
            for route in routes() {
                let uri = format!("{}?pid={}", route.operation.path, encode(&app.store.pid));
                for method in ["GET", "POST", "OPTIONS"] {
                    let headers = [("origin", SHOP), ("cookie", "a=b"), ("access-control-request-method", "POST")];
                    let reply = send(&app.router, method, &uri, &headers, "").await;
                    assert!(!reply.headers.contains_key("access-control-allow-credentials"), "{method} {uri}");
                }
            }
        }
    }

    async fn store_admin_operations_cannot_be_called_from_a_page(app: TestApp) {
        let admin = routes().into_iter().filter(|route| route.operation.caller == Caller::StoreAdmin);
        for path in admin.map(|route| route.operation.path) {
            for method in ["GET", "POST", "OPTIONS"] {
                let asked = [
                    ("origin", SHOP),
                    ("access-control-request-method", "POST"),
                    ("access-control-request-headers", "authorization"),
                ];
                let reply = send(&app.router, method, path, &asked, "").await;
                assert!(!reply.status.is_success(), "{method} {path}");
                assert_eq!(names(&reply.headers), Vec::<&str>::new(), "{method} {path}");
            }
        }
    }

    async fn anyone_may_load_the_client_script(app: TestApp) {
        let reply = send(&app.router, "GET", "/sdk/wishbone.js", &[("origin", EVIL)], "").await;
        assert_eq!((reply.status.as_u16(), allowed(&reply)), (200, Some("*")));
    }
}
