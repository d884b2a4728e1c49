//! Questions across lists, public lists, and what shoppers say of themselves.

use serde_json::{Value, json};

use crate::support::{Client, NOW, item};

async fn count(client: &Client, empi: i64) -> Value {
    client.post("product/wishlist/social-count", &[("empi", &empi.to_string())]).await.ok()["data"].clone()
}

both_engines! {
    async fn one_call_tells_which_variants_are_on_which_of_my_lists(app: TestApp) {
        let (ann, ben) = (app.shopper("ann").await, app.shopper("ben").await);
        let (first, second) = (ann.list("First").await, ann.list("Second").await);
        ann.add(&first, &[1, 2, 3]).await;
        ann.add(&second, &[2, 250]).await;
        let old = ann.list("Old").await;
        ann.add(&old, &[4]).await;
        ann.post("lists/update", &[("lid", &old), ("archived", "true")]).await.ok();
        ben.add(&ben.list("Ben's").await, &[5]).await;
        let all: Vec<i64> = (1..=250).collect();
        let reply = ann.post("lists/contains", &[("epis", &Value::from(all).to_string())]).await.ok();
        let expected = json!({ "1": [first], "2": [first, second], "3": [first], "250": [second] });
        assert_eq!(reply, json!({ "status": "success", "data": expected }));
        let reply = ann.post("lists/contains", &[("epis", "[4, 5, \"3\"]")]).await.ok();
        assert_eq!(reply["data"], json!({ "3": [first] }));
    }

    async fn any_number_of_variants_is_found_on_long_and_short_lists(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (long, short) = (ann.list("Long").await, ann.list("Short").await);
        for some in (1..=600).collect::<Vec<i64>>().chunks(300) {
            ann.add(&long, some).await;
        }
        ann.add(&short, &[600, 601]).await;
        let found = async |variants: &[i64]| {
            ann.post("lists/contains", &[("epis", &Value::from(variants).to_string())]).await.ok()["data"].clone()
        };
        for count in [1, 20, 21, 60, 61, 250] {
            // The first and the last are found, the others are on no list.
            let mut variants: Vec<i64> = (1_000..1_000 + count).collect();
            variants[0] = 1;
            *variants.last_mut().unwrap() = 600;
            let mut expected = json!({ "1": [long], "600": [long, short] });
            if count == 1 {
                expected.as_object_mut().unwrap().remove("1");
            }
            assert_eq!(found(&variants).await, expected, "{count}");
        }
        assert_eq!(found(&[7, 601, 7]).await, json!({ "7": [long], "601": [short] }), "one twice");
    }

    async fn variants_are_found_on_more_lists_than_are_few(app: TestApp) {
        let ann = app.shopper("ann").await;
        let mut lids = Vec::new();
        for number in 0..102 {
            let lid = ann.list(&format!("List {number}")).await;
            if number == 3 {
                continue;
            }
            ann.add(&lid, &[1, 1_000 + number]).await;
            match number {
                5 => _ = ann.post("lists/update", &[("lid", &lid), ("archived", "true")]).await.ok(),
                _ => lids.push(lid),
            }
        }
        // One more than are looked up at once, so that the last is in a part of its own.
        ann.add(&ann.list("Last").await, &[2]).await;
        let last = ann.list("Newest").await;
        ann.add(&last, &[1]).await;
        lids.push(last);
        assert!(lids.len() > 100);
        let found = ann.post("lists/contains", &[("epis", "[1, 1005, 1101]")]).await.ok()["data"].clone();
        assert_eq!(found, json!({ "1": lids, "1101": [lids[99]] }));
    }

    async fn saved_for_later_counts_as_a_list_and_guests_may_ask(app: TestApp) {
        let guest = app.browser().await;
        assert_eq!(guest.post("lists/contains", &[("epis", "[1]")]).await.ok()["data"], json!({}));
        let saved = guest.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        let items = json!([item(1)]).to_string();
        guest.post("lists/sfl/add", &[("lid", &saved), ("items", &items)]).await.ok();
        assert_eq!(guest.post("lists/contains", &[("epis", "[1]")]).await.ok()["data"], json!({ "1": [saved] }));
    }

    async fn lists_of_one_type_are_looked_up_alone(app: TestApp) {
        let ann = app.shopper("ann").await;
        let wishlist = ann.list("Wishes").await;
        ann.add(&wishlist, &[1, 2]).await;
        let mut lids = vec![wishlist];
        for lty in ["registry", "sfl"] {
            let made = ann.post("lists/create", &[("lname", lty), ("lty", lty)]).await.ok();
            lids.push(made["lid"].as_str().unwrap().to_owned());
            ann.add(lids.last().unwrap(), &[2, 3]).await;
        }
        let expected = [
            ("wl", json!({ "1": [lids[0]], "2": [lids[0]] })),
            ("null", json!({ "1": [lids[0]], "2": [lids[0]] })),
            ("registry", json!({ "2": [lids[1]], "3": [lids[1]] })),
            ("_saveForLater", json!({ "2": [lids[2]], "3": [lids[2]] })),
            ("none", json!({})),
            ("", json!({ "1": [lids[0]], "2": lids, "3": [lids[1], lids[2]] })),
        ];
        for (lty, data) in expected {
            let reply = ann.post("lists/contains", &[("epis", "[1, 2, 3]"), ("lty", lty)]).await.ok();
            assert_eq!(reply["data"], data, "lty={lty}");
        }
    }

    async fn one_call_tells_which_variants_of_a_product_are_on_which_of_my_lists(app: TestApp) {
        let (ann, ben) = (app.shopper("ann").await, app.shopper("ben").await);
        let variants = |product: i64, variants: std::ops::Range<i64>| {
            Value::from_iter(variants.map(|epi| json!({ "epi": epi, "empi": product, "du": "https://shop.example/" })))
        };
        let (first, second, old) = (ann.list("First").await, ann.list("Second").await, ann.list("Old").await);
        ann.add_items(&first, &variants(1, 10..12)).await;
        ann.add_items(&first, &variants(2, 20..21)).await;
        ann.add_items(&second, &variants(1, 11..13)).await;
        ann.add_items(&old, &variants(1, 13..14)).await;
        ann.post("lists/update", &[("lid", &old), ("archived", "true")]).await.ok();
        ben.add_items(&ben.list("Ben's").await, &variants(3, 30..31)).await;
        let saved = ann.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        ann.add_items(&saved, &variants(1, 10..11)).await;
        let found = async |products: &[i64], lty: &str| {
            let empis = Value::from(products).to_string();
            ann.post("lists/contains", &[("empis", &empis), ("lty", lty)]).await.ok()["data"].clone()
        };
        let wished = json!({ "10": [first], "11": [first, second], "12": [second] });
        let one = json!({ "20": [first] });
        let many: Vec<i64> = (1..=250).collect();
        for products in [&many[..], &many[..60], &many[..2], &[2, 1, 2, 4]] {
            assert_eq!(found(products, "wl").await, json!({ "1": wished, "2": one }), "{}", products.len());
        }
        assert_eq!(found(&[1], "").await["1"]["10"], json!([first, saved]));
        assert_eq!(found(&[3, 10], "").await, json!({}), "neither another shopper's, nor a variant's id");
        // More variants than one call finds on a list, and the product is still there.
        for some in [100..300, 300..500] {
            ann.add_items(&first, &variants(5, some)).await;
        }
        assert_eq!(found(&[5], "wl").await["5"].as_object().unwrap().len(), 250);
        let both = [("epis", "[1]"), ("empis", "[1]")];
        ann.post("lists/contains", &both).await.fails(400, "invalid-parameter");
        for bad in ["[]", &Value::from((1..=251).collect::<Vec<i64>>()).to_string(), "[0]"] {
            ann.post("lists/contains", &[("empis", bad)]).await.fails(400, "invalid-parameter");
        }
    }

    async fn asking_for_no_variant_or_too_many_is_refused(app: TestApp) {
        let ann = app.shopper("ann").await;
        let many = Value::from((1..=251).collect::<Vec<i64>>()).to_string();
        for bad in ["[]", &many, "{}", "[0]", "[null]", "1"] {
            ann.post("lists/contains", &[("epis", bad)]).await.fails(400, "invalid-parameter");
        }
        ann.post("lists/contains", &[]).await.fails(400, "missing-parameter");
    }

    async fn a_product_is_counted_once_for_each_shopper_who_wants_it(app: TestApp) {
        let (ann, ben, guest) = (app.shopper("ann").await, app.shopper("ben").await, app.guest().await);
        // Two variants of product 7 on two lists of Ann's.
        let variants = json!([{ "epi": 1, "empi": 7, "du": "/a" }, { "epi": 2, "empi": 7, "du": "/a" }]);
        let (one, two) = (ann.list("One").await, ann.list("Two").await);
        ann.add_items(&one, &variants).await;
        ann.add_items(&two, &variants).await;
        ben.add_items(&ben.list("Ben's").await, &variants).await;
        assert_eq!(count(&guest, 7).await, json!({ "count": 2, "empi": 7 }));
        // A save-for-later list is no wish.
        let saved = guest.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        guest.post("lists/sfl/add", &[("lid", &saved), ("items", &variants.to_string())]).await.ok();
        assert_eq!(count(&guest, 7).await["count"], 2);
        ann.post("lists/delete-list", &[("lid", &one)]).await.ok();
        assert_eq!(count(&ann, 7).await["count"], 2);
        ann.post("lists/delete-list", &[("lid", &two)]).await.ok();
        assert_eq!(count(&ann, 7).await["count"], 1);
        let batch = ann.post("product/wishlist/social-count", &[("empis", "[7, 8]")]).await.ok();
        assert_eq!(batch["data"], json!([{ "count": 1, "empi": 7 }, { "count": 0, "empi": 8 }]));
    }

    async fn products_on_many_lists_are_counted_exactly(app: TestApp) {
        let (ann, ben) = (app.shopper("ann").await, app.shopper("ben").await);
        let items: Vec<Value> =
            (1..=200).map(|epi| json!({ "epi": epi, "empi": 1 + epi % 100, "du": "/a" })).collect();
        for number in 0..6 {
            for client in [&ann, &ben] {
                client.add_items(&client.list(&format!("List {number}")).await, &json!(items)).await;
            }
        }
        let products = Value::from((1..=100).collect::<Vec<i64>>()).to_string();
        let counted = ann.post("product/wishlist/social-count", &[("empis", &products)]).await.ok();
        let counts: Vec<&Value> = counted["data"].as_array().unwrap().iter().map(|data| &data["count"]).collect();
        assert_eq!(counts, vec![&json!(2); 100]);
    }

    async fn a_count_takes_one_product_or_several(app: TestApp) {
        let ann = app.shopper("ann").await;
        let path = "product/wishlist/social-count";
        ann.post(path, &[]).await.fails(400, "missing-parameter");
        ann.post(path, &[("empi", "1"), ("empis", "[1]")]).await.fails(400, "invalid-parameter");
        let many = Value::from((1..=101).collect::<Vec<i64>>()).to_string();
        for bad in ["[]", &many, "x"] {
            ann.post(path, &[("empis", bad)]).await.fails(400, "invalid-parameter");
        }
    }

    async fn a_public_list_is_read_by_anyone_until_it_is_taken_back(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.browser().await);
        let lid = ann.list("Shared").await;
        ann.add(&lid, &[1, 2]).await;
        let wanted = [("lid", lid.as_str())];
        let read = || guest.post("lists/fetch-list-with-contents", &wanted);
        read().await.fails(403, "forbidden");
        let shared = ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        assert_eq!((&shared["anonRead"], &shared["canEdit"]), (&json!(true), &json!(true)));
        assert_eq!(shared["listcontents"].as_array().unwrap().len(), 2);
        assert_eq!(shared["userinfo"]["em"], "ann@example.com");
        let seen = read().await.ok();
        assert_eq!((&seen["list"]["canEdit"], &seen["list"]["userinfo"]), (&json!(false), &Value::Null));
        // Reading is all that was given.
        guest.post("lists/update-ctx", &[("lid", &lid), ("d", "[{\"epi\":1}]")]).await.fails(403, "forbidden");
        app.shopper("ben").await.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "not-granted");
        let taken_back = ann.post("lists/markPublic", &[("lid", &lid), ("public", "false")]).await.ok();
        assert_eq!(taken_back["anonRead"], false);
        read().await.fails(403, "forbidden");
    }

    async fn only_a_logged_in_owner_makes_a_list_public(app: TestApp) {
        let (ann, ben, guest) = (app.shopper("ann").await, app.shopper("ben").await, app.guest().await);
        let lid = ann.list("Mine").await;
        ben.post("lists/markPublic", &[("lid", &lid)]).await.fails(403, "forbidden");
        let own = guest.list("Guest's").await;
        guest.post("lists/markPublic", &[("lid", &own)]).await.fails(401, "user-not-logged-in");
        let before = ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        app.advance(1_000);
        assert_eq!(ann.post("lists/markPublic", &[("lid", &lid)]).await.ok()["uts"], before["uts"]);
    }

    async fn what_shoppers_say_of_themselves_is_in_their_userinfo(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let userinfo = || async { ann.page(&lid, &[]).await["data"]["userinfo"].clone() };
        assert_eq!(userinfo().await["acc_mkt"], Value::Null);
        app.advance(5_000);
        let said = [("fname", "Ann"), ("lname", "Lee"), ("acceptMarketing", "1"), ("language", "de"), ("region", "AT")];
        assert_eq!(ann.post("user/save", &said).await.ok(), json!({ "message": "User saved." }));
        let email = |accepts: bool| json!({ "signuptime": NOW + 5_000, "acceptmarketing": accepts, "acceptsource": "api" });
        let info = userinfo().await;
        assert_eq!((&info["fname"], &info["lname"], &info["acc_mkt"]), (&json!("Ann"), &json!("Lee"), &json!(true)));
        assert_eq!(info["prefs"], json!({ "Mediums": { "email": email(true) } }));
        app.advance(5_000);
        ann.post("user/save", &[("lname", "Lee-Smith"), ("acceptMarketing", "false")]).await.ok();
        let info = userinfo().await;
        assert_eq!((&info["fname"], &info["lname"], &info["acc_mkt"]), (&json!("Ann"), &json!("Lee-Smith"), &json!(false)));
        assert_eq!(info["prefs"], json!({ "Mediums": { "email": email(false) } }));
    }
}
