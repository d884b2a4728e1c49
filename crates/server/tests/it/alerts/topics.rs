//! When each topic fires, and whom it reaches.

use super::*;

both_engines! {
    async fn a_restock_reaches_as_many_as_there_are_units_oldest_first(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), Vec::<String>::new(), "nothing has happened");
        stock(&app, json!(3)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..3));
        stock(&app, json!(8)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..3), "from 3 to 8 is no restock");
        stock(&app, json!(0)).await;
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..5), "the next restock reaches the next ones");
        stock(&app, json!(-1)).await;
        stock(&app, json!(null)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..10), "untracked stock is enough for all");

        let mail = &mailing.smtp.mails()[0];
        assert_eq!(mail["headers"]["from"], "Test <lists@shop.example>");
        assert_eq!(mail["headers"]["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
        let text = mail["text"].as_str().unwrap();
        assert!(text.contains("Oak chair") && text.contains("https://shop.example/p/1"), "{text}");
        assert!(mail["html"].as_str().unwrap().contains("chair.png"));
        let ids: std::collections::BTreeSet<String> =
            mailing.smtp.mails().iter().map(|mail| mail["headers"]["message-id"].to_string()).collect();
        assert_eq!(ids.len(), 10);
        assert_eq!(fetch_one(&app.shopper("shopper0").await, "backinstock").await["status"], 1);
        app.assert_sound().await;
    }

    async fn batches_of_one_variant_keep_their_interval(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        stock(&app, json!(0)).await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        app.advance(14 * MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..1), "not before fifteen minutes have passed");
        app.advance(MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..2));
    }

    async fn a_batch_that_had_to_wait_reaches_no_more_than_there_are_units_left(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        stock(&app, json!(0)).await;
        stock(&app, json!(5)).await;
        stock(&app, json!(2)).await;
        app.advance(15 * MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..3));
    }

    async fn a_store_sets_how_many_are_told_and_from_which_stock(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        set(&app, AlertSettingsChange {
            alerts_per_unit: Some(Some(2)),
            alert_minimum: Some(2),
            alert_interval: Some(0),
            ..Default::default()
        })
        .await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), Vec::<String>::new(), "too few");
        stock(&app, json!(0)).await;
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..4), "two for each unit");
        set(&app, AlertSettingsChange { alerts_per_unit: Some(None), ..Default::default() }).await;
        stock(&app, json!(0)).await;
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        let mut all = mailing.recipients();
        all.sort();
        assert_eq!(all, names(0..10));
    }

    async fn who_is_not_reached_because_it_sold_out_keeps_the_place(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(2)).await;
        stock(&app, json!(0)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), Vec::<String>::new(), "sold out again before anything was sent");
        let late = subscribe(&app, "late", "backinstock", &[]).await.ok();
        assert_eq!(late["subscriptions"][0]["status"], 0);
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..2));
    }

    async fn a_subscription_made_while_in_stock_waits_for_the_next_rise(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        stock(&app, json!(5)).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        app.store_admin().json("/storeadmin/v3/products/delete", &json!({ "products": [{ "epi": 1 }] })).await.ok();
        app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "stock": 5 }])).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"], "a deleted product that returns is back");
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        assert_eq!(fetch_one(&app.shopper("ann").await, "backinstock").await["status"], 0, "it starts anew");
        stock(&app, json!(0)).await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2);
    }

    async fn a_wanted_quantity_is_waited_for(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        without_interval(&app).await;
        chair(&app).await;
        let made = subscribe(&app, "ann", "backinstock", &[("quantity", "4")]).await.ok();
        assert_eq!(made["subscriptions"][0]["quantity"], 4);
        subscribe(&app, "ben", "backinstock", &[]).await.ok();
        stock(&app, json!(3)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ben@example.com"], "Ann needs four");
        stock(&app, json!(0)).await;
        stock(&app, json!(4)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ben@example.com", "ann@example.com"]);
    }

    async fn what_comes_soon_is_announced_once_to_all(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        ten_wait(&app, "comingsoon").await;
        let mut known = item(1);
        known["dt"] = json!("Oak chair");
        known["stock"] = json!(0);
        app.store_admin().upsert(json!([known])).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0, "known, and not in stock");
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        let mut all = mailing.recipients();
        all.sort();
        assert_eq!(all, names(0..10));
        subscribe(&app, "late", "comingsoon", &[]).await.ok();
        stock(&app, json!(0)).await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 10, "it is first in stock only once");
    }

    async fn what_becomes_known_with_stock_is_announced(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        subscribe(&app, "ann", "comingsoon", &[]).await.ok();
        subscribe(&app, "ben", "backinstock", &[]).await.ok();
        let mut known = item(1);
        known["stock"] = json!(7);
        app.store_admin().upsert(json!([known])).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"], "it is not back: it was never away");
    }

    async fn a_price_drop_is_told_below_the_price_of_subscribing_or_at_the_target(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        let price = async |price: Value| {
            app.advance(1);
            app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "pr": price }])).await;
            mailing.work(&app).await;
        };
        let made = subscribe(&app, "ann", "pricedrop", &[("targetprice", "40.00")]).await;
        assert!(made.text().contains("\"targetprice\":40.00"), "{}", made.text());
        subscribe(&app, "ben", "pricedrop", &[]).await.ok();
        price(json!(55)).await;
        price(json!(50)).await;
        assert_eq!(mailing.recipients().len(), 0, "it fell, but not below what it was");
        price(json!(44.5)).await;
        assert_eq!(mailing.recipients(), ["ben@example.com"]);
        let mail = &mailing.smtp.mails()[0];
        assert!(mail["text"].as_str().unwrap().contains("44.5"), "{}", mail["text"]);
        price(json!(40)).await;
        assert_eq!(mailing.recipients(), ["ben@example.com", "ann@example.com"]);
    }

    async fn a_price_that_is_up_again_is_not_told(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        subscribe(&app, "ann", "pricedrop", &[]).await.ok();
        for price in [10, 60] {
            app.advance(1);
            app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "pr": price }])).await;
        }
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "pr": 49 }])).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"]);
    }

    async fn low_stock_is_told_when_stock_falls_to_it(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        chair(&app).await;
        stock(&app, json!(20)).await;
        subscribe(&app, "ann", "lowstock", &[]).await.ok();
        for left in [6, 9, 0, 3] {
            stock(&app, json!(left)).await;
            mailing.work(&app).await;
            assert_eq!(mailing.recipients().len(), 0, "{left}: above, sold out, or risen to it");
        }
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"]);
        assert!(mailing.smtp.mails()[0]["text"].as_str().unwrap().contains('2'));
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "once");
    }

    async fn conditions_are_checked(app: TestApp) {
        for bad in [("quantity", "0"), ("quantity", "x"), ("quantity", "1000001"), ("targetprice", "-1"), ("targetprice", "free")] {
            subscribe(&app, "ann", "backinstock", &[bad]).await.fails(400, "invalid-parameter");
        }
        assert_eq!(app.rows("subscriptions").await, 0);
    }
}
