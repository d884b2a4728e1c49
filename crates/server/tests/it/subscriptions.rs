//! Subscriptions: made by the store, fetched by the shopper.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use wishbone_core::stores::settings::{Feature, SettingsChange};

use crate::support::{Admin, Client, NOW, Reply, TestApp, encode, encode_form, epis, item, until_accepted};

const CREATE: &str = "/storeadmin/bispa/subscriptions/create";

async fn subscribe(admin: &Admin, medium: &str, address: &str, products: &Value, topics: &Value) -> Reply {
    let (products, topics) = (products.to_string(), topics.to_string());
    let fields = [("medium", medium), ("mediumvalue", address), ("products", &products), ("topics", &topics)];
    admin.form(CREATE, &fields).await
}

/// Ann waits for these variants to be back.
async fn wait_for(app: &TestApp, variants: &[i64]) -> Value {
    let products = Value::from(variants.iter().map(|n| item(*n)).collect::<Vec<_>>());
    let (admin, topics) = (app.store_admin(), json!(["backinstock"]));
    until_accepted(|| subscribe(&admin, "email", "ann@example.com", &products, &topics)).await.ok()
}

async fn fetch(client: &Client, fields: &[(&str, &str)]) -> Reply {
    let mut all = vec![("topic", "backinstock")];
    all.extend_from_slice(fields);
    client.post("subscriptions/fetch-subs", &all).await
}

both_engines! {
    async fn a_store_subscribes_an_address_to_topics_about_products(app: TestApp) {
        let admin = app.store_admin();
        let answer = subscribe(
            &admin,
            "email",
            " Ann@Example.com ",
            &json!([item(1), item(2)]),
            &json!(["backinstock", "pricedrop"]),
        )
        .await
        .ok();
        let mut keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["failed", "status", "subscriptions"]);
        assert_eq!((&answer["status"], &answer["failed"]), (&json!("success"), &json!([])));
        let made: Vec<(i64, &str)> = answer["subscriptions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|made| (made["epi"].as_i64().unwrap(), made["topic"].as_str().unwrap()))
            .collect();
        assert_eq!(made, [(1, "backinstock"), (1, "pricedrop"), (2, "backinstock"), (2, "pricedrop")]);
        for made in answer["subscriptions"].as_array().unwrap() {
            assert_eq!((&made["medium"], &made["mediumvalue"]), (&json!("email"), &json!("ann@example.com")));
            assert_eq!((&made["status"], &made["cts"], &made["uts"]), (&json!(0), &json!(NOW), &json!(NOW)));
            // The store made it: nobody is named.
            assert_eq!((made.get("cby"), made.get("uby")), (None, None));
        }
        // They belong to the shopper of that address, who was unknown until now.
        let ann = app.shopper("ann").await;
        let fetched = fetch(&ann, &[]).await.ok();
        assert_eq!(epis(&fetched["subscriptions"]), [2, 1]);
        assert_eq!((&fetched["limit"], &fetched["offset"], &fetched["total"]), (&json!(10), &json!(0), &json!(2)));
        for shown in fetched["subscriptions"].as_array().unwrap() {
            assert_eq!((&shown["medium"], &shown["mediumvalue"]), (&json!("email"), &json!("ann@example.com")));
            assert_eq!((shown.get("cby"), shown.get("uby")), (None, None));
        }
        assert_eq!(fetch(&app.shopper("bob").await, &[]).await.ok()["total"], 0);
        app.assert_sound().await;
    }

    async fn a_phone_number_is_a_medium_too(app: TestApp) {
        let admin = app.store_admin();
        let answer =
            subscribe(&admin, "sms", "+49 (151) 123-456.78", &json!([item(1)]), &json!(["comingsoon", "lowstock"]))
                .await
                .ok();
        assert_eq!(answer["subscriptions"].as_array().unwrap().len(), 2);
        assert_eq!(
            (&answer["subscriptions"][0]["medium"], &answer["subscriptions"][0]["mediumvalue"]),
            (&json!("sms"), &json!("+4915112345678"))
        );
        let again = subscribe(&admin, "sms", "+4915112345678", &json!([item(1)]), &json!(["comingsoon"])).await.ok();
        assert_eq!(again["subscriptions"][0], answer["subscriptions"][0]);
        assert_eq!(app.rows("subscriptions").await, 2);
        app.assert_sound().await;
    }

    async fn bad_fields_are_named_and_make_nothing(app: TestApp) {
        let admin = app.store_admin();
        let (products, topics) = (json!([item(1)]), json!(["backinstock"]));
        for (medium, address) in [
            ("fax", "ann@example.com"),
            ("email", "ann"),
            ("email", "+4915112345678"),
            ("email", "a@b"),
            ("sms", "ann@example.com"),
            ("sms", "123"),
            ("EMAIL", "ann@example.com"),
        ] {
            subscribe(&admin, medium, address, &products, &topics).await.fails(400, "invalid-parameter");
        }
        for bad in [json!(["backinstock", "unknown"]), json!([]), json!([1]), json!("backinstock"), json!({})] {
            subscribe(&admin, "email", "ann@example.com", &products, &bad).await.fails(400, "invalid-parameter");
        }
        let many = Value::from((1..=101).map(item).collect::<Vec<_>>());
        for bad in [json!([]), json!({}), json!("x"), many] {
            subscribe(&admin, "email", "ann@example.com", &bad, &topics).await.fails(400, "invalid-parameter");
        }
        let (products, topics) = (products.to_string(), topics.to_string());
        let fields =
            [("medium", "email"), ("mediumvalue", "ann@example.com"), ("products", &products), ("topics", &topics)];
        for missing in 0..fields.len() {
            let mut some = fields.to_vec();
            some.remove(missing);
            admin.form(CREATE, &some).await.fails(400, "missing-parameter");
        }
        for extra in [("addtomailinglist", "perhaps"), ("extras", "[]"), ("extras", "{")] {
            let mut more = fields.to_vec();
            more.push(extra);
            admin.form(CREATE, &more).await.fails(400, "invalid-parameter");
        }
        assert_eq!((app.rows("subscriptions").await, app.rows("shoppers").await), (0, 0));
        let mut more = fields.to_vec();
        more.extend([("addtomailinglist", "true"), ("extras", "{\"name\":\"Ann\"}")]);
        admin.form(CREATE, &more).await.ok();
    }

    async fn products_that_fail_are_named_and_the_others_are_subscribed_to(app: TestApp) {
        let admin = app.store_admin();
        let products = json!([item(1), { "epi": 2, "empi": 1002 }, { "epi": "x", "empi": 3, "du": "https://a.example" }, 7,
                              { "epi": 4, "empi": 1004, "du": "javascript:alert(1)" }, { "epi": 5, "empi": 1005, "du": " " }, item(6)]);
        let answer = subscribe(&admin, "email", "ann@example.com", &products, &json!(["backinstock"])).await.ok();
        assert_eq!(epis(&answer["subscriptions"]), [1, 6]);
        let failed: Vec<Value> = answer["failed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|failed| {
                assert!(!failed["msg"].as_str().unwrap().is_empty());
                json!([failed["epi"], failed["empi"], failed["error-code"]])
            })
            .collect();
        assert_eq!(
            failed,
            [
                json!([2, 1002, "invalid-item"]),
                json!(["x", 3, "invalid-item"]),
                json!([null, null, "invalid-item"]),
                json!([4, 1004, "invalid-item"]),
                json!([5, 1005, "invalid-item"]),
            ]
        );
        let answer = subscribe(&admin, "email", "new@example.com", &json!([{}]), &json!(["backinstock"])).await.ok();
        assert_eq!((&answer["status"], &answer["subscriptions"]), (&json!("success"), &json!([])));
        assert_eq!(answer["failed"].as_array().unwrap().len(), 1);
        app.assert_sound().await;
    }

    async fn one_that_waits_is_returned_as_it_is(app: TestApp) {
        let first = wait_for(&app, &[1]).await;
        app.advance(60_000);
        let mut other = item(1);
        other["du"] = json!("https://shop.example/elsewhere");
        let again = subscribe(
            &app.store_admin(),
            "email",
            "ANN@example.com",
            &json!([other, item(2)]),
            &json!(["backinstock"]),
        )
        .await
        .ok();
        assert_eq!(again["subscriptions"][0], first["subscriptions"][0]);
        assert_eq!(again["subscriptions"][1]["cts"], NOW + 60_000);
        assert_eq!(app.rows("subscriptions").await, 2);
        app.assert_sound().await;
    }

    async fn subscribing_from_many_places_at_once_makes_one(app: TestApp) {
        let calls = (0..8).map(|_| wait_for(&app, &[1, 2]));
        let answers = futures_util::future::join_all(calls).await;
        assert!(answers.iter().all(|answer| answer["subscriptions"] == answers[0]["subscriptions"]));
        assert_eq!(app.rows("subscriptions").await, 2);
        app.assert_sound().await;
    }

    async fn one_that_was_sent_starts_anew(app: TestApp) {
        wait_for(&app, &[1]).await;
        app.straight("update subscriptions set status = 1").await;
        let ann = app.shopper("ann").await;
        assert_eq!(fetch(&ann, &[]).await.ok()["subscriptions"][0]["status"], 1);
        app.advance(60_000);
        let again = wait_for(&app, &[1]).await;
        assert_eq!(
            (&again["subscriptions"][0]["status"], &again["subscriptions"][0]["uts"]),
            (&json!(0), &json!(NOW + 60_000))
        );
        assert_eq!(fetch(&ann, &[]).await.ok()["subscriptions"], again["subscriptions"]);
        assert_eq!(app.rows("subscriptions").await, 1);
    }

    async fn starting_anew_takes_what_the_new_call_says_of_the_product(app: TestApp) {
        let mut product = item(1);
        product["dt"] = json!("Chair");
        product["pr"] = json!(10);
        let make = async |product: &Value| {
            let made =
                subscribe(&app.store_admin(), "email", "ann@example.com", &json!([product]), &json!(["backinstock"]))
                    .await
                    .ok();
            (
                made["subscriptions"][0]["dt"].clone(),
                made["subscriptions"][0]["pr"].clone(),
                made["subscriptions"][0]["du"].clone(),
            )
        };
        make(&product).await;
        app.straight("update subscriptions set status = 1").await;
        product["pr"] = json!(8);
        product["du"] = json!("https://shop.example/new");
        assert_eq!(make(&product).await, (json!("Chair"), json!(8), json!("https://shop.example/new")));
        // Saying nothing of it forgets nothing.
        app.straight("update subscriptions set status = 1").await;
        assert_eq!(make(&item(1)).await, (json!("Chair"), json!(8), json!("https://shop.example/p/1")));
    }

    async fn one_that_is_being_sent_is_left_alone(app: TestApp) {
        wait_for(&app, &[1]).await;
        app.straight("update subscriptions set status = 2").await;
        app.advance(60_000);
        let again = wait_for(&app, &[1]).await;
        assert_eq!((&again["subscriptions"][0]["status"], &again["subscriptions"][0]["uts"]), (&json!(2), &json!(NOW)));
    }

    async fn subscriptions_come_newest_first_in_pages_of_ten(app: TestApp) {
        wait_for(&app, &(1..=20).collect::<Vec<_>>()).await;
        app.advance(-5_000);
        wait_for(&app, &[21, 22, 23]).await;
        let ann = app.shopper("ann").await;
        let shown = async |fields: &[(&str, &str)]| -> (Vec<i64>, i64) {
            let answer = fetch(&ann, fields).await.ok();
            (epis(&answer["subscriptions"]), answer["total"].as_i64().unwrap())
        };
        let range = |from: i64, to: i64| (to..=from).rev().collect::<Vec<_>>();
        assert_eq!(shown(&[]).await, (range(23, 14), 23));
        assert_eq!(shown(&[("offset", "10")]).await, (range(13, 4), 23));
        assert_eq!(shown(&[("offset", "20")]).await, (range(3, 1), 23));
        assert_eq!(shown(&[("offset", "23")]).await, (vec![], 23));
        assert_eq!(shown(&[("limit", "1"), ("offset", "2")]).await, (vec![21], 23));
        assert_eq!(shown(&[("limit", "1000")]).await, (range(23, 1), 23));
        let answer = fetch(&ann, &[("limit", "7"), ("offset", "3")]).await.ok();
        assert_eq!((&answer["limit"], &answer["offset"]), (&json!(7), &json!(3)));
        for bad in [
            ("limit", "0"),
            ("limit", "-1"),
            ("limit", "1001"),
            ("limit", "x"),
            ("offset", "-1"),
            ("offset", "1.5"),
            ("limit", "99999999999999999999"),
        ] {
            fetch(&ann, &[bad]).await.fails(400, "invalid-parameter");
        }
    }

    async fn the_total_counts_what_matches_topic_and_medium(app: TestApp) {
        let admin = app.store_admin();
        wait_for(&app, &[1, 2]).await;
        subscribe(&admin, "email", "ann@example.com", &json!([item(3)]), &json!(["pricedrop"])).await.ok();
        subscribe(&admin, "sms", "+4915112345678", &json!([item(4)]), &json!(["backinstock"])).await.ok();
        // The number is Ann's.
        app.straight(
            "update subscriptions set ordinal = 9,
                    shopper_id = (select shopper_id from shoppers where store_id = 1 and email = 'ann@example.com')
             where store_id = 1 and medium = 'sms'",
        )
        .await;
        let ann = app.shopper("ann").await;
        for (fields, expected) in [
            (&[][..], &[4, 2, 1][..]),
            (&[("medium", "email")], &[2, 1]),
            (&[("medium", "sms")], &[4]),
            (&[("medium", "")], &[4, 2, 1]),
        ] {
            let answer = fetch(&ann, fields).await.ok();
            assert_eq!(epis(&answer["subscriptions"]), expected);
            assert_eq!(answer["total"], expected.len());
        }
        let drops = ann.post("subscriptions/fetch-subs", &[("topic", "pricedrop")]).await.ok();
        assert_eq!((epis(&drops["subscriptions"]), &drops["total"]), (vec![3], &json!(1)));
        ann.post("subscriptions/fetch-subs", &[]).await.fails(400, "missing-parameter");
        ann.post("subscriptions/fetch-subs", &[("topic", "news")]).await.fails(400, "invalid-parameter");
        fetch(&ann, &[("medium", "fax")]).await.fails(400, "invalid-parameter");
    }

    async fn the_shopper_who_made_one_is_named_to_its_owner(app: TestApp) {
        wait_for(&app, &[1]).await;
        app.straight("update subscriptions set made_by_shopper = 1").await;
        let shown = fetch(&app.shopper("ann").await, &[]).await.ok()["subscriptions"][0].clone();
        assert_eq!((&shown["cby"], &shown["uby"]), (&json!("ann@example.com"), &json!("ann@example.com")));
    }

    async fn whoever_is_not_logged_in_sees_no_address(app: TestApp) {
        let guest = app.guest().await;
        assert_eq!(fetch(&guest, &[]).await.ok(), json!({ "limit": 10, "offset": 0, "total": 0, "subscriptions": [] }));
        guest.list("Summer").await;
        wait_for(&app, &[1]).await;
        app.straight(
            "update subscriptions set shopper_id = (select shopper_id from shoppers where store_id = 1 and email is null)
             where store_id = 1",
        )
        .await;
        let reply = fetch(&guest, &[]).await;
        let shown = reply.ok()["subscriptions"][0].clone();
        // Always all four, also where a logged-in shopper would not see the field at all.
        for key in ["medium", "mediumvalue", "cby", "uby"] {
            assert_eq!(shown[key], "XXXXXX", "{key}");
        }
        assert_eq!((&shown["epi"], &shown["topic"], &shown["status"]), (&json!(1), &json!("backinstock"), &json!(0)));
        assert!(!reply.text().contains("ann@"), "{}", reply.text());
        assert_eq!(fetch(&guest, &[("medium", "email")]).await.ok()["total"], 1);
    }

    async fn fetching_needs_the_feature_and_a_user_agent(app: TestApp) {
        let ann = app.shopper("ann").await;
        let send = async |agent: Option<&str>| {
            let body = encode_form(&[("regid", &ann.regid), ("sessionid", &ann.sessionid), ("topic", "backinstock")]);
            let mut request = Request::post(format!("/api/v3/subscriptions/fetch-subs?pid={}", encode(&ann.pid)))
                .header("content-type", "application/x-www-form-urlencoded");
            if let Some(agent) = agent {
                request = request.header("user-agent", agent);
            }
            Reply::of(&app.router, request.body(Body::from(body)).unwrap()).await
        };
        send(Some("tests")).await.ok();
        send(None).await.fails(400, "missing-parameter");
        send(Some("")).await.fails(400, "missing-parameter");
        app.set(SettingsChange { disable: vec![Feature::Subscriptions], ..Default::default() }).await;
        fetch(&ann, &[]).await.fails(403, "feature-not-enabled");
        ann.post("subscriptions/fetch-subs", &[("topic", "news")]).await.fails(403, "feature-not-enabled");
        // The store's own call goes on working.
        wait_for(&app, &[1]).await;
    }

    async fn stores_do_not_share_subscriptions(app: TestApp) {
        let settings =
            wishbone_core::stores::settings::Settings { features: [Feature::Subscriptions].into(), ..Default::default() };
        let other = app.create_store(settings).await;
        wait_for(&app, &[1]).await;
        let ann = app.shopper_of(&other, "ann").await;
        assert_eq!(fetch(&ann, &[]).await.ok()["total"], 0);
        subscribe(&app.admin_of(&other), "email", "ann@example.com", &json!([item(1)]), &json!(["backinstock"]))
            .await
            .ok();
        assert_eq!(fetch(&ann, &[]).await.ok()["total"], 1);
        assert_eq!(app.rows("subscriptions").await, 2);
    }
}
