//! How much and how often, and what is said when it is too much.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures_util::stream;
use serde_json::json;
use wishbone_core::stores::settings::{Settings, SettingsChange};
use wishbone_server::api::operation::Caller;
use wishbone_server::http::router::router;
use wishbone_storage::Location;

use super::{authorization, keys, posts, signed, uri};
use crate::support::{FORM, JSON, Reply, send};

both_engines! {
    async fn a_form_may_have_a_mebibyte_and_no_byte_more(app: TestApp) {
        let ann = app.shopper("ann").await;
        let uri = uri("lists/fetch-lists", &ann);
        let mut body = signed(&ann, &[("padding", "")]);
        body.push_str(&"x".repeat((1 << 20) - body.len()));
        send(&app.router, "POST", &uri, &[FORM], body.clone()).await.ok();
        body.push('x');
        send(&app.router, "POST", &uri, &[FORM], body).await.fails(400, "body-too-large");
        // Neither a stream without an end nor one in many pieces gets further.
        let endless = Body::from_stream(stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 64 * 1024])));
        send(&app.router, "POST", &uri, &[FORM], endless).await.fails(400, "body-too-large");
        let broken = Body::from_stream(stream::iter([Ok(b"regid=".to_vec()), Err(std::io::Error::other("gone"))]));
        send(&app.router, "POST", &uri, &[FORM], broken).await.fails(400, "invalid-parameter");
        let admin = [("authorization", authorization(&app)), ("content-type", FORM.1.to_owned())];
        let admin: Vec<(&str, &str)> = admin.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let long = "x".repeat((1 << 20) + 1);
        send(&app.router, "POST", "/storeadmin/v3/user/generate-regid", &admin, long)
            .await
            .fails(400, "body-too-large");
    }

    async fn a_json_body_may_have_four_mebibytes_and_a_thousand_elements(app: TestApp) {
        let key = authorization(&app);
        let headers = [("authorization", key.as_str()), JSON];
        for (path, name) in [
            ("/storeadmin/v3/products/upsert", "products"),
            ("/storeadmin/v3/products/delete", "products"),
            ("/storeadmin/v3/inventory/update", "inventory"),
        ] {
            let elements =
                |count: usize| json!({ name: vec![json!({ "epi": 1, "empi": 1, "stock": 1 }); count] }).to_string();
            send(&app.router, "POST", path, &headers, elements(1_000)).await.ok();
            send(&app.router, "POST", path, &headers, elements(1_001)).await.fails(400, "invalid-parameter");
            send(&app.router, "POST", path, &headers, elements(0)).await.fails(400, "invalid-parameter");
            let mut body = elements(1);
            body.push_str(&" ".repeat((4 << 20) - body.len()));
            send(&app.router, "POST", path, &headers, body.clone()).await.ok();
            body.push(' ');
            send(&app.router, "POST", path, &headers, body).await.fails(400, "body-too-large");
        }
    }

    async fn a_store_in_maintenance_answers_503_everywhere_and_others_go_on(app: TestApp) {
        let other = app.create_store(Settings::default()).await;
        let (ann, foreign) = (app.shopper("ann").await, app.shopper_of(&other, "ann").await);
        app.set(SettingsChange { maintenance: Some(true), ..SettingsChange::default() }).await;
        let key = authorization(&app);
        let mut replies = vec![app.store_admin().get("/storeadmin/me").await];
        for path in posts(Caller::Shopper).into_iter().chain(posts(Caller::Browser)) {
            replies.push(ann.raw(path, &[("regid", &ann.regid), ("sessionid", &ann.sessionid)]).await);
            replies.push(ann.raw(path, &[]).await);
        }
        for path in posts(Caller::StoreAdmin) {
            let is_json = ["/products/", "/inventory/", "/webhooks/", "/v3/mail/", "/storeadmin/v3/subscriptions/"].iter().any(|part| path.contains(part));
            replies.push(
                send(
                    &app.router,
                    "POST",
                    path,
                    &[("authorization", &key), if is_json { JSON } else { FORM }],
                    if is_json { "{}" } else { "x=1" },
                )
                .await,
            );
        }
        for reply in replies {
            reply.fails(503, "maintenance");
            assert!(reply.headers["retry-after"].to_str().unwrap().parse::<u32>().unwrap() > 0);
        }
        foreign.post("lists/fetch-lists", &[]).await.ok();
        send(&app.router, "GET", "/healthz", &[], "").await.ok();
        app.set(SettingsChange { maintenance: Some(false), ..SettingsChange::default() }).await;
        ann.post("lists/fetch-lists", &[]).await.ok();
    }

    async fn a_request_that_does_not_end_is_given_up(app: TestApp) {
        let ann = app.shopper("ann").await;
        let mut node = app.second_node().await;
        Arc::get_mut(&mut node).unwrap().limits.request_timeout = Duration::ZERO;
        let never = Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>());
        let reply = send(&router(&node), "POST", &uri("lists/fetch-lists", &ann), &[FORM], never).await;
        reply.fails(503, "overloaded");
        assert_eq!(reply.headers["retry-after"], "1");
    }

    async fn a_change_that_is_given_up_on_its_way_is_not_said_to_be_refused(app: TestApp) {
        let ann = app.shopper("ann").await;
        let mut node = app.second_node().await;
        Arc::get_mut(&mut node).unwrap().limits.request_timeout = Duration::ZERO;
        let body = signed(&ann, &[("lname", "Summer")]);
        let send = async || send(&router(&node), "POST", &uri("lists/create", &ann), &[FORM], body.clone()).await;
        // The database could be done before the time is looked at: someone else keeps it waiting.
        match app.location() {
            Location::Sqlite(path) => {
                let other = rusqlite::Connection::open(path).unwrap();
                other.execute_batch("begin immediate").unwrap();
                let reply = send().await;
                // Who is asking was read at once; the writer had the call when its time was over.
                reply.fails(500, "outcome-unknown");
                assert!(!reply.headers.contains_key("retry-after"));
            }
            Location::Postgres(_) => {
                let other = app.connect().await;
                other.batch_execute("begin; lock table shoppers in access exclusive mode").await.unwrap();
                // The time was over before anything was written.
                send().await.fails(503, "overloaded");
                other.batch_execute("rollback").await.unwrap();
                assert_eq!(ann.post("lists/fetch-user-lists", &[]).await.ok()["data"], json!([]));
            }
        }
    }

    async fn a_list_with_contents_is_limited_to_twenty_a_second(app: TestApp) {
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        let lid = ann.list("Mine").await;
        let fields = [("lid", lid.as_str())];
        let ask = || ann.post("lists/fetch-list-with-contents", &fields);
        let number = |reply: &Reply, name: &str| reply.headers[name].to_str().unwrap().parse::<i64>().unwrap();
        for left in (0..40).rev() {
            let reply = ask().await;
            reply.ok();
            assert_eq!((number(&reply, "ratelimit-limit"), number(&reply, "ratelimit-remaining")), (20, left));
            assert!(!reply.headers.contains_key("retry-after"));
        }
        let refused = ask().await;
        refused.fails(429, "rate-limited");
        assert_eq!(keys(&refused.json()), ["error-code", "error-msg", "message", "msg", "status"]);
        assert_eq!((number(&refused, "retry-after"), number(&refused, "ratelimit-remaining")), (1, 0));
        assert_eq!((number(&refused, "ratelimit-limit"), number(&refused, "ratelimit-reset")), (20, 1));
        // Another shopper has calls of their own, and nothing else is limited.
        bea.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.fails(403, "forbidden");
        for _ in 0..60 {
            ann.page(&lid, &[]).await;
        }
        ann.post("lists/fetch-lists", &[]).await.ok();
        assert!(!ann.post("lists/fetch-lists", &[]).await.headers.contains_key("ratelimit-limit"));
        app.advance(49);
        ask().await.fails(429, "rate-limited");
        app.advance(1);
        ask().await.ok();
        ask().await.fails(429, "rate-limited");
        app.advance(1_000);
        for _ in 0..20 {
            ask().await.ok();
        }
        ask().await.fails(429, "rate-limited");
        app.advance(3_600_000);
        for _ in 0..40 {
            ask().await.ok();
        }
        ask().await.fails(429, "rate-limited");
        // The store's own rate counts at once.
        app.set(SettingsChange { rate_limit: Some(1), ..SettingsChange::default() }).await;
        app.advance(60_000);
        ask().await.ok();
        assert_eq!(number(&ask().await, "ratelimit-limit"), 1);
        ask().await.fails(429, "rate-limited");
    }

    async fn large_responses_are_limited_by_their_bytes(app: TestApp) {
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        let lid = ann.list("Mine").await;
        let (padding, mut variants) = ("x".repeat(7_000), 1..=500);
        while !variants.is_empty() {
            let added: Vec<_> = variants
                .by_ref()
                .take(100)
                .map(|n| json!({ "epi": n, "empi": n, "du": "https://shop.example/p", "cprops": { "p": padding } }))
                .collect();
            ann.post("lists/update-ctx", &[("lid", &lid), ("a", &json!(added).to_string())]).await.ok();
        }
        let fields = [("lid", lid.as_str())];
        let read = || ann.post("lists/fetch-list-with-contents", &fields);
        let mut read_bytes = 0;
        let refused = loop {
            let reply = read().await;
            if reply.status != 200 {
                break reply;
            }
            // The items are there twice, and count once.
            read_bytes += reply.bytes.len() / 2;
        };
        assert!((64 << 20..68 << 20).contains(&read_bytes), "{read_bytes}");
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("8192 KiB a second"), "{}", refused.text());
        assert_eq!(refused.headers["retry-after"], "1");
        // Whatever is small goes on, and so does everybody else.
        ann.page(&lid, &[]).await;
        ann.post("lists/fetch-list-with-contents?limit=100", &[("lid", &lid)]).await.ok();
        bea.list("Hers").await;
        app.advance(1_000);
        read().await.ok();
    }
}
