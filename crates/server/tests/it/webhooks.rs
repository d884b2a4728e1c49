//! Webhooks: what is sent, how it is signed, and what happens when it cannot be delivered.

mod changes;
mod commands;
mod failures;
mod targets;

use std::sync::Arc;

use serde_json::{Value, json};
use wishbone_core::moment::{DAY, HOUR};
use wishbone_core::webhooks::signature::Secret;
use wishbone_server::app::App;
use wishbone_server::jobs::deliver_webhooks::deliver_due;

use crate::support::receiver::{Received, Receiver};
use crate::support::{Admin, NOW, Reply, TABLES, TestApp};

const SECOND: i64 = 1_000;

async fn call(admin: &Admin, operation: &str, body: &Value) -> Reply {
    admin.json(&format!("/storeadmin/v3/webhooks/{operation}"), body).await
}

/// Creates a webhook of the default store; answers its id and its secret.
async fn create(app: &TestApp, url: &str, events: &[&str]) -> (String, String) {
    let made = call(&app.store_admin(), "create", &json!({ "url": url, "events": events })).await.ok();
    let text = |key: &str| made["data"][key].as_str().unwrap().to_owned();
    (text("id"), text("secret"))
}

/// Delivers what is due after a while.
async fn work(node: &Arc<App>, millis: i64) {
    node.environment.set_now(node.environment.now() + millis);
    deliver_due(node).await.unwrap();
}

async fn deliveries(app: &TestApp, id: &str) -> Vec<Value> {
    let page = call(&app.store_admin(), "deliveries", &json!({ "id": id })).await.ok();
    page["data"]["deliveries"].as_array().unwrap().clone()
}

async fn state(app: &TestApp, id: &str) -> String {
    let listed = call(&app.store_admin(), "list", &json!({})).await.ok();
    let found = listed["data"].as_array().unwrap().iter().find(|webhook| webhook["id"] == id).unwrap().clone();
    found["state"].as_str().unwrap().to_owned()
}

fn is_signed(received: &Received, secret: &str) -> bool {
    let timestamp = received.headers["webhook-timestamp"].parse().unwrap();
    let secret = Secret::parse(secret).unwrap();
    secret.verifies(received.id(), timestamp, received.body.as_bytes(), &received.headers["webhook-signature"])
}

both_engines! {
    async fn an_event_is_delivered_signed_by_the_standard(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, secret) = create(&app, &receiver.url(), &["list.created"]).await;
        assert!(secret.starts_with("whsec_"));
        let ann = app.shopper("ann").await;
        let made = ann.post("lists/create", &[("lname", "Summer")]).await.ok();
        work(&app.app, 0).await;
        let [received] = &receiver.take()[..] else { panic!("one event") };
        assert!(is_signed(received, &secret), "{received:?}");
        assert_eq!(received.path, "/hooks?of=shop");
        assert_eq!(received.headers["content-type"], "application/json");
        assert_eq!(received.headers["webhook-timestamp"], (NOW / 1_000).to_string());
        let body = received.json();
        assert_eq!((&body["type"], &body["timestamp"]), (&json!("list.created"), &json!("2023-11-14T22:13:20.000Z")));
        let mut record = made.clone();
        record.as_object_mut().unwrap().shift_remove("listcontents");
        assert_eq!(body["data"], record, "the record as its owner sees it");
        assert_eq!((&body["data"]["pid"], body["data"]["uid"].is_string()), (&json!(app.store.pid), true));
        for private in [&ann.regid, &ann.sessionid, &app.store.key] {
            assert!(!received.body.contains(private.as_str()), "{}", received.body);
        }
        let log = deliveries(&app, &id).await;
        let expected = json!({ "id": received.id(), "type": "list.created", "state": "delivered", "attempts": 1,
                               "status": 200, "at": NOW, "lasterror": null });
        assert_eq!(log, [expected]);
        work(&app.app, DAY).await;
        assert_eq!(receiver.take().len(), 0, "once");
    }

    async fn only_wanted_types_are_stored_and_sent(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Before").await;
        ann.add(&lid, &[1]).await;
        assert_eq!(app.rows("webhook_events").await, 0, "nothing without a webhook");
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["item.removed"]).await;
        ann.add(&lid, &[2]).await;
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", r#"[{"epi":1}]"#)]).await.ok();
        assert_eq!(app.rows("webhook_events").await, 1);
        work(&app.app, 0).await;
        assert_eq!(receiver.take_kinds(), ["item.removed"]);
        assert_eq!(app.rows("webhook_queues").await, 0, "an empty queue is deleted");
    }

    async fn a_second_node_takes_note_of_a_new_webhook_at_once(app: TestApp) {
        let node = app.second_node().await;
        let router = wishbone_server::http::router::router(&node);
        let there = crate::support::Client { router, ..app.shopper("ann").await };
        let lid = there.list("Before").await;
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["*"]).await;
        there.add(&lid, &[1]).await;
        work(&app.app, 0).await;
        assert_eq!(receiver.take_kinds(), ["item.added"]);
    }

    async fn a_rotated_secret_signs_along_for_a_day(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, old) = create(&app, &receiver.url(), &["*"]).await;
        let rotated = call(&app.store_admin(), "rotate", &json!({ "id": id })).await.ok();
        let new = rotated["data"]["secret"].as_str().unwrap().to_owned();
        assert_ne!(old, new);
        let ann = app.shopper("ann").await;
        for (wait, signed_by_old) in [(0, true), (DAY - SECOND, true), (SECOND, false)] {
            app.advance(wait);
            ann.list("Summer").await;
            work(&app.app, 0).await;
            let [received] = &receiver.take()[..] else { panic!("one event") };
            assert!(is_signed(received, &new));
            assert_eq!(is_signed(received, &old), signed_by_old, "after {wait} ms");
            let count = received.headers["webhook-signature"].split(' ').count();
            assert_eq!(count, if signed_by_old { 2 } else { 1 });
        }
    }

    async fn secrets_are_stored_encrypted_and_not_under_an_idempotency_key(app: TestApp) {
        let new = json!({ "url": "https://shop.example/", "events": ["*"] }).to_string();
        let send = || async {
            let headers = [crate::support::JSON, ("idempotency-key", "k")];
            app.store_admin().send_with("POST", "/storeadmin/v3/webhooks/create", &headers, new.clone()).await.ok()
        };
        let (first, again) = (send().await, send().await);
        assert_eq!(first, again, "a repeated call shows it again");
        let secret = first["data"]["secret"].as_str().unwrap();
        for &table in TABLES {
            let rows = app.app.database.dump(table).await.unwrap().concat();
            assert!(!rows.contains(secret.trim_start_matches("whsec_")), "{table}");
        }
        assert_eq!(app.rows("webhooks").await, 1);
    }

    async fn a_replay_sends_events_again_from_a_point_in_time(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        ann.list("First").await;
        app.advance(HOUR);
        let lid = ann.list("Second").await;
        ann.add(&lid, &[1, 2]).await;
        work(&app.app, 0).await;
        let sent = receiver.take();
        assert_eq!(sent.len(), 4);
        let replayed = call(&app.store_admin(), "replay", &json!({ "id": id, "since": NOW + 1 })).await.ok();
        assert_eq!(replayed["data"], json!({ "queued": 3 }));
        work(&app.app, 0).await;
        let again = receiver.take();
        let kinds: Vec<String> = again.iter().map(Received::kind).collect();
        assert_eq!(kinds, ["list.created", "item.added", "item.added"], "in order");
        let known = |received: &Received| sent.iter().any(|first| first.id() == received.id());
        assert!(again.iter().all(known), "with the same ids");
        assert_eq!(call(&app.store_admin(), "replay", &json!({ "id": id, "since": NOW + DAY })).await.ok()["data"]["queued"], 0);
    }

    async fn a_long_replay_proceeds_in_steps(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["item.added"]).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Long").await;
        for from in [0, 500, 1_000] {
            ann.add(&lid, &(from + 1..=from + 400).collect::<Vec<i64>>()).await;
        }
        let replayed = call(&app.store_admin(), "replay", &json!({ "id": id, "since": 0 })).await.ok();
        assert_eq!(replayed["data"]["queued"], 1_200);
        work(&app.app, 0).await;
        let epis: Vec<i64> = receiver.take().iter().map(|it| it.json()["data"]["epi"].as_i64().unwrap()).collect();
        assert_eq!(epis.len(), 1_200, "each once, since none had been sent");
        assert!(epis.is_sorted(), "in order");
    }

    async fn the_log_is_paged_and_can_be_filtered(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3, 4]).await;
        work(&app.app, 0).await;
        app.advance(SECOND);
        ann.list("Winter").await;
        let (mut seen, mut next) = (Vec::new(), Value::Null);
        loop {
            let page = call(&app.store_admin(), "deliveries", &json!({ "id": id, "limit": 2, "next": next })).await.ok();
            seen.extend(page["data"]["deliveries"].as_array().unwrap().clone());
            next = page["data"]["next"].clone();
            if next.is_null() {
                break;
            }
        }
        assert_eq!(seen.len(), 6);
        assert_eq!(seen[0]["state"], "waiting", "newest first");
        let mut ids: Vec<String> = seen.iter().map(|delivery| delivery["id"].to_string()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 6);
        for (state, count) in [("waiting", 1), ("delivered", 5), ("failed", 0)] {
            let page = call(&app.store_admin(), "deliveries", &json!({ "id": id, "state": state })).await.ok();
            assert_eq!(page["data"]["deliveries"].as_array().unwrap().len(), count, "{state}");
        }
        let other = create(&app, &receiver.url(), &["*"]).await.0;
        let token = call(&app.store_admin(), "deliveries", &json!({ "id": id, "limit": 2 })).await.ok();
        let body = json!({ "id": other, "next": token["data"]["next"] });
        call(&app.store_admin(), "deliveries", &body).await.fails(400, "invalid-next-token");
    }

    async fn a_deleted_webhook_gets_nothing_more(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        ann.list("Summer").await;
        assert_eq!(call(&app.store_admin(), "delete", &json!({ "id": id })).await.ok()["data"], json!({ "id": id }));
        work(&app.app, 0).await;
        ann.list("Winter").await;
        assert_eq!((receiver.take().len(), app.rows("webhook_events").await), (0, 1));
        for operation in ["delete", "rotate", "deliveries"] {
            call(&app.store_admin(), operation, &json!({ "id": id })).await.fails(404, "not-found");
        }
        call(&app.store_admin(), "replay", &json!({ "id": "x", "since": 0 })).await.fails(404, "not-found");
        app.assert_sound().await;
    }

    async fn mistakes_are_told_with_their_remedy(app: TestApp) {
        let admin = app.store_admin();
        for (operation, body, told) in [
            ("create", json!({}), "url is required"),
            ("create", json!({ "url": "https://shop.example" }), "events is required"),
            ("create", json!({ "url": 1, "events": ["*"] }), "url must be a string"),
            ("create", json!({ "url": "shop.example", "events": ["*"] }), "url must be an http or https URL"),
            ("create", json!({ "url": "https://shop.example", "events": [] }), "events must be an array"),
            ("create", json!({ "url": "https://shop.example", "events": ["item.bought"] }), "item.added"),
            ("delete", json!({}), "id is required"),
            ("replay", json!({ "id": "x" }), "since is required"),
            ("replay", json!({ "id": "x", "since": "yesterday" }), "since must be an integer"),
            ("deliveries", json!({ "id": "x", "limit": 0 }), "limit must be an integer from 1 to 500"),
            ("deliveries", json!({ "id": "x", "state": "lost" }), "waiting, delivered, failed"),
        ] {
            let reply = call(&admin, operation, &body).await;
            assert_eq!(reply.status, 400, "{operation} {body}");
            assert!(reply.text().contains(told), "{operation} {body}: {}", reply.text());
        }
        for _ in 0..20 {
            create(&app, "https://shop.example/", &["*"]).await;
        }
        let reply = call(&admin, "create", &json!({ "url": "https://shop.example", "events": ["*"] })).await;
        assert!(reply.fails(400, "limit-reached")["msg"].as_str().unwrap().contains("webhooks/delete"));
    }

    async fn erasing_a_person_deletes_their_events_and_those_that_name_them(app: TestApp) {
        create(&app, "https://shop.example/", &["*"]).await;
        let (ann, bob, guest) = (app.shopper("ann").await, app.shopper("bob").await, app.browser().await);
        guest.list("Guest-List-Of-Ann").await;
        let merge = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("sessionid", &guest.sessionid)];
        app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &merge).await.ok();
        let lid = ann.list("Summer-Of-Ann").await;
        ann.add(&lid, &[1, 2]).await;
        let his = bob.list("Bobs").await;
        let link = bob.post("lists/share-links/create", &[("lid", &his), ("scope", "edit")]).await.ok();
        ann.add(link["link"]["key"].as_str().unwrap(), &[3]).await;
        let exported = app.store_admin().form("/storeadmin/v3/user/export", &[("useremail", "ann@example.com")]).await.ok();
        let events = exported["events"].as_array().unwrap();
        assert!(events.iter().any(|event| event["data"]["lname"] == "Guest-List-Of-Ann"), "{events:?}");
        assert_eq!(events.len(), 6, "{events:?}");
        let erased = app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", "ann@example.com")]).await.ok();
        assert_eq!(erased["erased"]["events"], 6);
        let left = app.app.database.dump("webhook_events").await.unwrap().concat();
        for trace in ["Of-Ann", "ann@example.com"] {
            assert!(!left.contains(trace), "{trace}: {left}");
        }
        assert!(left.contains("Bobs"), "{left}");
        app.assert_sound().await;
    }

    async fn events_are_deleted_after_thirty_days(app: TestApp) {
        create(&app, "https://shop.example/", &["*"]).await;
        let ann = app.shopper("ann").await;
        ann.list("Old").await;
        app.advance(29 * DAY);
        ann.list("New").await;
        app.advance(2 * DAY);
        while wishbone_server::jobs::clean_up::clean_some(&app.app).await.unwrap()
            != wishbone_server::jobs::job::Rest::UntilWoken
        {}
        let left = app.app.database.dump("webhook_events").await.unwrap();
        assert!(left.len() == 1 && left[0].contains("New"), "{left:?}");
        assert_eq!(app.rows("webhook_deliveries").await, 1);
    }

    async fn an_sms_is_posted_as_a_form(app: TestApp) {
        use wishbone_server::sms::{Sms, SmsOutcome, send};
        let gateway = Receiver::start().await;
        let url = gateway.url();
        let (from, to, body) = ("Shop & Co", "+49151", "Zurück: 1 € 👍");
        let sms = Sms { url: &url, from, auth: Some("user:p:w"), to, body };
        assert_eq!(send(&app.app.outbound, &sms).await, SmsOutcome::Sent);
        let [received] = &gateway.take()[..] else { panic!("one request") };
        assert_eq!(received.headers["authorization"], "Basic dXNlcjpwOnc=");
        assert_eq!(received.headers["content-type"], "application/x-www-form-urlencoded");
        let decoded = percent_encoding::percent_decode_str(&received.body).decode_utf8().unwrap();
        assert_eq!(decoded, "To=+49151&From=Shop & Co&Body=Zurück: 1 € 👍");
        gateway.respond(503);
        assert!(matches!(send(&app.app.outbound, &sms).await, SmsOutcome::Later(_)));
        gateway.respond(422);
        assert!(matches!(send(&app.app.outbound, &sms).await, SmsOutcome::Never(problem) if problem.contains("422")));
    }
}
