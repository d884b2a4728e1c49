//! Delivery: once, in spite of mail servers that fail and nodes that crash.

use wishbone_core::alerts::backlog::Backlog;
use wishbone_core::alerts::claim::ClaimAlert;
use wishbone_core::alerts::queue::FindDueAlerts;
use wishbone_core::operator::Operator;

use super::*;

both_engines! {
    async fn a_rejection_for_now_is_retried_under_the_same_id(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        subscribe(&app, "later", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
        let record = &listed["data"]["subscriptions"][0];
        assert_eq!((&record["state"], &record["attempts"]), (&json!("waiting"), &json!(1)));
        assert!(record["lasterror"].as_str().unwrap().contains("greylisted"), "{record}");
        app.advance(4_000);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0, "not before its time");
        app.advance(26_000);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["later@example.com"]);
    }

    async fn an_address_that_does_not_exist_is_suppressed_and_says_why(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        subscribe(&app, "never", "backinstock", &[]).await.ok();
        subscribe(&app, "never", "pricedrop", &[]).await.ok();
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"], "the place goes to the next in line");
        let admin = app.store_admin();
        let list = async |state: &str| {
            let found = admin.json("/storeadmin/v3/subscriptions/list", &json!({ "state": state })).await.ok();
            found["data"]["subscriptions"].clone()
        };
        let failed = list("failed").await;
        assert_eq!((failed.as_array().unwrap().len(), &failed[0]["topic"]), (1, &json!("backinstock")));
        assert!(failed[0]["lasterror"].as_str().unwrap().contains("nobody here"), "{failed}");
        assert_eq!(failed[0]["status"], 0, "shoppers see that it was not sent");
        assert_eq!(list("suppressed").await[0]["topic"], "pricedrop");
        assert_eq!(list("sent").await[0]["mediumvalue"], "ann@example.com");
        // The store retries it; it is still in stock.
        let ids = json!({ "ids": [failed[0]["id"], list("suppressed").await[0]["id"]] });
        let retried = admin.json("/storeadmin/v3/subscriptions/retry", &ids).await.ok();
        assert_eq!(retried["data"], json!({ "retried": 2 }));
        mailing.work(&app).await;
        assert_eq!(list("failed").await.as_array().unwrap().len(), 1);
        let all = admin.json("/storeadmin/v3/subscriptions/retry", &json!({ "state": "failed" })).await.ok();
        assert_eq!(all["data"], json!({ "retried": 1 }));
        app.assert_sound().await;
    }

    async fn an_alert_of_a_node_that_crashed_is_sent_under_the_same_id(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        let by = Operator::of_this_machine();
        let database = &app.app.database;
        let now = app.app.environment.now();
        // The event is dispatched and the alert claimed; then the node is gone.
        let second = app.node_mailing("smtp://127.0.0.1:1").await;
        let events = database.read(wishbone_core::alerts::dispatch::FindDueEvents { by, store_id: 1, now, limit: 9 }).await.unwrap();
        for event in events {
            second.database.write(wishbone_core::alerts::dispatch::DispatchEvent { by, event, now }).await.unwrap();
        }
        let due = database.read(FindDueAlerts { by, store_id: 1, now, limit: 9 }).await.unwrap()[0];
        let claimed = database.write(ClaimAlert { by, alert: due, moment: app.app.environment.moment() }).await.unwrap().unwrap();
        assert!(database.write(ClaimAlert { by, alert: due, moment: app.app.environment.moment() }).await.unwrap().is_none(), "only one node may send it");
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        assert_eq!(fetch_one(&app.shopper("ann").await, "backinstock").await["status"], 2);
        app.advance(150_000);
        mailing.work(&app).await;
        let mails = mailing.smtp.mails();
        assert_eq!(mails.len(), 1);
        let id = mails[0]["headers"]["message-id"].as_str().unwrap();
        assert_eq!(id, format!("<{}@shop.example>", claimed.message_id));
    }

    async fn a_broken_record_stops_nothing(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        set(&app, AlertSettingsChange { alerts_per_unit: Some(None), ..Default::default() }).await;
        chair(&app).await;
        for name in ["ann", "broken", "cleo"] {
            subscribe(&app, name, "backinstock", &[]).await.ok();
        }
        app.straight("update subscriptions set medium = 'pigeon' where address = 'broken@example.com'").await;
        stock(&app, json!(1)).await;
        mailing.node.environment.set_now(app.app.environment.now());
        for _ in 0..5 {
            let _ = send_due(&mailing.node).await;
        }
        assert_eq!(mailing.recipients(), ["ann@example.com", "cleo@example.com"]);
    }

    async fn two_nodes_send_each_alert_once(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let second = app.node_mailing(&mailing.smtp.url()).await;
        set(&app, AlertSettingsChange { alerts_per_unit: Some(None), ..Default::default() }).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(1)).await;
        for node in [&mailing.node, &second] {
            node.environment.set_now(app.app.environment.now());
        }
        let work = async |node: &Arc<App>| while send_due(node).await.unwrap() == Rest::None {};
        futures_util::future::join(work(&mailing.node), work(&second)).await;
        let mut all = mailing.recipients();
        all.sort();
        assert_eq!(all, names(0..10));
    }

    async fn the_mail_server_may_be_away_for_hours(app: TestApp) {
        let mut mailing = Mailing::start(&app).await;
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        mailing.smtp.stop();
        stock(&app, json!(1)).await;
        for _ in 0..8 {
            mailing.work(&app).await;
            app.advance(30 * MINUTE);
        }
        mailing.smtp.restart();
        app.advance(6 * 60 * MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"]);
    }

    async fn mails_that_hang_hold_up_no_others_and_are_not_lost(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        set(&app, AlertSettingsChange { alerts_per_unit: Some(None), ..Default::default() }).await;
        chair(&app).await;
        // More than are sent at the same time.
        for n in 0..12 {
            subscribe(&app, &format!("hangs{n}"), "backinstock", &[]).await.ok();
        }
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.node.environment.set_now(app.app.environment.now());
        let node = Arc::clone(&mailing.node);
        let sending = tokio::spawn(async move { while send_due(&node).await.unwrap() == Rest::None {} });
        tokio::task::block_in_place(|| mailing.smtp.wait_for(1));
        assert_eq!(mailing.recipients(), ["ann@example.com"]);
        let sent = json!({ "state": "sent" });
        while app.store_admin().json("/storeadmin/v3/subscriptions/list", &sent).await.ok()["data"]["subscriptions"] == json!([]) {
            tokio::task::yield_now().await;
        }
        // The node crashes. Its leases expire, and the mails are sent.
        sending.abort();
        app.advance(150_000);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 13);
        app.assert_sound().await;
    }

    async fn an_alert_that_is_retried_counts_as_due(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        for name in ["later", "ann"] {
            subscribe(&app, name, "backinstock", &[]).await.ok();
        }
        let measure = async || wishbone_server::jobs::measure_alerts::measure(&app.app).await.unwrap();
        assert_eq!(measure().await, Backlog { waiting: 2, due: 0, oldest: 0 });
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        app.advance(1_000);
        assert_eq!(measure().await, Backlog { waiting: 2, due: 1, oldest: 1_000 }, "the pause is part of it");
        app.advance(MINUTE);
        mailing.work(&app).await;
        assert_eq!(measure().await, Backlog { waiting: 1, due: 0, oldest: 0 });
    }

    async fn a_store_with_many_alerts_delays_no_other(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        set(&app, AlertSettingsChange { alerts_per_unit: Some(None), ..Default::default() }).await;
        chair(&app).await;
        let admin = app.store_admin();
        let products = json!([item(1)]).to_string();
        for n in 0..150 {
            let address = format!("many{n}@example.com");
            let fields = [
                ("medium", "email"),
                ("mediumvalue", address.as_str()),
                ("products", products.as_str()),
                ("topics", r#"["backinstock"]"#),
            ];
            admin.form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        }
        let other = app.create_store(Default::default()).await;
        let admin = app.admin_of(&other);
        let mut chair = item(1);
        chair["stock"] = json!(0);
        admin.upsert(json!([chair])).await;
        let fields = [
            ("medium", "email"),
            ("mediumvalue", "other@example.com"),
            ("products", products.as_str()),
            ("topics", r#"["backinstock"]"#),
        ];
        admin.form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        stock(&app, json!(1)).await;
        admin.stock(1, json!(1)).await;
        mailing.work(&app).await;
        let place = mailing.recipients().iter().position(|address| address == "other@example.com");
        assert!(place.is_some_and(|place| place < 50), "among the first: {place:?}");
        assert_eq!(mailing.recipients().len(), 151);
    }
}
