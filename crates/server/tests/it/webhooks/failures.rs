//! Endpoints that fail, hang or come back, and nodes that crash.

use std::time::Duration;

use serde_json::json;
use wishbone_core::operator::Operator;
use wishbone_core::webhooks::claim::ClaimQueue;
use wishbone_core::webhooks::queue::{FindDueQueues, FindDueWebhooks};
use wishbone_server::jobs::deliver_webhooks::deliver_due;
use wishbone_server::outbound::client::HttpClient;

use super::{DAY, HOUR, SECOND, call, create, deliveries, state, work};
use crate::support::receiver::{Behaviour, Receiver};

both_engines! {
    async fn a_failed_attempt_is_repeated_after_5_to_30_seconds(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        receiver.respond(500);
        app.shopper("ann").await.list("Summer").await;
        work(&app.app, 0).await;
        let logged = deliveries(&app, &id).await[0].clone();
        let told = (&logged["state"], &logged["attempts"], &logged["status"], &logged["lasterror"]);
        assert_eq!(told, (&json!("waiting"), &json!(1), &json!(500), &json!("HTTP 500")));
        work(&app.app, 4_900).await;
        assert_eq!(receiver.all().len(), 1, "not before its time");
        receiver.respond(204);
        work(&app.app, 30_000).await;
        let received = receiver.take();
        assert_eq!(received.len(), 2);
        assert_eq!(received[0].id(), received[1].id());
        assert_eq!(received[0].body, received[1].body);
        assert_ne!(received[0].headers["webhook-timestamp"], received[1].headers["webhook-timestamp"]);
        let logged = deliveries(&app, &id).await[0].clone();
        assert_eq!((&logged["state"], &logged["attempts"], &logged["status"]), (&json!("delivered"), &json!(2), &json!(204)));
        assert!(logged["lasterror"].is_null());
    }

    async fn an_undelivered_event_holds_back_later_ones_of_its_list_only(app: TestApp) {
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        let (bad, good) = (ann.list("Bad").await, ann.list("Good").await);
        let lid = bad.clone();
        receiver.behave(move |it| Behaviour::Status(if it.body.contains(&lid) { 500 } else { 200 }));
        ann.add(&bad, &[1, 2]).await;
        ann.add(&good, &[1]).await;
        work(&app.app, 0).await;
        let received = receiver.take();
        let of = |lid: &str| received.iter().filter(|it| it.body.contains(lid)).map(|it| it.kind()).collect::<Vec<_>>();
        assert_eq!(of(&bad), ["list.created"]);
        assert_eq!(of(&good), ["list.created", "item.added"]);
        receiver.respond(200);
        work(&app.app, 30_000).await;
        assert_eq!(receiver.take_kinds(), ["list.created", "item.added", "item.added"]);
    }

    async fn after_three_days_a_delivery_fails_and_the_next_has_its_turn(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        receiver.behave(|it| Behaviour::Status(if it.kind() == "list.created" { 418 } else { 200 }));
        for _ in 0..7 {
            work(&app.app, 10 * HOUR).await;
        }
        assert_eq!(deliveries(&app, &id).await[0]["state"], "waiting");
        ann.add(&lid, &[1]).await;
        work(&app.app, 10 * HOUR).await;
        let log = deliveries(&app, &id).await;
        assert_eq!((&log[0]["state"], &log[1]["state"]), (&json!("delivered"), &json!("failed")));
        assert_eq!((&log[1]["status"], &log[1]["lasterror"]), (&json!(418), &json!("HTTP 418")));
        let failed = call(&app.store_admin(), "deliveries", &json!({ "id": id, "state": "failed" })).await.ok();
        assert_eq!(failed["data"]["deliveries"].as_array().unwrap().len(), 1, "the dead letters");
        assert_eq!(state(&app, &id).await, "enabled");
        receiver.take();
        receiver.respond(200);
        assert_eq!(call(&app.store_admin(), "replay", &json!({ "id": id, "since": 0 })).await.ok()["data"]["queued"], 2);
        work(&app.app, 0).await;
        assert_eq!(receiver.take_kinds(), ["list.created", "item.added"]);
    }

    async fn an_endpoint_that_fails_for_five_days_is_disabled_until_a_replay(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        receiver.respond(503);
        let ann = app.shopper("ann").await;
        for _ in 0..6 {
            ann.list("Daily").await;
            work(&app.app, DAY).await;
        }
        assert_eq!(state(&app, &id).await, "disabled");
        let listed = call(&app.store_admin(), "list", &json!({})).await.ok();
        assert!(listed["data"][0]["failingsince"].is_i64(), "{listed}");
        receiver.take();
        let events = app.rows("webhook_events").await;
        ann.list("Unseen").await;
        assert_eq!(app.rows("webhook_events").await, events, "nobody wants it");
        work(&app.app, DAY).await;
        assert_eq!(receiver.take().len(), 0);
        receiver.respond(200);
        let since = app.app.environment.now() - 20 * DAY;
        assert_eq!(call(&app.store_admin(), "replay", &json!({ "id": id, "since": since })).await.ok()["data"]["queued"], events);
        assert_eq!(state(&app, &id).await, "enabled");
        work(&app.app, 61 * SECOND).await;
        assert_eq!(receiver.take().len(), events);
        ann.list("Seen").await;
        work(&app.app, 0).await;
        assert_eq!(receiver.take_kinds(), ["list.created"]);
    }

    async fn one_success_within_five_days_keeps_an_endpoint_enabled(app: TestApp) {
        let receiver = Receiver::start().await;
        let (id, _) = create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        for day in 0..12 {
            receiver.respond(if day % 4 == 3 { 200 } else { 500 });
            ann.list("Daily").await;
            work(&app.app, DAY).await;
        }
        assert_eq!(state(&app, &id).await, "enabled");
    }

    async fn an_endpoint_that_hangs_delays_no_other(app: TestApp) {
        let (hanging, good) = (Receiver::start().await, Receiver::start().await);
        let (id, _) = create(&app, &hanging.url(), &["*"]).await;
        create(&app, &good.url(), &["*"]).await;
        hanging.behave(|_| Behaviour::Hang);
        let ann = app.shopper("ann").await;
        for name in ["A", "B", "C"] {
            ann.list(name).await;
        }
        // Would wait for ever, and is cut off as soon as the others are done.
        let patient = app.node_sending(HttpClient::new(true).with_timeout(Duration::from_secs(3_600))).await;
        tokio::select! {
            _ = deliver_due(&patient) => panic!("it does not hang"),
            received = good.wait_for(3) => assert_eq!(received.len(), 3),
        }
        let node = app.node_sending(HttpClient::new(true).with_timeout(Duration::from_millis(50))).await;
        work(&node, 61 * SECOND).await;
        let log = deliveries(&app, &id).await;
        assert!(log.iter().all(|it| it["state"] == "waiting" && it["status"].is_null()), "{log:?}");
        assert!(log[0]["lasterror"].as_str().unwrap().contains("no response within 0.05 seconds"), "{log:?}");
    }

    async fn an_event_that_hangs_delays_no_later_event_of_another_list(app: TestApp) {
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["*"]).await;
        receiver.behave(|it| if it.body.contains("Stuck") { Behaviour::Hang } else { Behaviour::Status(200) });
        let ann = app.shopper("ann").await;
        ann.list("Stuck").await;
        let patient = app.node_sending(HttpClient::new(true).with_timeout(Duration::from_secs(3_600))).await;
        let later = async {
            receiver.wait_for(1).await;
            ann.list("Summer").await;
            receiver.wait_for(2).await
        };
        tokio::select! {
            _ = deliver_due(&patient) => panic!("it does not hang"),
            received = later => assert!(received[1].body.contains("Summer")),
        }
    }

    async fn two_nodes_deliver_every_event_once(app: TestApp) {
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["*"]).await;
        let ann = app.shopper("ann").await;
        for n in 0..10 {
            let lid = ann.list(&format!("List {n}")).await;
            ann.add(&lid, &[1, 2]).await;
        }
        let other = app.node_sending(HttpClient::new(true)).await;
        tokio::join!(work(&app.app, 0), work(&other, 0));
        // A queue that one of them had claimed may have been skipped by the other.
        work(&app.app, 0).await;
        let mut ids: Vec<String> = receiver.take().iter().map(|it| it.id().to_owned()).collect();
        assert_eq!(ids.len(), 30);
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 30);
    }

    async fn a_queue_claimed_by_a_crashed_node_is_delivered_within_60_seconds(app: TestApp) {
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["*"]).await;
        app.shopper("ann").await.list("Summer").await;
        let (by, now) = (Operator::of_this_machine(), app.app.environment.now());
        let due = app.app.database.read(FindDueWebhooks { by, store_id: 1, now }).await.unwrap();
        let queues = FindDueQueues { by, webhook: due[0].1, now, limit: 10 };
        let queue = app.app.database.read(queues).await.unwrap().remove(0);
        assert!(app.app.database.write(ClaimQueue { by, queue, now }).await.unwrap().is_some());
        work(&app.app, 59 * SECOND).await;
        assert_eq!(receiver.take().len(), 0, "it may still be at it");
        work(&app.app, SECOND).await;
        assert_eq!(receiver.take().len(), 1);
    }

    async fn a_node_that_shuts_down_starts_no_further_delivery(app: TestApp) {
        let receiver = Receiver::start().await;
        create(&app, &receiver.url(), &["*"]).await;
        app.shopper("ann").await.list("Summer").await;
        app.app.drain();
        work(&app.app, 0).await;
        assert_eq!(receiver.take().len(), 0);
    }
}
