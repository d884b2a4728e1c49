//! What the store sees of its alerts.

use super::*;

both_engines! {
    async fn the_store_sees_who_waits(app: TestApp) {
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        subscribe(&app, "ann", "pricedrop", &[]).await.ok();
        let admin = app.store_admin();
        let summary = admin.json("/storeadmin/v3/subscriptions/summary", &json!({})).await.ok();
        assert_eq!(
            summary["data"],
            json!([
                { "epi": 1, "empi": 1001, "dt": "Oak chair", "topic": "backinstock", "waiting": 10, "sent": 0, "failed": 0 },
                { "epi": 1, "empi": 1001, "dt": "Oak chair", "topic": "pricedrop", "waiting": 1, "sent": 0, "failed": 0 },
            ])
        );
        let limited = admin.json("/storeadmin/v3/subscriptions/summary", &json!({ "limit": 1 })).await.ok();
        assert_eq!(limited["data"].as_array().unwrap().len(), 1);
        for (filter, expected) in [
            (json!({}), 11),
            (json!({ "topic": "pricedrop" }), 1),
            (json!({ "epi": 1 }), 11),
            (json!({ "epi": "1", "topic": "backinstock", "state": "waiting" }), 10),
            (json!({ "epi": 2 }), 0),
            (json!({ "empi": 1001, "medium": "email" }), 11),
            (json!({ "empi": 9_007_199_254_740_991_i64 }), 0),
            (json!({ "empi": 9_007_199_254_740_991_i64, "epi": 9_007_199_254_740_991_i64 }), 0),
            (json!({ "empi": 9_007_199_254_740_991_i64, "state": "waiting" }), 0),
            (json!({ "medium": "sms" }), 0),
            (json!({ "state": "sent" }), 0),
            (json!({ "state": "waiting", "topic": "pricedrop" }), 1),
        ] {
            let mut found = Vec::new();
            let mut page = filter.clone();
            page["limit"] = json!(4);
            loop {
                let answer = admin.json("/storeadmin/v3/subscriptions/list", &page).await.ok()["data"].clone();
                let records = answer["subscriptions"].as_array().unwrap();
                assert!(records.len() <= 4);
                found.extend(records.iter().map(|record| record["id"].as_str().unwrap().to_owned()));
                match answer["next"].as_str() {
                    Some(next) => page["next"] = json!(next),
                    None => break,
                }
            }
            assert_eq!(found.len(), expected, "{filter}");
            found.sort();
            found.dedup();
            assert_eq!(found.len(), expected, "each once: {filter}");
        }
    }

    async fn no_page_repeats_or_skips_what_is_sent_in_the_meantime(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        let admin = app.store_admin();
        let mut found = Vec::new();
        let mut page = json!({ "epi": 1, "limit": 3 });
        loop {
            let answer = admin.json("/storeadmin/v3/subscriptions/list", &page).await.ok()["data"].clone();
            found.extend(answer["subscriptions"].as_array().unwrap().iter().map(|record| record["id"].clone()));
            let Some(next) = answer["next"].as_str() else { break };
            page["next"] = json!(next);
            stock(&app, json!(0)).await;
            stock(&app, json!(2)).await;
            app.advance(20 * MINUTE);
            mailing.work(&app).await;
        }
        assert_eq!(mailing.recipients().len(), 6);
        assert_eq!(found.len(), 10);
        page["topic"] = json!("backinstock");
        admin.json("/storeadmin/v3/subscriptions/list", &page).await.fails(400, "invalid-next-token");
    }

    async fn bad_filters_are_named(app: TestApp) {
        let admin = app.store_admin();
        for bad in [
            json!({ "topic": "news" }),
            json!({ "state": "lost" }),
            json!({ "epi": "x" }),
            json!({ "limit": 0 }),
            json!({ "limit": 1001 }),
            json!({ "medium": 7 }),
        ] {
            admin.json("/storeadmin/v3/subscriptions/list", &bad).await.fails(400, "invalid-parameter");
        }
        admin.json("/storeadmin/v3/subscriptions/list", &json!({ "next": "x" })).await.fails(400, "invalid-next-token");
        for bad in [json!({ "ids": [] }), json!({ "ids": ["x"] }), json!({ "state": "sent" }), json!({ "ids": 1 })] {
            admin.json("/storeadmin/v3/subscriptions/retry", &bad).await.fails(400, "invalid-parameter");
        }
        admin.json("/storeadmin/v3/subscriptions/retry", &json!({})).await.fails(400, "missing-parameter");
    }

    async fn a_store_sees_only_its_own(app: TestApp) {
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        let own = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({})).await.ok();
        let id = own["data"]["subscriptions"][0]["id"].clone();
        let other = app.admin_of(&app.create_store(Default::default()).await);
        for (operation, body, expected) in [
            ("list", json!({}), json!({ "subscriptions": [], "next": null })),
            ("list", json!({ "epi": 1 }), json!({ "subscriptions": [], "next": null })),
            ("summary", json!({}), json!([])),
            ("retry", json!({ "ids": [id] }), json!({ "retried": 0 })),
        ] {
            let answer = other.json(&format!("/storeadmin/v3/subscriptions/{operation}"), &body).await.ok();
            assert_eq!(answer["data"], expected, "{operation}");
        }
    }
}
